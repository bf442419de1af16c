"""Reads a folder of the neutral format: JSON lines, one object a line (docs/kg_data.md)."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mock_api.builder import Builder
from mock_api.json_text import dump
from mock_api.schema import NBA_GAMES, NBA_PLAYS, SOCCER, SOCCER_INDEX
from mock_api.search import normalize
from utils.errors import InputError

FILES = (
    "open movies persons years finance_companies finance artists songs artist_works grammy "
    "billboard soccer nba_games nba_play_by_play"
).split()
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
Record = dict[str, Any]


def is_neutral(folder: Path) -> bool:
    """Whether any file of the neutral format lies in `folder`."""
    return any((folder / f"{name}.jsonl").is_file() for name in FILES)


def import_neutral(folder: Path, builder: Builder) -> None:
    """Hand every fact in `folder` to `builder`. A file that is not there is an empty table.

    Raises:
        InputError: a line is not a JSON object or lacks its key; the message names file and line.
    """
    builder.add("open", _keyed(folder, "open", "name"))
    builder.add("movies", _searched(folder, "movies", "title"))
    builder.add("persons", _searched(folder, "persons", "name"))
    builder.add("years", _keyed(folder, "years", "year"))
    builder.add("companies", _columns(folder, "finance_companies", "name", ["name", "ticker"]))
    builder.add("finance", _finance(folder))
    builder.add("artists", _keyed(folder, "artists", "name"))
    builder.add("songs", _keyed(folder, "songs", "name"))
    works = _rows(folder, "artist_works", "artist")
    builder.add("works", ((row["artist"], dump(row.get("works"))) for row in works))
    grammy = ["year", "category", "nominee", "artist", "workers"]
    builder.add("grammy", _columns(folder, "grammy", "year", grammy))
    _import_billboard(folder, builder)
    _import_games(folder, builder)


def _rows(folder: Path, name: str, key: str) -> Iterator[Record]:
    """The objects of `name`.jsonl, each sure to hold `key`."""
    path = folder / f"{name}.jsonl"
    if not path.is_file():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}:{number}: not JSON: {error}") from error
            if not isinstance(row, dict) or row.get(key) is None:
                raise InputError(f"{path}:{number}: not an object with {key!r}")
            yield row


def _keyed(folder: Path, name: str, key: str) -> Iterator[tuple[str, str]]:
    for row in _rows(folder, name, key):
        yield str(row.pop(key)), dump(row)


def _searched(folder: Path, name: str, key: str) -> Iterator[tuple[int, Any, str, str]]:
    for doc, row in enumerate(_rows(folder, name, key)):
        yield doc, row.get("id"), normalize(str(row[key])), dump(row)


def _columns(
    folder: Path, name: str, key: str, columns: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    for row in _rows(folder, name, key):
        yield tuple(row.get(column) for column in columns)


def _finance(folder: Path) -> Iterator[tuple[str, str, str]]:
    for row in _rows(folder, "finance", "ticker"):
        for key, kind in FINANCE_KINDS.items():
            if key in row:
                yield str(row["ticker"]), kind, dump(row[key])


def _import_billboard(folder: Path, builder: Builder) -> None:
    rows = list(_rows(folder, "billboard", "song"))
    builder.add(
        "billboard_ranks",
        ((_text(r.get("rank")), r.get("date"), r["song"], r.get("artist")) for r in rows),
    )
    counted = ("rank", "rank_last_week", "weeks_in_chart", "top_position")
    builder.add(
        "billboard_songs",
        ((r["song"], r.get("date"), *(_text(r.get(name)) for name in counted)) for r in rows),
    )


def _import_games(folder: Path, builder: Builder) -> None:
    # A soccer row without a league is not served.
    soccer = (row for row in _rows(folder, "soccer", "team") if row.get("league") is not None)
    columns = (*SOCCER_INDEX, *SOCCER)
    builder.add_games(
        "soccer",
        [(name, "") for name in columns],
        ([_midnight(row) if c == "date" else row.get(c) for c in columns] for row in soccer),
    )
    for table, name, key, spec in (
        ("nba_games", "nba_games", "game_date", NBA_GAMES),
        ("nba_plays", "nba_play_by_play", "game_id", NBA_PLAYS),
    ):
        builder.add_games(table, spec, _columns(folder, name, key, [c for c, _ in spec]))


def _midnight(row: Record) -> str | None:
    """A day as the API gives it, at the midnight that begins it."""
    day = row.get("date")
    return f"{day}T00:00:00.000" if day is not None and len(str(day)) == 10 else day


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
