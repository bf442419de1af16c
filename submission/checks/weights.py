"""The weights that the settings name: whole, pinned, committed; adapters that fit their models."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from models.llm.adapters import max_rank, read_adapter
from models.llm.errors import AdapterIncompatible, ModelMissing
from submission.git import git, git_bytes
from submission.tree import Tree
from submission.weights.table import WEIGHTS
from utils.model_files import Defect, read_pointer


def weights_with(defect: Defect, tree: Tree) -> Iterator[str]:
    """Files that have this defect."""
    return (f"{used.what}: {found.says}" for used, found in tree.problems if found.defect is defect)


def weights_pinned(tree: Tree) -> Iterator[str]:
    """Models that the table does not know, or whose bytes are not pinned."""
    for used in tree.weights:
        model = tree.table.at(Path(used.path))
        if not (tree.root / used.path).exists():
            continue  # `weights-missing` reports it
        if model is None:
            yield f"{used.what} = {used.path!r} is not in submission/weights/table.toml"
        elif model.pin is None:
            revision = " --revision COMMIT" if model.repo else ""
            yield (
                f"{model.name} is not pinned: `python -m submission.weights pin {model.name} "
                f"--from {model.folder}{revision}`"
            )


def weights_commit(tree: Tree) -> Iterator[str]:
    """Pinned files that the commit lacks, or holds with other bytes."""
    listed = git(tree.root, "ls-tree", "-r", "-z", "HEAD", "--", WEIGHTS.as_posix())
    rows = (row.split("\t", 1) for row in listed.split("\0") if row)
    kept = {path: head.split()[2] for head, path in rows}
    broken = {problem.file for _, problem in tree.problems}  # the checks above report them
    for used in tree.weights:
        model = tree.table.at(Path(used.path))
        if model is None or model.pin is None:
            continue
        for name, pin in model.pin.files.items():
            path = (model.folder / name).as_posix()
            if tree.root / path in broken:
                continue
            if path not in kept:
                yield f"{path} is not committed: `git lfs track` has its pattern, `git add` it"
                continue
            blob = git_bytes(tree.root, "cat-file", "blob", kept[path])
            pointer = read_pointer(blob)
            held = pointer.sha256 if pointer else hashlib.sha256(blob).hexdigest()
            if held != pin.sha256:
                yield f"{path} is not the file that the commit holds: commit it"


def adapters(tree: Tree) -> Iterator[str]:
    """Adapters of other shapes than their base, or of a rank that vLLM has no room for."""
    broken = {problem.file.parent for _, problem in tree.problems}
    for llm in tree.settings.llms.values():
        base = tree.root / llm.place
        if llm.kind == "openai" or not (base / "config.json").is_file():
            continue
        found = []
        try:
            for name, path in llm.adapters.items():
                if tree.root / path in broken:
                    continue  # the checks above report it
                found.append(read_adapter(name, str(tree.root / path), base))
            if found and llm.kind == "vllm":
                max_rank(found)
        except ModelMissing:
            continue  # `weights-missing` reports it
        except AdapterIncompatible as error:
            yield str(error)
