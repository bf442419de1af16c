"""Models brought into the tree, and rows of the table filled in."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from utils.weights.check import WeightsError, sha256, trouble
from utils.weights.hub import PART, Hub
from utils.weights.table import File, Model

Say = Callable[[str], None]
# Of a model on the hub, what is neither loaded nor needed beside what is: other formats of the same
# weights, pictures, the licence's many copies.
_KEPT = (".json", ".safetensors", ".sqlite", ".txt", ".model")
_LEFT_OUT = ("original/", "onnx/", "openvino/", ".git")


def fetch(model: Model, root: Path, hub: Hub, source: Path | None = None, say: Say = print) -> None:
    """Put the files of `model` into its folder below `root`, each verified; whole ones are kept.

    Args:
        model: a pinned row of the table.
        root: the project's root.
        hub: where files come from that `source` has not.
        source: a folder that holds the model's folder by its last name, or is it.
        say: takes a line of what is done.

    Raises:
        WeightsError: the row is not pinned, or a file cannot be had or is not the table's.
    """
    if not model.pinned:
        raise WeightsError(
            f"{model.name} is not pinned in the table: `python -m utils.weights pin {model.name} "
            f"--from FOLDER --revision COMMIT`, or `pin {model.name} --hub`"
        )
    folder = root / model.folder
    for expected in model.files:
        file = folder / expected.path
        if trouble(file, expected) is None:
            say(f"{file}: there")
            continue
        _bring(model, expected, file, hub, source)
        found = trouble(file, expected)
        if found:
            file.unlink()  # a next attempt begins afresh, not behind wrong bytes
            raise WeightsError(f"{model.name}: what came is not the table's: {found.says}")
        say(f"{file}: fetched")


def pin_local(model: Model, folder: Path, revision: str = "") -> Model:
    """The row of `model` with the sizes and checksums of the files in `folder`.

    Raises:
        WeightsError: the folder lacks a file of the row or holds one that is not whole, or
            `revision` is not given for a model of the hub.
    """
    revision = revision or model.revision
    if model.repo and not revision:
        raise WeightsError(f"say with --revision which commit of {model.repo} {folder} is")
    paths = [entry.path for entry in model.files] or sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    kept = [path for path in paths if wanted(path)]
    if not kept:
        raise WeightsError(f"{folder} holds no files of a model")
    for path in kept:
        found = trouble(folder / path)
        if found:
            raise WeightsError(found.says)
    files = [File(p, (folder / p).stat().st_size, sha256(folder / p)) for p in kept]
    return replace(model, revision=revision, files=tuple(files))


def pin_hub(model: Model, hub: Hub, root: Path, revision: str = "main", say: Say = print) -> Model:
    """The row of `model` as the hub serves it now; its small files are fetched for their checksums.

    Raises:
        WeightsError: the hub has no such model, or lacks a file of the row.
    """
    if not model.repo:
        raise WeightsError(f"{model.name} comes from no hub: pin it from a local copy")
    commit, served = hub.files(model.repo, revision)
    by_path = {entry.path: entry for entry in served}
    paths = [entry.path for entry in model.files] or sorted(p for p in by_path if wanted(p))
    missing = [path for path in paths if path not in by_path]
    if missing:
        raise WeightsError(f"{model.repo} at {commit} has no {missing[0]}")
    files = []
    for path in paths:
        checksum = by_path[path].sha256
        if checksum is None:
            file = root / model.folder / path
            hub.download(model.repo, commit, path, file)
            checksum = sha256(file)
        files.append(File(path, by_path[path].size, checksum))
        say(f"{path}: {by_path[path].size} bytes, {checksum}")
    return replace(model, revision=commit, files=tuple(files))


def wanted(path: str) -> bool:
    """Whether a file of a model's repository is loaded by anything of ours."""
    return path.endswith(_KEPT) and not path.startswith(_LEFT_OUT)


def places(model: Model, source: Path) -> Sequence[Path]:
    """Where below `source` the folder of `model` may be."""
    return (source / model.folder.name, source / model.name, source)


def _bring(model: Model, expected: File, file: Path, hub: Hub, source: Path | None) -> None:
    local = [place / expected.path for place in places(model, source)] if source else []
    there = next((path for path in local if trouble(path, expected) is None), None)
    file.parent.mkdir(parents=True, exist_ok=True)
    if there is not None:
        part = file.with_name(file.name + PART)
        shutil.copyfile(there, part)
        part.replace(file)
    elif not model.repo:
        where = source or "no folder: give one with --from"
        raise WeightsError(f"{model.name}: {expected.path} of the table is not in {where}")
    else:
        hub.download(model.repo, model.revision, expected.path, file)
