"""`python -m training open-keys`: the commonest keys of infoboxes, for the prompt's schema."""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from mock_api.cache import ready_file
from mock_api.store import Store
from models.kg.fetch.infobox import is_apparatus
from models.kg.language.schema import OPEN_KEYS, open_keys

HELP = "count the keys of a KG's infoboxes by kind of entity, and write the commonest for prompts"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--kg", type=Path, required=True, help="a folder of facts or a file")
    parser.add_argument("--keep", type=int, default=14, help="keys of each kind")
    parser.add_argument("--out", type=Path, default=OPEN_KEYS, help=f"default: {OPEN_KEYS.name}")


def run(options: Namespace, console: Console) -> int:
    rows = Store(ready_file(options.kg, console.print)).rows("SELECT value FROM open")
    boxes = [json.loads(value).get("summary_structured") or {} for (value,) in rows]
    found = commonest(boxes, options.keep)
    lines = [f"{kind} = {json.dumps(' '.join(keys))}" for kind, keys in found.items()]
    head = options.out.read_text(encoding="utf-8").partition("[keys]")[0]
    options.out.write_text(f"{head}[keys]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    console.print(f"{options.out}: keys of {len(found)} kinds, from {len(boxes)} entities")
    return 0


def commonest(boxes: Iterable[Mapping[str, Any]], keep: int) -> dict[str, list[str]]:
    """The `keep` commonest keys of each kind of entity, of those with a value that say something of
    the entity. An entity is of the first kind that one of its keys is a cue of."""
    cues = open_keys()["cues"]
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for box in boxes:
        known = {key for key, value in box.items() if value and not is_apparatus(key)}
        kind = next((k for k, some in cues.items() if known & set(some.split())), "other")
        counted[kind].update({key.replace(" ", "_") for key in known} - {"name"})
    return {
        kind: [key for key, _ in sorted(keys.items(), key=lambda item: (-item[1], item[0]))][:keep]
        for kind, keys in sorted(counted.items())
        if kind != "other"
    }
