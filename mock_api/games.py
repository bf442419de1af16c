"""Soccer and NBA games: tables by column, as pandas writes them to JSON."""

import re
from collections.abc import Sequence
from typing import Any

from mock_api.json_text import dump
from mock_api.schema import SOCCER_INDEX
from mock_api.store import Store

NULL = "null"
_DAY, _MONTH, _YEAR = "%Y-%m-%d", "%Y-%m", "%Y"
_FORMATS = {3: _DAY, 2: _MONTH, 1: _YEAR}
_LENGTHS = {3: 10, 2: 7, 1: 4}
_DIGITS = 10  # as many decimals as pandas writes
# The official server puts the team's name between quotes into its SQL. These are the names that
# come out of it as a name and comparisons of constants.
_NAME_AND_CONSTANTS = re.compile(r"([^']*)((?:' or '[^']*'='[^']*)+)", re.I)
_COMPARISON = re.compile(r"' or '([^']*)'='([^']*)", re.I)


def soccer_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none, or for any other `date`."""
    length = _LENGTHS.get(date.count("-") + 1)
    if length is None:
        return NULL
    where, values = "substr(date, 1, ?) = ?", [length, date]
    if team_name is not None:
        where, values = f"{where} AND team = ?", [*values, team_name]
    names, rows = store.table(f"SELECT * FROM soccer WHERE {where} ORDER BY rowid", *values)
    index = [names.index(name) for name in SOCCER_INDEX]
    labels = [str(tuple(row[i] for i in index)) for row in rows]
    return _columns(
        labels, [(n, [row[i] for row in rows]) for i, n in enumerate(names) if i not in index]
    )


def nba_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none.

    A `date` of more than three parts restricts nothing, and a `team_name` that would close its
    quote is read as the official server's SQL reads it: both are its ways, kept without its risk.
    """
    where, values = "1", []
    wanted = _FORMATS.get(date.count("-") + 1)
    if wanted is not None:
        where, values = "strftime(?, game_date) = ?", [wanted, date]
    if team_name is not None:
        team = _team(team_name)
        if team is not None:
            where = f"{where} AND ? IN (team_name_home, team_name_away)"
            values.append(team)
    return _numbered(store, f"SELECT * FROM nba_games WHERE {where} ORDER BY rowid", values)


def nba_plays(store: Store, game_ids: Sequence[str]) -> str:
    """Every event of the games, in stored order; null where there are none."""
    sql = "SELECT * FROM nba_plays WHERE game_id IN (SELECT value FROM json_each(?)) ORDER BY rowid"
    return _numbered(store, sql, [dump(list(game_ids))])


def _team(text: str) -> str | None:
    """The name that `text` means between single quotes in SQL; None where every team is meant."""
    constants = _NAME_AND_CONSTANTS.fullmatch(text)
    if constants is None:
        return text.replace("''", "'")
    name, rest = constants.groups()
    return None if any(left == right for left, right in _COMPARISON.findall(rest)) else name


def _numbered(store: Store, sql: str, values: Sequence[Any]) -> str:
    names, rows = store.table(sql, *values)
    labels = [str(i) for i in range(len(rows))]
    return _columns(labels, [(n, _as_pandas([r[i] for r in rows])) for i, n in enumerate(names)])


def _as_pandas(values: list[Any]) -> list[Any]:
    """A column of numbers as pandas holds it: all of one kind, and a gap makes it floats."""
    numbers = [v for v in values if v is not None]
    if not all(isinstance(v, int | float) for v in numbers):
        return values
    if len(numbers) < len(values) or any(isinstance(v, float) for v in numbers):
        return [None if v is None else float(v) for v in values]
    return values


def _columns(labels: list[str], columns: list[tuple[str, list[Any]]]) -> str:
    """{column: {label: value}}; null where there are no rows."""
    if not labels:
        return NULL
    return dump(
        {name: dict(zip(labels, map(_rounded, column), strict=True)) for name, column in columns}
    )


def _rounded(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value
