"""Whether what would be pushed is what was looked at, under a free name, and not too large."""

import re
from collections.abc import Iterator

from submission.git import blobs, changes, git, tags
from submission.tree import Tree
from utils.weights.table import WEIGHTS

# A plain file over this does not belong into git; ours, well under what makes a push be refused.
MOST_PLAIN_BYTES = 10 << 20
_VERSION = re.compile(r"v\d+(\.\d+)*([.-][A-Za-z0-9]+)*")
_SHOWN = 5


def uncommitted(tree: Tree) -> Iterator[str]:
    """What is not in the commit that the tag will name. Weights are compared by themselves."""
    paths = [path for path in changes(tree.root) if not path.startswith(f"{WEIGHTS.as_posix()}/")]
    if paths:
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        yield f"not committed: {', '.join(paths[:_SHOWN])}{more}; commit or remove them"


def tag(tree: Tree) -> Iterator[str]:
    """A version that makes a tag, and one that is not taken."""
    if not _VERSION.fullmatch(tree.version):
        yield f"VERSION must look like v0.1, is {tree.version!r}"
    elif tree.tag in tags(tree.root):
        yield f"the tag {tree.tag} is there already; take another VERSION"


def plain_files(tree: Tree) -> Iterator[str]:
    """Large files that git keeps itself, in any commit that would be pushed."""
    if git(tree.root, "rev-parse", "--is-shallow-repository").strip() == "true":
        yield "the clone is shallow, its history cannot be looked at: `git fetch --unshallow`"
        return
    for blob in blobs(tree.root):
        if blob.size > MOST_PLAIN_BYTES:
            yield (
                f"{blob.path} of {blob.size:,} bytes lies in git's history as a plain file "
                f"({blob.name[:12]}): move it to LFS with `git lfs migrate import "
                f"--include={blob.path}`"
            )
