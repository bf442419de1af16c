"""Rows about artists, songs, the Grammys and the Billboard chart."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from string import capwords

from models.english.days import KnownDay
from models.english.periods import resolve
from models.kg.execution.fetch.protocol import (
    Arguments,
    CallGenerator,
    Fetched,
    Fetcher,
    FetchSteps,
    Matches,
    Row,
    ask,
    ask_all,
    search,
    told_apart,
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
_RANK = "/music/get_billboard_rank_date"
_RANKED = "/music/get_billboard_attributes"
_RANKED_ATTRIBUTES = ("rank_last_week", "weeks_in_chart", "top_position", "rank")
_SEARCH_ARTIST = "/music/search_artist_entity_by_name"
_SEARCH_SONG = "/music/search_song_entity_by_name"


def _fetcher_by_name(
    endpoints: Mapping[str, str], search_endpoint: str, *, complete: bool = False
) -> Fetcher:
    """Fetches one row per matching name, with the requested keys of `endpoints`.

    `complete`: the KG has all rows of this kind, so a name without search hits is looked up
    directly.
    """

    def fetch(arguments: Arguments) -> FetchSteps:
        name = arguments.text(0)
        if name is None:
            return Fetched()
        names = [name]
        readings: tuple[str, ...] = ()
        if not arguments.names_are_exact:
            matches = yield from search(search_endpoint, name, str)
            names = _exact_spelling_first(name, matches.hits)
            readings = matches.readings
            if complete and not names:
                names = [name]
        wanted = {key: path for key, path in endpoints.items() if arguments.wants(key)}
        rows = yield from _rows_of_names(names, wanted)
        rows = told_apart(rows, names)
        return Fetched(tuple(rows), tuple(names), complete, readings=readings)

    return Fetcher(fetch, (search_endpoint, *endpoints.values()))


def _exact_spelling_first(name: str, matches: Iterable[str]) -> list[str]:
    """The names that match a name, which may differ only in case; the same spelling first."""
    return sorted(dict.fromkeys(matches), key=lambda match: match != name)


def _rows_of_names(names: list[str], endpoints: Mapping[str, str]) -> CallGenerator[list[Row]]:
    """A row per name, with the value of each endpoint under its key."""
    calls = []
    for name in names:
        calls += [ApiCall(endpoint, {"query": name}) for endpoint in endpoints.values()]
    next_value = iter((yield calls))
    rows = []
    for name in names:
        row: Row = {"name": name}
        for key in endpoints:
            row[key] = next(next_value)
        rows.append(row)
    return rows


_GRAMMY_OF_SONG = _fetcher_by_name(_GRAMMY_SONG, _SEARCH_SONG, complete=True)


def get_grammy_song(arguments: Arguments) -> FetchSteps:
    """The number of Grammys of a song. Its name is also tried with every word capitalised, as the
    awards spell it."""
    fetched = yield from _GRAMMY_OF_SONG.fetch(arguments)
    capitalised = dict.fromkeys(capwords(name) for name in fetched.entities)
    other_names = [name for name in capitalised if name not in fetched.entities]
    counts = yield from ask_all(_GRAMMY_SONG["award_count"], other_names)
    rows = [{"name": row["name"], "award_count": row.get("award_count")} for row in fetched.rows]
    for name, count in zip(other_names, counts, strict=True):
        rows.append({"name": name, "award_count": count})
    rows.sort(key=lambda row: -(row["award_count"] or 0))
    return replace(fetched, rows=tuple(rows))


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
    entities = (f"the Grammys of {year}",)
    if all(value is None for value in values):
        return Fetched((), entities)
    row = {"year": int(year), **dict(zip(wanted, values, strict=True))}
    return Fetched((row,), entities, complete=True)


def get_billboard(arguments: Arguments) -> FetchSteps:
    """The song at a chart rank, on a date or on any date."""
    rank = arguments.text(0)
    when = arguments.text(1)
    if rank is None or not rank.isdecimal():
        return Fetched()
    date = {} if when is None else {"date": _chart_day(when, arguments)}
    reply = yield from ask(_RANK, rank=int(rank), **date)
    rows = []
    if isinstance(reply, list) and len(reply) == 2:
        songs, artists = reply
        for song, artist in zip(songs or [], artists or [], strict=False):
            rows.append({"song": song, "artist": artist, **date})
    return Fetched(tuple(rows), (f"rank {rank} of the Billboard chart",))


def _chart_day(phrase: str, arguments: Arguments) -> str:
    """The day of a chart: for "latest" the last one, for a range the first."""
    period = resolve(phrase, arguments.now)
    day = period.last if period.edge is KnownDay.LATEST else period.first
    return day.isoformat()


def get_billboard_song(arguments: Arguments) -> FetchSteps:
    """A song's chart rank on a date."""
    song = arguments.text(0)
    when = arguments.text(1)
    if song is None or when is None:
        return Fetched()
    day = _chart_day(when, arguments)
    matches = Matches([])
    if not arguments.names_are_exact:
        matches = yield from search(_SEARCH_SONG, song, str)
    for name in dict.fromkeys((song, *matches.hits, capwords(song))):
        calls = []
        for attribute in _RANKED_ATTRIBUTES:
            params = {"date": day, "attribute": attribute, "song_name": name}
            calls.append(ApiCall(_RANKED, params))
        values = yield calls
        if any(value is not None for value in values):
            row = {"date": day, **dict(zip(_RANKED_ATTRIBUTES, values, strict=True))}
            readings = matches.readings if name in matches.hits else ()
            return Fetched((row,), (name,), readings=readings)
    return Fetched()


FETCHERS: dict[str, Fetcher] = {
    "get_person": _fetcher_by_name(_ARTIST, _SEARCH_ARTIST),
    "get_song": _fetcher_by_name(_SONG, _SEARCH_SONG),
    "get_grammy_person": _fetcher_by_name(_GRAMMY_PERSON, _SEARCH_ARTIST, complete=True),
    "get_grammy_song": Fetcher(get_grammy_song, _GRAMMY_OF_SONG.endpoints),
    "get_grammy_year": Fetcher(get_grammy_year, (*_GRAMMY_YEAR.values(), _ALL_ARTISTS)),
    "get_billboard": Fetcher(get_billboard, (_RANK,)),
    "get_billboard_song": Fetcher(get_billboard_song, (_SEARCH_SONG, _RANKED)),
}
