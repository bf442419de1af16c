"""The schema as text: for a prompt, and as a table of the documentation."""

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from models.kg.schema.functions import Function, Key, Parameter, Type, read_rows
from models.records import Domain
from utils.errors import InputError

OPEN_KEYS = Path(__file__).with_name("open_keys.toml")


class OpenKeys(BaseModel):
    """The most frequent infobox keys of open-domain entities.

    Attributes:
        cues: the keys that show of which type an entity is.
        keys: the most frequent keys by type of entity, as prompts list them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cues: dict[str, tuple[str, ...]]
    keys: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def open_keys() -> OpenKeys:
    """The most frequent infobox keys, from `open_keys.toml`."""
    return OpenKeys.model_validate(tomllib.loads(OPEN_KEYS.read_text(encoding="utf-8")))


@lru_cache(maxsize=8)
def schema_text(domain: Domain | None = None) -> str:
    """All functions, as shown in a model's prompt; those of `domain` first.

    get_stock_price(name, t1: date?, t2: date?)["date" | "open" $ | …]
    Functions with the same keys share a line.
    """
    calls_by_keys: dict[str, list[str]] = {}
    for row in sorted(read_rows(), key=lambda row: row.domain is not domain):
        calls_by_keys.setdefault(_keys_text(row), []).append(_call_text(row))
    return "\n".join(f"{', '.join(calls)}{keys}" for keys, calls in calls_by_keys.items())


def schema_table() -> str:
    """All functions and keys as a Markdown table for docs/kg_reference.md."""
    lines = ["| function | key | type | unit | gives |", "|---|---|---|---|---|"]
    for row in read_rows():
        function_cell = f"`{_call_text(row)}`"
        for cells in _key_cells(row):
            lines.append(f"| {' | '.join((function_cell, *cells))} |")
            function_cell = ""  # it stands in the first line only
    return "\n".join(lines)


def with_schema_table(page: str) -> str:
    """A Markdown page with the current table in place of the one in it.

    Raises:
        InputError: the page has no such table.
    """
    header = schema_table().splitlines()[0]
    lines = page.splitlines()
    if header not in lines:
        raise InputError(f"the page has no table that begins with {header!r}")
    start = lines.index(header)
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return "\n".join([*lines[:start], schema_table(), *lines[end:]]) + "\n"


def _key_cells(row: Function) -> Iterator[tuple[str, str, str, str]]:
    """The cells of each key: its names, type, unit, and what it gives."""
    for key in row.keys:
        if key.hidden:
            continue
        names = f"`{key.name}`"
        if key.aliases:
            names += f" (also `{'`, `'.join(key.aliases)}`)"
        gives = key.spoken
        if key.entity:
            gives += f"; names a {key.entity}"
        yield names, key.type, key.unit, gives
    if row.any_key:
        yield "any other", "text", "as written", "what the entity's page says"


def _call_text(row: Function) -> str:
    # The first argument is always written, as None where it is open: the grammar demands it.
    texts = []
    for place, parameter in enumerate(row.parameters):
        texts.append(_parameter_text(parameter, may_be_omitted=parameter.optional and place > 0))
    return f"{row.name}({', '.join(texts)})"


def _keys_text(row: Function) -> str:
    keys = [_key_text(key) for key in row.keys if not key.hidden]
    if row.any_key:
        keys.append("any other key")
    text = f"[{' | '.join(keys)}]"
    if row.domain is Domain.OPEN:
        for kind, names in open_keys().keys.items():
            text += f"\n  {kind}: {', '.join(names)}"
    return f"{text}  # {row.note}" if row.note else text


def _parameter_text(parameter: Parameter, *, may_be_omitted: bool) -> str:
    text = parameter.name
    if parameter.type is not Type.TEXT:
        text += f": {parameter.type}"
    return f"{text}?" if may_be_omitted else text


def _key_text(key: Key) -> str:
    text = f'"{key.name}"'
    if key.unit:
        return f"{text} {key.unit}"
    if key.type in (Type.TEXT, Type.NUMBER):
        return text
    return f"{text} {key.type}"
