"""The schema as text: for a prompt, and as a table of the documentation."""

import tomllib
from functools import lru_cache
from pathlib import Path

from models.kg.schema.functions import Function, Key, Parameter, Type, read_rows
from models.records import Domain

OPEN_KEYS = Path(__file__).with_name("open_keys.toml")


@lru_cache(maxsize=8)
def schema_text(domain: Domain | None = None) -> str:
    """All functions, as shown in a model's prompt; those of `domain` first.

    get_stock_price(name, t1: date?, t2: date?)["date" | "open" $ | …]
    Functions with the same keys share a line.
    """
    lines: dict[str, list[str]] = {}
    for row in sorted(read_rows(), key=lambda row: row.domain is not domain):
        lines.setdefault(_keys_text(row), []).append(_call_text(row))
    return "\n".join(f"{', '.join(calls)}{keys}" for keys, calls in lines.items())


@lru_cache(maxsize=1)
def open_keys() -> dict[str, dict[str, str]]:
    """The most frequent infobox keys by type of entity, and the cue words of each type."""
    return tomllib.loads(OPEN_KEYS.read_text(encoding="utf-8"))


def _call_text(row: Function) -> str:
    return f"{row.name}({', '.join(map(_parameter, row.parameters))})"


def _keys_text(row: Function) -> str:
    keys = " | ".join(_shown(key) for key in row.keys if not key.hidden)
    keys = f"[{keys} | any other key]" if row.any_key else f"[{keys}]"
    if row.domain is Domain.OPEN:
        keys += "".join(f"\n  {k}: {', '.join(v.split())}" for k, v in open_keys()["keys"].items())
    return f"{keys}  # {row.note}" if row.note else keys


def _parameter(parameter: Parameter) -> str:
    kind = "" if parameter.type is Type.TEXT else f": {parameter.type}"
    return f"{parameter.name}{kind}{'?' if parameter.optional else ''}"


def _shown(key: Key) -> str:
    kind = key.unit or ("" if key.type in (Type.TEXT, Type.NUMBER) else str(key.type))
    return f'"{key.name}"{f" {kind}" if kind else ""}'


def schema_table() -> str:
    """All functions and keys as a Markdown table for docs/kg_language.md."""
    lines = ["| function | key | type | unit | gives |", "|---|---|---|---|---|"]
    for row in read_rows():
        name = f"`{_call_text(row)}`"
        for key in (key for key in row.keys if not key.hidden):
            other = f" (also `{'`, `'.join(key.aliases)}`)" if key.aliases else ""
            names = f"; names a {key.entity}" if key.entity else ""
            cells = (name, f"`{key.name}`{other}", key.type, key.unit, f"{key.spoken}{names}")
            lines.append(f"| {' | '.join(cells)} |")
            name = ""
        if row.any_key:
            lines.append(
                f"| {name} | any other | text | as written | what the entity's page says |"
            )
    return "\n".join(lines)
