"""Pools of values in the KG that questions may name.

They are read from the KG's SQLite file, which the official KG and ours both become
(mock_api/cache.py). `pools.toml` says where in it the values of each pool are.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from mock_api.store import Store

Drawn = dict[str, str]
Pools = Mapping[str, Sequence[Drawn]]
POOLS, ENGLISH = (Path(__file__).with_name(name) for name in ("pools.toml", "english.toml"))


def pools(store: Store) -> dict[str, list[Drawn]]:
    """The pools that are not empty, by name; each draw fills the places of a question.

    A pool has each draw once, in a fixed order, so that a seed draws the same again.
    """
    rows = read_table(POOLS)["pools"]
    made: dict[str, list[Drawn]] = {}
    for name, row in rows.items():
        how = {**rows.get(row.get("like"), {}), **row}
        if found := {tuple(sorted(drawn.items())): drawn for drawn in _drawn(store, how)}:
            made[name] = [found[key] for key in sorted(found)]
    return made


@cache
def read_table(file: Path) -> dict[str, Any]:
    """One of the two TOML files."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _drawn(store: Store, how: Mapping[str, Any]) -> Iterator[Drawn]:
    places, rows = store.table(how["sql"].format(**read_table(POOLS)["parts"]))
    found = [
        dict(zip(places, map(str, row), strict=True))
        for row in rows
        if all(value is not None and str(value).strip() for value in row)
    ]
    for drawn in found:
        for place, ending in how.get("ending", {}).items():
            drawn[place] = re.sub(f"{ending}$", "", drawn[place])
        for place in how.get("small", ()):
            drawn[place] = " ".join(drawn[place].lower().split())
    if "shared" in how:
        found = _beginnings(found, how["shared"])
    words = read_table(ENGLISH)["words"]
    for drawn in found:
        for place, kind in how.get("say", {}).items():
            drawn[place] = words[kind].get(drawn[place], "")
        if key := drawn.get(how.get("label", "")):
            drawn["label"] = _spoken(key)
        if how.get("yesterday"):
            asked = date.fromisoformat(drawn["day"]) + timedelta(days=1)
            drawn["query_time"] = f"{asked:%m/%d/%Y}, 12:00:00 PT"
        if not all(drawn.values()):
            continue
        if "each" not in how:
            yield drawn
            continue
        kind, place, other = how["each"]
        yield from ({**drawn, place: value, other: word} for value, word in words[kind].items())


def _beginnings(found: Iterable[Drawn], place: str) -> list[Drawn]:
    """The first two words at `place`, where several draws begin with them."""
    titles = [one[place].split() for one in found]
    begins = Counter(" ".join(words[:2]).rstrip(":") for words in titles if len(words) > 1)
    return [{place: name} for name, count in begins.items() if count > 1]


def _spoken(key: str) -> str:
    """The words of a key, such as "full time employees" for "fullTimeEmployees".

    Empty for a key that is not an identifier: nobody would ask for it.
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").lower()
    return words if key.isidentifier() else ""
