"""The weights that the settings name: there, whole, those of the table, and in the commit."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from models.paths import Place
from submission.git import committed, content
from submission.tree import Tree, inside
from utils.weights.check import Fault, files_of, read_pointer, sha256
from utils.weights.table import WEIGHTS


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
    for used in _inside(tree):
        model = tree.table.at(Path(used.path))
        if not (tree.root / used.path).exists():
            continue  # of which `weights-missing` speaks
        if model is None:
            yield f"{used.what} = {used.path!r} is not in utils/weights/table.toml"
        elif not model.pinned:
            yield (
                f"{model.name} is not pinned: `python -m utils.weights pin {model.name} "
                f"--from {model.folder}" + (" --revision COMMIT`" if model.repo else "`")
            )


def weights_commit(tree: Tree) -> Iterator[str]:
    """Files that the commit does not hold, as what they are."""
    kept = committed(tree.root, WEIGHTS.as_posix())
    broken = {trouble.file for _, trouble in tree.troubles}
    for used in _inside(tree):
        for file, checksum in _files(tree, used):
            path = file.relative_to(tree.root).as_posix()
            if file in broken or not file.is_file():
                continue  # of which the checks above speak
            if path not in kept:
                yield f"{path} is not committed: `git lfs track` has its pattern, `git add` it"
                continue
            blob = content(tree.root, kept[path])
            pointer = read_pointer(blob)
            held = pointer.sha256 if pointer else hashlib.sha256(blob).hexdigest()
            if held != (checksum or sha256(file)):
                yield f"{path} is not the file that the commit holds: commit it"


def _faults(tree: Tree, fault: Fault) -> Iterator[str]:
    for used, found in tree.troubles:
        if found.fault is fault:
            yield f"{used.what}: {found.says}"


def _inside(tree: Tree) -> Iterator[Place]:
    """What lies, or should, among the weights; `settings` and `network` speak of the rest."""
    return (used for used in tree.used if inside(used.path))


def _files(tree: Tree, used: Place) -> Iterator[tuple[Path, str | None]]:
    """The files of a model and their checksums by the table: those of its row, if it names any."""
    model = tree.table.at(Path(used.path))
    if model is not None and model.files:
        yield from ((tree.root / model.folder / f.path, f.sha256) for f in model.files)
    else:
        yield from ((file, None) for file in files_of(tree.root / used.path))
