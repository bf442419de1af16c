"""The commonest keys of a KG's infoboxes, for the prompt's part on the schema."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from pathlib import Path

from mock_api.store import Store
from models.kg.execution.fetch.infobox import is_apparatus
from models.kg.schema.prompt_text import open_keys

_OTHER = "other"  # the kind of an entity without any cue


def write_open_keys(store: Store, keep: int, out: Path) -> str:
    """A sentence on what was counted.

    Replaces the keys in the file `out` by the `keep` commonest of each kind of entity in `store`,
    of those with a value that say something of the entity. An entity is of the first kind that one
    of its keys is a cue of.
    """
    cues = open_keys().cues
    counts_by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    rows = store.rows("SELECT value FROM open")
    for (value,) in rows:
        infobox = json.loads(value).get("summary_structured") or {}
        keys = {key for key, content in infobox.items() if content and not is_apparatus(key)}
        identifiers = {key.replace(" ", "_") for key in keys}
        identifiers.discard("name")
        kind = _kind_of_entity(keys, cues)
        counts_by_kind[kind].update(identifiers)
    counts_by_kind.pop(_OTHER, None)
    text, _, _ = out.read_text(encoding="utf-8").partition("[keys]")
    text += "[keys]\n"
    for kind, counts in sorted(counts_by_kind.items()):
        commonest = sorted(counts, key=lambda key: (-counts[key], key))[:keep]
        value = json.dumps(commonest)
        text += f"{kind} = {value}\n"
    out.write_text(text, encoding="utf-8")
    return f"keys of {len(counts_by_kind)} kinds, from {len(rows)} entities"


def _kind_of_entity(keys: Set[str], cues: Mapping[str, tuple[str, ...]]) -> str:
    for kind, keys_of_kind in cues.items():
        if not keys.isdisjoint(keys_of_kind):
            return kind
    return _OTHER
