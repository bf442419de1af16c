"""Reads the files of the neutral format: JSON lines, one object a line (docs/kg_data.md).

Each function reads the rows of one table from one file.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from mock_api.builder import TableSource
from mock_api.import_file import Reading, TableRows
from mock_api.json_text import dump
from mock_api.schema import FINANCE_KINDS, columns
from mock_api.search import normalize
from utils.errors import InputError


def _objects(place: Reading, key: str) -> Iterator[dict[str, Any]]:
    """The objects, one a line, each with a value under `key`."""
    with place.path.open("rb") as stream:
        for line in place.lines(stream):
            if not line.strip():
                continue
            record = json.loads(line)
            if not isinstance(record, dict) or record.get(key) is None:
                raise InputError(f"not an object with {key!r}")
            yield record


def _key_and_value(place: Reading, key: str) -> TableRows:
    """(what the object has under `key`, the rest of it as JSON)."""
    for record in _objects(place, key):
        yield record.pop(key), dump(record)


def _numbered_records(place: Reading, key: str) -> TableRows:
    """(number, id, terms by which the record is found, the object as JSON)."""
    for number, record in enumerate(_objects(place, key)):
        yield number, record.get("id"), normalize(str(record[key])), dump(record)


def _column_values(place: Reading, key: str, table: str) -> TableRows:
    """The values of the object under the names of the columns of `table`."""
    names = columns(table)
    for record in _objects(place, key):
        yield tuple(record.get(name) for name in names)


def _finance_values(place: Reading) -> TableRows:
    """(ticker, kind of value, value as JSON)."""
    for record in _objects(place, "ticker"):
        for key, kind in FINANCE_KINDS.items():
            if key in record:
                yield record["ticker"], kind, dump(record[key])


def _works(place: Reading) -> TableRows:
    """(artist, the works as JSON)."""
    for record in _objects(place, "artist"):
        yield record["artist"], dump(record.get("works"))


def _soccer_games(place: Reading) -> TableRows:
    """The rows of games; one without a league is not served."""
    for league, season, team, game, day, *others in _column_values(place, "team", "soccer"):
        if league is None:
            continue
        if day is not None and len(str(day)) == 10:  # the API gives the midnight of a day
            day = f"{day}T00:00:00.000"
        yield league, season, team, game, day, *others


_by_name = partial(_key_and_value, key="name")
_companies = partial(_column_values, key="name", table="companies")
_years = partial(_key_and_value, key="year")
_movies = partial(_numbered_records, key="title")
_persons = partial(_numbered_records, key="name")
_grammy = partial(_column_values, key="year", table="grammy")
_billboard_ranks = partial(_column_values, key="song", table="billboard_ranks")
_billboard_songs = partial(_column_values, key="song", table="billboard_songs")
_nba_games = partial(_column_values, key="game_date", table="nba_games")
_nba_plays = partial(_column_values, key="game_id", table="nba_plays")

SOURCES: tuple[TableSource, ...] = (
    TableSource("open", "open.jsonl", _by_name),
    TableSource("movies", "movies.jsonl", _movies),
    TableSource("persons", "persons.jsonl", _persons),
    TableSource("years", "years.jsonl", _years),
    TableSource("companies", "finance_companies.jsonl", _companies),
    TableSource("finance", "finance.jsonl", _finance_values),
    TableSource("artists", "artists.jsonl", _by_name),
    TableSource("songs", "songs.jsonl", _by_name),
    TableSource("works", "artist_works.jsonl", _works),
    TableSource("grammy", "grammy.jsonl", _grammy),
    TableSource("billboard_ranks", "billboard.jsonl", _billboard_ranks),
    TableSource("billboard_songs", "billboard.jsonl", _billboard_songs),
    TableSource("soccer", "soccer.jsonl", _soccer_games),
    TableSource("nba_games", "nba_games.jsonl", _nba_games),
    TableSource("nba_plays", "nba_play_by_play.jsonl", _nba_plays),
)
