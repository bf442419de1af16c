"""Rows about artists, songs, the Grammys and the Billboard chart."""

from typing import Any

from models.kg.fetch.protocol import Arguments, Fetch, Fetched, Function, Source, ask, search
from models.kg.periods import resolve
from utils.crag_api import Call

# Key of the language -> endpoint that gives it for a name.
_ARTIST = {
    "birth_place": "/music/get_artist_birth_place",
    "birth_date": "/music/get_artist_birth_date",
    "members": "/music/get_members",
    "lifespan": "/music/get_lifespan",
    "music": "/music/get_artist_all_works",
}
_SONG = {
    "author": "/music/get_song_author",
    "release_country": "/music/get_song_release_country",
    "release_date": "/music/get_song_release_date",
}
_GRAMMY_PERSON = {
    "award_count": "/music/grammy_get_award_count_by_artist",
    "award_date": "/music/grammy_get_award_date_by_artist",
}
_GRAMMY_SONG = {"award_count": "/music/grammy_get_award_count_by_song"}
_GRAMMY_YEAR = {
    "best_new_artist": "/music/grammy_get_best_artist_by_year",
    "best_album": "/music/grammy_get_best_album_by_year",
    "best_song": "/music/grammy_get_best_song_by_year",
}
_ALL_ARTISTS = "/music/grammy_get_all_awarded_artists"
_BILLBOARD = ("rank_last_week", "weeks_in_chart", "top_position", "rank")
_SEARCH_ARTIST = "/music/search_artist_entity_by_name"
_SEARCH_SONG = "/music/search_song_entity_by_name"


def _of(endpoints: dict[str, str], finder: str, *, complete: bool = False) -> Function:
    """One row a name that is found, with every key that the endpoints give."""

    def fetch(arguments: Arguments) -> Fetch:
        name = arguments.text(0)
        if name is None:
            return Fetched()
        found = yield from search(finder, name, str)
        names = list(dict.fromkeys(found)) or ([name] if complete else [])
        rows = []
        for own in names:
            values = yield [Call(endpoint, {"query": own}) for endpoint in endpoints.values()]
            rows.append({"name": own, **dict(zip(endpoints, values, strict=True))})
        return Fetched(tuple(rows), tuple(names), complete)

    return fetch


def get_grammy_year(arguments: Arguments) -> Fetch:
    """The winners of the Grammys that count for a year: the n-th ceremony for 1957 + n.

    Where the year is left open, all the Best New Artists there ever were.
    """
    text = arguments.text(0)
    if text is None:
        everyone = yield from ask(_ALL_ARTISTS)
        return Fetched(({"best_new_artist": everyone},), ("the Grammys",), complete=True)
    if not text.isdecimal():
        return Fetched()
    calls = [Call(endpoint, {"query": int(text)}) for endpoint in _GRAMMY_YEAR.values()]
    values = yield calls
    row = dict(zip(_GRAMMY_YEAR, values, strict=True))
    known = any(value is not None for value in values)
    return Fetched((row,) if known else (), (f"the Grammys of {text}",), complete=known)


def get_billboard(arguments: Arguments) -> Fetch:
    """What stood at a rank of the chart, on a date or ever."""
    rank, when = arguments.text(0), arguments.text(1)
    if rank is None or not rank.isdecimal():
        return Fetched()
    params: dict[str, Any] = {"rank": int(rank)}
    if when is not None:
        params["date"] = resolve(when, arguments.now).first.isoformat()
    found = yield from ask("/music/get_billboard_rank_date", **params)
    songs, artists = found if isinstance(found, list) and len(found) == 2 else (None, None)
    pairs = zip(songs or [], artists or [], strict=False)
    rows = tuple({"song": song, "artist": artist} for song, artist in pairs)
    return Fetched(rows, (f"rank {rank}",))


def get_billboard_song(arguments: Arguments) -> Fetch:
    """A song's place in the chart on a date."""
    song, when = arguments.text(0), arguments.text(1)
    if song is None or when is None:
        return Fetched()
    day = resolve(when, arguments.now).first.isoformat()
    values = yield [
        Call(
            "/music/get_billboard_attributes",
            {"date": day, "attribute": attribute, "song_name": song},
        )
        for attribute in _BILLBOARD
    ]
    if all(value is None for value in values):
        return Fetched()
    return Fetched((dict(zip(_BILLBOARD, values, strict=True)),), (song,))


def _source(endpoints: dict[str, str], finder: str, *, complete: bool = False) -> Source:
    return Source(_of(endpoints, finder, complete=complete), (finder, *endpoints.values()))


SOURCES: dict[str, Source] = {
    "get_person": _source(_ARTIST, _SEARCH_ARTIST),
    "get_song": _source(_SONG, _SEARCH_SONG),
    "get_grammy_person": _source(_GRAMMY_PERSON, _SEARCH_ARTIST, complete=True),
    "get_grammy_song": _source(_GRAMMY_SONG, _SEARCH_SONG, complete=True),
    "get_grammy_year": Source(get_grammy_year, (*_GRAMMY_YEAR.values(), _ALL_ARTISTS)),
    "get_billboard": Source(get_billboard, ("/music/get_billboard_rank_date",)),
    "get_billboard_song": Source(get_billboard_song, ("/music/get_billboard_attributes",)),
}
