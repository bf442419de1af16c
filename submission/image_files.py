"""The files that the evaluator's image would hold: those of the commit, without what .dockerignore
leaves out, and the weights, which are mounted."""

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from submission.git import git
from submission.tree import Tree
from submission.weights.table import WEIGHTS

IGNORE_FILE = ".dockerignore"
# A pattern's parts as a regular expression: "**" is any number of folders.
_PARTS = re.compile(r"\*\*/?|\*|\?|\[[^\]]*\]|.", re.S)


def write_image_files(tree: Tree, folder: Path) -> None:
    """Write into the empty `folder` what the image would hold; the weights are linked in.

    Raises:
        GitError: there is no commit.
    """
    variables = {"GIT_INDEX_FILE": f"{folder}.index", "GIT_LFS_SKIP_SMUDGE": "1"}
    git(tree.root, "read-tree", "HEAD", variables=variables)
    git(tree.root, "checkout-index", "--all", f"--prefix={folder}/", variables=variables)
    ignore_file = folder / IGNORE_FILE
    patterns = read_patterns(ignore_file.read_text("utf-8")) if ignore_file.is_file() else []
    for file in list(_files_in(folder)):
        if left_out(file.relative_to(folder).as_posix(), patterns):
            file.unlink()
    weights = folder / WEIGHTS
    shutil.rmtree(weights, ignore_errors=True)
    if (tree.root / WEIGHTS).is_dir():
        weights.parent.mkdir(parents=True, exist_ok=True)
        weights.symlink_to(tree.root / WEIGHTS)


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def read_patterns(text: str) -> list[tuple[re.Pattern[str], bool]]:
    """The patterns of a .dockerignore, each with whether it leaves out or ("!") keeps."""
    patterns = []
    for line in text.splitlines():
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        leaves_out = not pattern.startswith("!")
        path = PurePosixPath(pattern.removeprefix("!").strip())
        source = "".join(map(_as_regex, _PARTS.findall(str(path).lstrip("/"))))
        patterns.append((re.compile(source), leaves_out))
    return patterns


def _as_regex(part: str) -> str:
    match part:
        case "**/":
            return "(?:.*/)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _:
            return part if len(part) > 1 else re.escape(part)


def left_out(path: str, patterns: Sequence[tuple[re.Pattern[str], bool]]) -> bool:
    """Whether a .dockerignore leaves out a file: the last pattern counts that matches the file or a
    folder above it.

    >>> patterns = read_patterns("docs\\n**/*.tmp\\n!docs/keep.md")
    >>> [left_out(path, patterns) for path in ("docs/a.md", "docs/keep.md", "a/b.tmp", "a/docs/c")]
    [True, False, True, False]
    """
    parents = [str(parent) for parent in PurePosixPath(path).parents][:-1]
    is_left_out = False
    for pattern, leaves_out in patterns:
        if any(pattern.fullmatch(each) for each in (path, *parents)):
            is_left_out = leaves_out
    return is_left_out
