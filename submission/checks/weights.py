"""The weights that the settings name: whole, pinned, committed; adapters that fit their models."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from models.llm.adapters import max_rank, read_adapter
from models.llm.config import LLMSettings
from models.llm.errors import AdapterIncompatible, ModelMissing
from submission.git import git, git_bytes
from submission.tree import Tree
from submission.weights.table import WEIGHTS
from utils.lfs import read_pointer
from utils.model_files import Defect


def weights_with(defect: Defect, tree: Tree) -> Iterator[str]:
    """Files that have this defect."""
    for place, problem in tree.problems:
        if problem.defect is defect:
            yield f"{place.what}: {problem.says}"


def weights_pinned(tree: Tree) -> Iterator[str]:
    """Models that the table does not know, or whose bytes are not pinned."""
    for place in tree.weights:
        if not (tree.root / place.path).exists():
            continue  # `weights-missing` reports it
        model = tree.table.at(Path(place.path))
        if model is None:
            yield f"{place.what} = {place.path!r} is not in submission/weights/table.toml"
        elif model.pin is None:
            revision = " --revision COMMIT" if model.repo else ""
            command = f"crag weights pin {model.name} --from {model.folder}{revision}"
            yield f"{model.name} is not pinned: `{command}`"


def weights_commit(tree: Tree) -> Iterator[str]:
    """Pinned files that the commit lacks, or holds with other bytes."""
    blobs = _committed_blobs(tree.root)
    broken = {problem.file for _, problem in tree.problems}  # the checks above report them
    for place in tree.weights:
        model = tree.table.at(Path(place.path))
        if model is None or model.pin is None:
            continue
        for name, pin in model.pin.files.items():
            path = (model.folder / name).as_posix()
            if tree.root / path in broken:
                continue
            if path not in blobs:
                yield f"{path} is not committed: `git lfs track` has its pattern, `git add` it"
            elif _committed_sha256(tree.root, blobs[path]) != pin.sha256:
                yield f"{path} is not the file that the commit holds: commit it"


def adapters(tree: Tree) -> Iterator[str]:
    """Adapters of other shapes than their base, or of a rank that vLLM has no room for."""
    broken = {problem.file.parent for _, problem in tree.problems}  # the checks above report them
    for llm in tree.settings.llms.values():
        base = tree.root / llm.place
        if llm.kind == "openai" or not (base / "config.json").is_file():
            continue
        whole = {
            name: path for name, path in llm.adapters.items() if tree.root / path not in broken
        }
        try:
            _check_adapters(tree.root, llm, whole)
        except ModelMissing:
            continue  # `weights-missing` reports it
        except AdapterIncompatible as error:
            yield str(error)


def _committed_blobs(root: Path) -> dict[str, str]:
    """The names of git's objects for the weights in the commit, by path."""
    listing = git(root, "ls-tree", "-r", "-z", "HEAD", "--", WEIGHTS.as_posix())
    blobs = {}
    for row in filter(None, listing.split("\0")):
        head, path = row.split("\t", 1)
        blobs[path] = head.split()[2]
    return blobs


def _committed_sha256(root: Path, blob: str) -> str:
    """The checksum of a committed file: that of its LFS pointer, else of its bytes."""
    content = git_bytes(root, "cat-file", "blob", blob)
    pointer = read_pointer(content)
    if pointer is not None:
        return pointer.sha256
    return hashlib.sha256(content).hexdigest()


def _check_adapters(root: Path, llm: LLMSettings, paths: dict[str, str]) -> None:
    """Raise AdapterIncompatible if one does not fit, ModelMissing if a file is not there."""
    base = root / llm.place
    loaded = [read_adapter(name, str(root / path), base) for name, path in paths.items()]
    if loaded and llm.kind == "vllm":
        max_rank(loaded)
