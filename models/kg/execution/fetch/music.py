"""Rows about artists, songs, the Grammys and the Billboard chart."""

from string import capwords

from models.kg.english.days import Edge
from models.kg.english.periods import resolve
from models.kg.execution.fetch.protocol import (
    Arguments,
    Fetched,
    Fetcher,
    FetchSteps,
    ask,
    ask_all,
    search,
)
from utils.crag_api import ApiCall

# Key of the language -> the endpoint that returns it for a name.
_ARTIST = {
    "birth_place": "/music/get_artist_birth_place",
    "birth_date": "/music/get_artist_birth_date",
    "birthday": "/music/get_artist_birth_date",
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
_RANK, _RANKED = "/music/get_billboard_rank_date", "/music/get_billboard_attributes"
_BILLBOARD = ("rank_last_week", "weeks_in_chart", "top_position", "rank")
_SEARCH_ARTIST = "/music/search_artist_entity_by_name"
_SEARCH_SONG = "/music/search_song_entity_by_name"


def _named(endpoints: dict[str, str], finder: str, *, complete: bool = False) -> Fetcher:
    """One row per matching name, with the requested keys of `endpoints`.

    `complete`: the KG has all rows of this kind, so a name without search hits is looked up
    directly.
    """

    def fetch(arguments: Arguments) -> FetchSteps:
        name = arguments.text(0)
        if name is None:
            return Fetched()
        names = [name]
        if not arguments.own:
            found = yield from search(finder, name, str)
            # exact spelling first: names may differ only in case
            found.sort(key=lambda own: own != name)
            names = list(dict.fromkeys(found)) or (names if complete else [])
        wanted = {key: end for key, end in endpoints.items() if arguments.wants(key)}
        values = iter(
            (yield [ApiCall(e, {"query": own}) for own in names for e in wanted.values()])
        )
        rows = [{"name": own} | {key: next(values) for key in wanted} for own in names]
        return Fetched(tuple(rows), tuple(names), complete)

    return Fetcher(fetch, (finder, *endpoints.values()))


_GRAMMY_OF_SONG = _named(_GRAMMY_SONG, _SEARCH_SONG, complete=True)


def get_grammy_song(arguments: Arguments) -> FetchSteps:
    """The number of Grammys of a song. Its name is also tried with every word capitalised, as the
    awards spell it."""
    found = yield from _GRAMMY_OF_SONG.fetch(arguments)
    names = dict.fromkeys(capwords(name) for name in found.entities)
    others = [name for name in names if name not in found.entities]
    counts = yield from ask_all(_GRAMMY_SONG["award_count"], others)
    rows = [{"name": n, "award_count": c} for n, c in zip(others, counts, strict=True)]
    best = sorted([*found.rows, *rows], key=lambda row: -(row["award_count"] or 0))
    return Fetched(tuple(best), found.entities, complete=True)


def get_grammy_year(arguments: Arguments) -> FetchSteps:
    """The winners of the Grammys of a year: the n-th ceremony for 1957 + n.

    Without a year, all winners of Best New Artist.
    """
    year = arguments.text(0)
    if year is None:
        everyone = yield from ask(_ALL_ARTISTS)
        return Fetched(({"best_new_artist": everyone},), ("the Grammys",), complete=True)
    if not year.isdecimal():
        return Fetched()
    wanted = {key: endpoint for key, endpoint in _GRAMMY_YEAR.items() if arguments.wants(key)}
    values = yield [ApiCall(endpoint, {"query": int(year)}) for endpoint in wanted.values()]
    row = dict(zip(wanted, values, strict=True))
    known = any(value is not None for value in values)
    rows = ({"year": int(year), **row},) if known else ()
    return Fetched(rows, (f"the Grammys of {year}",), complete=known)


def get_billboard(arguments: Arguments) -> FetchSteps:
    """The song at a chart rank, on a date or on any date."""
    rank, when = arguments.text(0), arguments.text(1)
    if rank is None or not rank.isdecimal():
        return Fetched()
    day = {} if when is None else {"date": _day(when, arguments)}
    found = yield from ask(_RANK, rank=int(rank), **day)
    songs, artists = found if isinstance(found, list) and len(found) == 2 else (None, None)
    pairs = zip(songs or [], artists or [], strict=False)
    rows = tuple({"song": song, "artist": artist} for song, artist in pairs)
    return Fetched(rows, (f"rank {rank} of the Billboard chart",))


def _day(phrase: str, arguments: Arguments) -> str:
    """The day of a chart: for "latest" the last one, for a range the first."""
    period = resolve(phrase, arguments.now)
    return (period.last if period.edge is Edge.LATEST else period.first).isoformat()


def get_billboard_song(arguments: Arguments) -> FetchSteps:
    """A song's chart rank on a date."""
    song, when = arguments.text(0), arguments.text(1)
    if song is None or when is None:
        return Fetched()
    day = _day(when, arguments)
    found = [] if arguments.own else (yield from search(_SEARCH_SONG, song, str))
    for name in dict.fromkeys((song, *found, capwords(song))):
        values = yield [
            ApiCall(_RANKED, {"date": day, "attribute": attribute, "song_name": name})
            for attribute in _BILLBOARD
        ]
        if any(value is not None for value in values):
            row = {"date": day, **dict(zip(_BILLBOARD, values, strict=True))}
            return Fetched((row,), (name,))
    return Fetched()


FETCHERS: dict[str, Fetcher] = {
    "get_person": _named(_ARTIST, _SEARCH_ARTIST),
    "get_song": _named(_SONG, _SEARCH_SONG),
    "get_grammy_person": _named(_GRAMMY_PERSON, _SEARCH_ARTIST, complete=True),
    "get_grammy_song": Fetcher(get_grammy_song, _GRAMMY_OF_SONG.endpoints),
    "get_grammy_year": Fetcher(get_grammy_year, (*_GRAMMY_YEAR.values(), _ALL_ARTISTS)),
    "get_billboard": Fetcher(get_billboard, (_RANK,)),
    "get_billboard_song": Fetcher(get_billboard_song, (_SEARCH_SONG, _RANKED)),
}
