"""The commonest keys of a KG's infoboxes, for the prompt's part on the schema."""

import json
from collections import Counter, defaultdict
from pathlib import Path

from mock_api.store import Store
from models.kg.execution.fetch.infobox import is_apparatus
from models.kg.schema.prompt_text import open_keys


def write_open_keys(store: Store, keep: int, out: Path) -> str:
    """Replace the keys in the file `out` by the `keep` commonest of each kind of entity in `store`,
    of those with a value that say something of the entity. An entity is of the first kind that one
    of its keys is a cue of. Returns a sentence on what was counted."""
    cues = open_keys().cues
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    rows = store.rows("SELECT value FROM open")
    for (value,) in rows:
        box = json.loads(value).get("summary_structured") or {}
        known = {key for key, said in box.items() if said and not is_apparatus(key)}
        kind = next((k for k, some in cues.items() if known & set(some)), "other")
        counted[kind].update({key.replace(" ", "_") for key in known} - {"name"})
    counted.pop("other", None)
    lines = []
    for kind, keys in sorted(counted.items()):
        ranked = sorted(keys, key=lambda key: (-keys[key], key))
        lines.append(f"{kind} = {json.dumps(ranked[:keep])}\n")
    head = out.read_text(encoding="utf-8").partition("[keys]")[0]
    out.write_text(f"{head}[keys]\n{''.join(lines)}", encoding="utf-8")
    return f"keys of {len(counted)} kinds, from {len(rows)} entities"
