"""Artists, songs, the Grammys and the chart."""

from string import capwords
from typing import Any

from models.kg.baseline.protocol import Fact, Growing, Lookup, facts_of
from models.kg.fetch.protocol import search
from utils.crag_api import Call

ARTIST = {
    "birth_place": "/music/get_artist_birth_place",
    "birth_date": "/music/get_artist_birth_date",
    "members": "/music/get_members",
    "lifespan": "/music/get_lifespan",
    "works": "/music/get_artist_all_works",
    "grammy_count": "/music/grammy_get_award_count_by_artist",
    "grammy_years": "/music/grammy_get_award_date_by_artist",
}
SONG = {
    "author": "/music/get_song_author",
    "release_date": "/music/get_song_release_date",
    "release_country": "/music/get_song_release_country",
    "grammy_count": "/music/grammy_get_award_count_by_song",
    "chart": "/music/get_billboard_attributes",
}
GRAMMYS = {
    "best_new_artist": "/music/grammy_get_best_artist_by_year",
    "album_of_the_year": "/music/grammy_get_best_album_by_year",
    "song_of_the_year": "/music/grammy_get_best_song_by_year",
}
_ALL_ARTISTS = "/music/grammy_get_all_awarded_artists"
_CHART = ("rank", "rank_last_week", "top_position", "weeks_in_chart")


def tree(lookup: Lookup) -> Growing:
    """Facts by the kind of lookup: an artist or band, a song, a year's Grammys, or a chart rank."""
    match lookup.kind:
        case "artist":
            return (yield from _of(lookup, ARTIST, "/music/search_artist_entity_by_name"))
        case "song":
            return (yield from _of(lookup, SONG, "/music/search_song_entity_by_name"))
        case "grammys":
            return (yield from _grammys(lookup))
        case _:
            return (yield from _rank(lookup))


def _of(lookup: Lookup, endpoints: dict[str, str], finder: str) -> Growing:
    """The requested facts of the artist or song of that name, as spelled by the KG."""
    found = yield from search(finder, lookup.name, str)
    found.sort(key=lambda own: own != lookup.name)  # exact spelling first
    if not found:
        return []
    name = str(found[0])
    wanted = [what for what in lookup.wanted if what in endpoints]
    wanted = wanted or [what for what in endpoints if what != "chart"]
    plain = [what for what in wanted if what != "chart"]
    values = yield [Call(endpoints[what], {"query": _asked(what, name)}) for what in plain]
    facts = list(facts_of(name, list(zip(map(_spoken, plain), map(_said, values), strict=True))))
    period = lookup.period
    if "chart" in wanted and period is not None:
        day = period.first.isoformat()
        ranks = yield [
            Call(endpoints["chart"], {"date": day, "attribute": part, "song_name": name})
            for part in _CHART
        ]
        labels = [f"{_spoken(part)} in the Hot 100 on {day}" for part in _CHART]
        facts = [*facts_of(name, list(zip(labels, ranks, strict=True))), *facts]
    return facts


def _asked(what: str, name: str) -> str:
    # award titles capitalise every word
    return capwords(name) if what == "grammy_count" else name


def _grammys(lookup: Lookup) -> Growing:
    year = lookup.year
    if year is None:
        (everyone,) = yield [Call(_ALL_ARTISTS)]
        return list(facts_of("Grammys", [("best new artists of all years", everyone)]))
    wanted = [what for what in lookup.wanted if what in GRAMMYS] or list(GRAMMYS)
    values = yield [Call(GRAMMYS[what], {"query": int(year)}) for what in wanted]
    rows = list(zip(map(_spoken, wanted), values, strict=True))
    return list(facts_of(f"Grammys of {year}", rows))


def _rank(lookup: Lookup) -> Growing:
    """The song at a chart rank, which is the name here, on the requested day."""
    period = lookup.period
    if not lookup.name.isdecimal() or period is None:
        return []
    day = period.first.isoformat()
    params = {"rank": int(lookup.name), "date": day}
    (found,) = yield [Call("/music/get_billboard_rank_date", params)]
    songs, artists = found if isinstance(found, list) and len(found) == 2 else (None, None)
    relation = f"rank {lookup.name} on {day}"
    return [
        Fact("Billboard Hot 100", relation, f"{song}, by {artist}")
        for song, artist in zip(songs or [], artists or [], strict=False)
    ]


def _said(value: Any) -> Any:
    """A lifespan's start and end as one text; other values unchanged."""
    if isinstance(value, list) and len(value) == 2 and None in value:
        return f"{value[0] or '?'} to {value[1] or 'today'}" if any(value) else None
    return value


def _spoken(name: str) -> str:
    return name.replace("_", " ")
