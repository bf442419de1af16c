"""Reads the files of the neutral format: JSON lines, one object a line (docs/kg_data.md).

Each function reads the rows of one table from one file.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from mock_api.builder import Source
from mock_api.json_text import dump
from mock_api.reading import Reading
from mock_api.schema import FINANCE_KINDS, columns
from mock_api.search import normalize
from utils.errors import InputError


def _records(place: Reading, key: str) -> Iterator[dict[str, Any]]:
    """The objects, one a line, each sure to hold `key`."""
    with place.path.open("rb") as stream:
        for line in place.lines(stream):
            if not line.strip():
                continue
            record = json.loads(line)
            if not isinstance(record, dict) or record.get(key) is None:
                raise InputError(f"not an object with {key!r}")
            yield record


def _keyed(place: Reading, key: str) -> Iterator[tuple[Any, str]]:
    for record in _records(place, key):
        yield record.pop(key), dump(record)


def _searched(place: Reading, key: str) -> Iterator[tuple[int, Any, str, str]]:
    for doc, record in enumerate(_records(place, key)):
        yield doc, record.get("id"), normalize(str(record[key])), dump(record)


def _columns(place: Reading, key: str, table: str) -> Iterator[tuple[Any, ...]]:
    """A row has what each column of `table` is called in the object."""
    names = columns(table)
    for record in _records(place, key):
        yield tuple(record.get(name) for name in names)


def _finance(place: Reading) -> Iterator[tuple[Any, str, str]]:
    for record in _records(place, "ticker"):
        for key, kind in FINANCE_KINDS.items():
            if key in record:
                yield record["ticker"], kind, dump(record[key])


def _works(place: Reading) -> Iterator[tuple[Any, str]]:
    for record in _records(place, "artist"):
        yield record["artist"], dump(record.get("works"))


def _soccer(place: Reading) -> Iterator[tuple[Any, ...]]:
    for league, season, team, game, day, *others in _columns(place, "team", "soccer"):
        if league is not None:  # a row without one is not served
            if day is not None and len(str(day)) == 10:  # the API gives the midnight of a day
                day = f"{day}T00:00:00.000"
            yield league, season, team, game, day, *others


SOURCES: tuple[Source, ...] = (
    ("open", "open.jsonl", partial(_keyed, key="name")),
    ("movies", "movies.jsonl", partial(_searched, key="title")),
    ("persons", "persons.jsonl", partial(_searched, key="name")),
    ("years", "years.jsonl", partial(_keyed, key="year")),
    ("companies", "finance_companies.jsonl", partial(_columns, key="name", table="companies")),
    ("finance", "finance.jsonl", _finance),
    ("artists", "artists.jsonl", partial(_keyed, key="name")),
    ("songs", "songs.jsonl", partial(_keyed, key="name")),
    ("works", "artist_works.jsonl", _works),
    ("grammy", "grammy.jsonl", partial(_columns, key="year", table="grammy")),
    ("billboard_ranks", "billboard.jsonl", partial(_columns, key="song", table="billboard_ranks")),
    ("billboard_songs", "billboard.jsonl", partial(_columns, key="song", table="billboard_songs")),
    ("soccer", "soccer.jsonl", _soccer),
    ("nba_games", "nba_games.jsonl", partial(_columns, key="game_date", table="nba_games")),
    ("nba_plays", "nba_play_by_play.jsonl", partial(_columns, key="game_id", table="nba_plays")),
)
