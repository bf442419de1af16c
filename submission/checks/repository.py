"""Whether the commit is complete, its tag is free, and no large file lies in git itself."""

import re
from collections.abc import Iterator

from submission.git import git
from submission.tree import Tree
from submission.weights.table import WEIGHTS

MOST_PLAIN_BYTES = 10 << 20  # well below the size at which a push is refused
_VERSION = re.compile(r"v\d+(\.\d+)*([.-][A-Za-z0-9]+)*")
_MOST_LISTED = 5


def uncommitted(tree: Tree) -> Iterator[str]:
    """Files that differ from the commit that the tag will name; weights have their own check."""
    lines = git(tree.root, "status", "--porcelain", "--untracked-files=all").splitlines()
    paths = [line[3:] for line in lines if not line[3:].startswith(f"{WEIGHTS.as_posix()}/")]
    if not paths:
        return
    listing = ", ".join(paths[:_MOST_LISTED])
    if len(paths) > _MOST_LISTED:
        listing += f" and {len(paths) - _MOST_LISTED} more"
    yield f"not committed: {listing}; commit or remove them"


def tag(tree: Tree) -> Iterator[str]:
    """A version that makes no tag, or one that is taken."""
    if not _VERSION.fullmatch(tree.version):
        yield f"VERSION must look like v0.1, is {tree.version!r}"
    elif tree.tag in git(tree.root, "tag", "--list").splitlines():
        yield f"the tag {tree.tag} exists already; take another VERSION"


def plain_files(tree: Tree) -> Iterator[str]:
    """Large files outside LFS in any commit that would be pushed."""
    if git(tree.root, "rev-parse", "--is-shallow-repository").strip() == "true":
        yield "the clone is shallow, its history cannot be checked: `git fetch --unshallow`"
        return
    objects = git(tree.root, "rev-list", "--objects", "HEAD")
    columns = "--batch-check=%(objecttype) %(objectname) %(objectsize) %(rest)"
    for line in git(tree.root, "cat-file", columns, stdin=objects).splitlines():
        kind, name, size, path = line.split(" ", 3)
        if kind == "blob" and int(size) > MOST_PLAIN_BYTES:
            yield (
                f"{path} of {int(size):,} bytes is a plain file in git's history ({name[:12]}): "
                f"move it to LFS with `git lfs migrate import --include={path}`"
            )
