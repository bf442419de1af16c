"""Whether the commit is complete, its tag is free, and no large file lies in git itself."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from submission.git import GitError, git
from submission.tree import Tree
from submission.weights.table import WEIGHTS

MOST_PLAIN_BYTES = 10 << 20  # well below the size at which a push is refused
_VERSION = re.compile(r"v\d+(\.\d+)*([.-][A-Za-z0-9]+)*")
_MOST_LISTED = 5
_LINK = "120000"  # git's modes
_GITLINK = "160000"
# Where the files of a submission lie that git may ignore.
_OWN = ("settings.toml", "aicrowd.json", "apt.txt", "requirements.txt", "models", "utils")
_TOP_LEVEL = (":(top,glob)*.py", ":(top,glob)*/__init__.py")
_UNUSED = ("__pycache__", ".venv", "build", "runs", WEIGHTS.as_posix())
_SECRETS = re.compile(r"\.env(?!\.(?:example|sample|template)$)(\.\w+)?|id_(?:rsa|ed25519)|\.netrc")
_ASK_REMOTE_S = "10"


class CommittedFile(NamedTuple):
    """A row of the commit's listing: git's mode, the object's name, the path."""

    mode: str
    object: str
    path: str


def _committed(root: Path) -> Iterator[CommittedFile]:
    for row in filter(None, git(root, "ls-tree", "-r", "-z", "HEAD").split("\0")):
        head, path = row.split("\t", 1)
        mode, _, name = head.split()
        yield CommittedFile(mode, name, path)


def uncommitted(tree: Tree) -> Iterator[str]:
    """Files that differ from the commit that the tag will name; weights have their own check."""
    lines = git(tree.root, "status", "--porcelain", "--untracked-files=all").splitlines()
    paths = [line[3:] for line in lines if not line[3:].startswith(f"{WEIGHTS.as_posix()}/")]
    if paths:
        yield f"not committed: {_listed(paths)}; commit or remove them"


def ignored(tree: Tree) -> Iterator[str]:
    """Files of the submission that git ignores, so that the commit lacks them."""
    options = ("--others", "--ignored", "--exclude-standard", "-z")
    output = git(tree.root, "ls-files", *options, "--", *_OWN, *_TOP_LEVEL)
    paths = [path for path in filter(None, output.split("\0")) if not _is_unused(path)]
    if paths:
        yield f".gitignore leaves out {_listed(paths)}: `git add --force` it, or remove it"


def _is_unused(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any(f"{each}/" in f"{path}/" if "/" in each else each in parts for each in _UNUSED)


def hidden_edits(tree: Tree) -> Iterator[str]:
    """Files that git was told to take for unchanged: `git status` does not show their edits."""
    lines = git(tree.root, "ls-files", "-v").splitlines()
    paths = [line[2:] for line in lines if line[0] == "S" or line[0].islower()]
    if paths:
        yield (
            f"{_listed(paths)}: marked skip-worktree or assume-unchanged, so that edits are not "
            "committed; `git update-index --no-skip-worktree --no-assume-unchanged FILE`"
        )


def submodules(tree: Tree) -> Iterator[str]:
    """Repositories in the repository: the commit has their names, not their files."""
    paths = [file.path for file in _committed(tree.root) if file.mode == _GITLINK]
    if paths:
        yield (
            f"{_listed(paths)}: a repository of its own, whose files the commit does not hold; "
            "`git rm --cached` it, remove its .git, and add its files"
        )


def links(tree: Tree) -> Iterator[str]:
    """Links that lead out of the repository, or to a file that the commit lacks."""
    files = list(_committed(tree.root))
    paths = {file.path for file in files}
    folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    for file in files:
        if file.mode != _LINK:
            continue
        target = git(tree.root, "cat-file", "blob", file.object)
        place = _normal(PurePosixPath(file.path).parent / target)
        is_weight = place is not None and place.startswith(WEIGHTS.as_posix())
        if PurePosixPath(target).is_absolute() or not (is_weight or place in paths | folders):
            yield f"{file.path} links to {target}, which the commit does not hold: copy the file"


def _normal(path: PurePosixPath) -> str | None:
    """A path without ".."; None if it leads out of its root."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or "."


def secrets(tree: Tree) -> Iterator[str]:
    """Committed files that usually hold keys or passwords."""
    names = [file.path for file in _committed(tree.root)]
    paths = [path for path in names if _SECRETS.fullmatch(PurePosixPath(path).name)]
    if paths:
        yield (
            f"{_listed(paths)} may hold a key, and would be pushed: `git rm --cached` it, and "
            "change the key if the commit was ever pushed"
        )


def branch(tree: Tree) -> Iterator[str]:
    """A commit on no branch, which `git push REMOTE HEAD` does not push."""
    if not git(tree.root, "branch", "--show-current").strip():
        yield "HEAD is on no branch, so that it cannot be pushed: `git switch --create NAME`"


def _listed(paths: list[str]) -> str:
    listing = ", ".join(paths[:_MOST_LISTED])
    others = len(paths) - _MOST_LISTED
    return f"{listing} and {others} more" if others > 0 else listing


def tag(tree: Tree) -> Iterator[str]:
    """A version that makes no tag, or one that is taken."""
    if not _VERSION.fullmatch(tree.version):
        yield f"VERSION must look like v0.1, is {tree.version!r}"
    elif tree.tag in git(tree.root, "tag", "--list").splitlines():
        yield f"the tag {tree.tag} exists already; take another VERSION"
    elif _is_on_remote(tree):
        yield f"the tag {tree.tag} exists on {tree.remote} already; take another VERSION"


def _is_on_remote(tree: Tree) -> bool:
    """Whether the remote has the tag; not if there is no such remote, or it does not answer."""
    if tree.remote not in git(tree.root, "remote").split():
        return False
    slow = ("-c", "http.lowSpeedLimit=1", "-c", f"http.lowSpeedTime={_ASK_REMOTE_S}")
    ssh = f"ssh -o BatchMode=yes -o ConnectTimeout={_ASK_REMOTE_S}"
    variables = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": ssh}
    try:
        name = f"refs/tags/{tree.tag}"
        return bool(git(tree.root, *slow, "ls-remote", tree.remote, name, variables=variables))
    except GitError:
        return False


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
