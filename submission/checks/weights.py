"""The weights that the settings name: there, whole, those of the table, and in the commit."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from submission.git import committed, content
from submission.tree import Tree, Used
from utils.weights.check import Fault, Trouble, read_pointer, sha256, trouble, troubles
from utils.weights.table import WEIGHTS, Model

_INDEX = "model.safetensors.index.json"


def weights_missing(tree: Tree) -> Iterator[str]:
    """Files that are not there."""
    return _faults(tree, Fault.MISSING)


def weights_pointer(tree: Tree) -> Iterator[str]:
    """Pointers of git-lfs in place of files."""
    return _faults(tree, Fault.POINTER)


def weights_truncated(tree: Tree) -> Iterator[str]:
    """Files shorter than the table or their own header says."""
    return _faults(tree, Fault.TRUNCATED)


def weights_changed(tree: Tree) -> Iterator[str]:
    """Files that are not those of the table."""
    return _faults(tree, Fault.CHANGED)


def weights_pinned(tree: Tree) -> Iterator[str]:
    """Models that the table does not know, or not to the byte."""
    for used in _within(tree):
        model = _row(tree, used)
        if not (tree.root / used.path).exists():
            continue  # of which `weights-missing` speaks
        if model is None:
            yield f"{used.what} = {used.path!r} is not in utils/weights/table.toml"
        elif not model.pinned:
            yield (
                f"{model.name} is not pinned: `python -m utils.weights pin {model.name} "
                f"--from {used.path}" + (" --revision COMMIT`" if model.repo else "`")
            )


def weights_commit(tree: Tree) -> Iterator[str]:
    """Files that the commit does not hold, as what they are."""
    inside = committed(tree.root, WEIGHTS.as_posix())
    for used in _within(tree):
        for file in _files(tree.root / used.path):
            path = file.relative_to(tree.root).as_posix()
            if read_pointer(_beginning(file)):
                continue  # of which `weights-pointer` speaks
            if path not in inside:
                yield f"{path} is not committed: `git lfs track` has its pattern, `git add` it"
                continue
            kept = content(tree.root, inside[path])
            pointer = read_pointer(kept)
            size = pointer.size if pointer else len(kept)
            checksum = pointer.sha256 if pointer else hashlib.sha256(kept).hexdigest()
            if size != file.stat().st_size or checksum != sha256(file):
                yield f"{path} is not the file that the commit holds: commit it"


def _faults(tree: Tree, fault: Fault) -> Iterator[str]:
    for used in _within(tree):
        for found in _troubles(tree, used):
            if found.fault is fault:
                yield f"{used.what}: {found.says}"


def _troubles(tree: Tree, used: Used) -> Iterator[Trouble]:
    """What is wrong with it by the table where that is pinned, else by what it says of itself."""
    place = tree.root / used.path
    model = _row(tree, used)
    if model is not None and model.files:
        yield from troubles(model, tree.root)
        return
    if not place.exists():
        yield Trouble(place, Fault.MISSING, f"{place} is not there")
    for file in _files(place):
        found = trouble(file)
        if found:
            yield found
    yield from _shards(place)


def _shards(folder: Path) -> Iterator[Trouble]:
    """Parts of a model that its index names and that are not there."""
    try:
        named = json.loads((folder / _INDEX).read_text(encoding="utf-8"))["weight_map"].values()
    except (OSError, ValueError, KeyError, AttributeError):
        return
    for name in sorted(set(named)):
        if not (folder / name).is_file():
            yield Trouble(folder / name, Fault.MISSING, f"{folder / name} is not there")


def _beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(1024)


def _within(tree: Tree) -> Iterator[Used]:
    """What is named and lies, or should, among the weights; `network` speaks of the rest."""
    for used in tree.used():
        if Path(used.path).parts[:2] == WEIGHTS.parts and ".." not in Path(used.path).parts:
            yield used


def _row(tree: Tree, used: Used) -> Model | None:
    path = Path(used.path)
    rows = tree.table.models.values()
    return next((m for m in rows if m.folder == path or m.folder in path.parents), None)


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return sorted(p for p in place.rglob("*") if p.is_file() and not p.name.endswith(".part"))
