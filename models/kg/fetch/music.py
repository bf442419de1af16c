"""Rows about artists, songs, the Grammys and the Billboard chart."""

from string import capwords
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
    """One row a name that is found, with every key that the endpoints give.

    Several names, as only another call gives them, are the KG's own: they are not searched for.
    """

    def fetch(arguments: Arguments) -> Fetch:
        names = list(dict.fromkeys(arguments.names(0)))
        if len(names) == 1:
            found = yield from search(finder, names[0], str)
            # spelled just as asked first: names may differ in their case alone
            found.sort(key=lambda own: own != names[0])
            names = list(dict.fromkeys(found)) or (names if complete else [])
        values = yield [Call(end, {"query": own}) for own in names for end in endpoints.values()]
        width = len(endpoints)
        rows = (
            {"name": own, **dict(zip(endpoints, values[i * width : (i + 1) * width], strict=True))}
            for i, own in enumerate(names)
        )
        return Fetched(tuple(rows), tuple(names), complete)

    return fetch


def get_grammy_song(arguments: Arguments) -> Fetch:
    """How many Grammys a song won. Its name is also tried as the awards spell it: every word begins
    with a capital there."""
    found = yield from _of(_GRAMMY_SONG, _SEARCH_SONG, complete=True)(arguments)
    names = list(dict.fromkeys(capwords(name) for name in found.entities))
    others = [name for name in names if name not in found.entities]
    (endpoint,) = _GRAMMY_SONG.values()
    counts = yield [Call(endpoint, {"query": name}) for name in others]
    rows = [{"name": n, "award_count": c} for n, c in zip(others, counts, strict=True)]
    best = sorted([*found.rows, *rows], key=lambda row: -(row["award_count"] or 0))
    return Fetched(tuple(best), found.entities, complete=True)


def get_grammy_year(arguments: Arguments) -> Fetch:
    """The winners of the Grammys that count for a year: the n-th ceremony for 1957 + n.

    Where the year is left open, all the Best New Artists there ever were.
    """
    years = [year for year in arguments.names(0) if year.isdecimal()]
    if not arguments.names(0):
        everyone = yield from ask(_ALL_ARTISTS)
        return Fetched(({"best_new_artist": everyone},), ("the Grammys",), complete=True)
    values = yield [
        Call(endpoint, {"query": int(year)}) for year in years for endpoint in _GRAMMY_YEAR.values()
    ]
    width = len(_GRAMMY_YEAR)
    rows = []
    for i, year in enumerate(years):
        row = dict(zip(_GRAMMY_YEAR, values[i * width : (i + 1) * width], strict=True))
        if any(value is not None for value in row.values()):
            rows.append({"year": int(year), **row})
    names = tuple(f"the Grammys of {year}" for year in years)
    return Fetched(tuple(rows), names, complete=bool(rows))


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
    "get_grammy_song": Source(get_grammy_song, (_SEARCH_SONG, *_GRAMMY_SONG.values())),
    "get_grammy_year": Source(get_grammy_year, (*_GRAMMY_YEAR.values(), _ALL_ARTISTS)),
    "get_billboard": Source(get_billboard, ("/music/get_billboard_rank_date",)),
    "get_billboard_song": Source(get_billboard_song, ("/music/get_billboard_attributes",)),
}
