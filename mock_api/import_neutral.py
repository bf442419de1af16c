"""Reads a folder of the neutral format: JSON lines, one object a line (docs/kg_data.md)."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mock_api.builder import Builder, Read
from mock_api.json_text import dump
from mock_api.reading import Reading, reading
from mock_api.schema import NBA_GAMES, NBA_PLAYS, SOCCER, SOCCER_INDEX
from mock_api.search import normalize
from utils.errors import InputError

# Key of a finance row -> the kind under which the store keeps its value.
FINANCE_KINDS = {
    "price_history": "price_history",
    "detailed_price_history": "detailed_price_history",
    "dividends": "dividends_history",
    "market_cap": "market_capitalization",
    "eps": "eps",
    "pe_ratio": "pe_ratio",
    "info": "info",
}
GRAMMY = ("year", "category", "nominee", "artist", "workers")
Record = dict[str, Any]


def _records(place: Reading, key: str) -> Iterator[Record]:
    """The objects, one a line, each sure to hold `key`."""
    if not place.path.is_file():
        return
    with place.path.open("rb") as stream:
        for line in place.lines(stream):
            if not line.strip():
                continue
            record = json.loads(line)
            if not isinstance(record, dict) or record.get(key) is None:
                raise InputError(f"not an object with {key!r}")
            yield record


def _keyed(key: str) -> Read:
    def read(place: Reading) -> Iterator[tuple[str, str]]:
        for record in _records(place, key):
            yield str(record.pop(key)), dump(record)

    return read


def _searched(key: str) -> Read:
    def read(place: Reading) -> Iterator[tuple[int, Any, str, str]]:
        for doc, record in enumerate(_records(place, key)):
            yield doc, record.get("id"), normalize(str(record[key])), dump(record)

    return read


def _columns(key: str, columns: Sequence[str]) -> Read:
    def read(place: Reading) -> Iterator[tuple[Any, ...]]:
        for record in _records(place, key):
            yield tuple(record.get(column) for column in columns)

    return read


def _finance(place: Reading) -> Iterator[tuple[str, str, str]]:
    for record in _records(place, "ticker"):
        for key, kind in FINANCE_KINDS.items():
            if key in record:
                yield str(record["ticker"]), kind, dump(record[key])


def _works(place: Reading) -> Iterator[tuple[Any, str]]:
    for record in _records(place, "artist"):
        yield record["artist"], dump(record.get("works"))


def _billboard_ranks(place: Reading) -> Iterator[tuple[Any, ...]]:
    for row in _records(place, "song"):
        yield _text(row.get("rank")), row.get("date"), row["song"], row.get("artist")


def _billboard_songs(place: Reading) -> Iterator[tuple[Any, ...]]:
    counted = ("rank", "rank_last_week", "weeks_in_chart", "top_position")
    for row in _records(place, "song"):
        yield row["song"], row.get("date"), *(_text(row.get(name)) for name in counted)


def _soccer(place: Reading) -> Iterator[tuple[Any, ...]]:
    for row in _records(place, "team"):
        if row.get("league") is not None:  # a row without one is not served
            day = row.get("date")
            if day is not None and len(str(day)) == 10:  # the API gives the midnight of a day
                row["date"] = f"{day}T00:00:00.000"
            yield tuple(row.get(column) for column in (*SOCCER_INDEX, *SOCCER))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


# Table, the file that fills it, and how it is read.
_TABLES: tuple[tuple[str, str, Read], ...] = (
    ("open", "open", _keyed("name")),
    ("movies", "movies", _searched("title")),
    ("persons", "persons", _searched("name")),
    ("years", "years", _keyed("year")),
    ("companies", "finance_companies", _columns("name", ["name", "ticker"])),
    ("finance", "finance", _finance),
    ("artists", "artists", _keyed("name")),
    ("songs", "songs", _keyed("name")),
    ("works", "artist_works", _works),
    ("grammy", "grammy", _columns("year", GRAMMY)),
    ("billboard_ranks", "billboard", _billboard_ranks),
    ("billboard_songs", "billboard", _billboard_songs),
    ("soccer", "soccer", _soccer),
    ("nba_games", "nba_games", _columns("game_date", [name for name, _ in NBA_GAMES])),
    ("nba_plays", "nba_play_by_play", _columns("game_id", [name for name, _ in NBA_PLAYS])),
)
_COLUMNS_OF_GAMES = {
    "soccer": [(name, "") for name in (*SOCCER_INDEX, *SOCCER)],
    "nba_games": NBA_GAMES,
    "nba_plays": NBA_PLAYS,
}


def is_neutral(folder: Path) -> bool:
    """Whether any file of the neutral format lies in `folder`."""
    return any((folder / f"{name}.jsonl").is_file() for _, name, _ in _TABLES)


def import_neutral(folder: Path, builder: Builder) -> None:
    """Add every fact in `folder` to `builder`. A file that is not there is an empty table.

    Raises:
        InputError: a line is not a JSON object or lacks its key; the message names file and line.
    """
    for table, name, read in _TABLES:
        with reading(folder / f"{name}.jsonl") as place:
            builder.add(table, place.rows(read(place)), _COLUMNS_OF_GAMES.get(table))
