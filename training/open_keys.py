"""The commonest keys of a KG's infoboxes, for the prompt's part on the schema."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mock_api.store import Store
from models.kg.fetch.infobox import is_apparatus
from models.kg.language.schema import open_keys


def write_open_keys(store: Store, keep: int, out: Path) -> str:
    """Replace the keys in the file `out` by the `keep` commonest of each kind of entity in `store`.
    Returns a sentence on what was counted."""
    rows = store.rows("SELECT value FROM open")
    boxes = [json.loads(value).get("summary_structured") or {} for (value,) in rows]
    found = commonest(boxes, keep)
    lines = [f"{kind} = {json.dumps(' '.join(keys))}" for kind, keys in found.items()]
    head = out.read_text(encoding="utf-8").partition("[keys]")[0]
    out.write_text(f"{head}[keys]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return f"keys of {len(found)} kinds, from {len(boxes)} entities"


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
