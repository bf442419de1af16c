"""The few git commands that a submission needs."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from utils.errors import CragError


class GitError(CragError):
    """git failed; the message is its own."""


class Blob(NamedTuple):
    """A file's content somewhere in history; `path` is one of those that it had."""

    name: str
    size: int
    path: str


def git(root: Path, *arguments: str, given: str | None = None) -> str:
    """What the git command prints. Raises GitError."""
    return git_bytes(root, *arguments, given=given).decode(errors="replace")


def blobs(root: Path) -> Iterator[Blob]:
    """Every file content that pushing HEAD pushes, including files that were removed since."""
    objects = git(root, "rev-list", "--objects", "HEAD")
    form = "--batch-check=%(objecttype) %(objectname) %(objectsize) %(rest)"
    for line in git(root, "cat-file", form, given=objects).splitlines():
        kind, name, size, path = line.split(" ", 3)
        if kind == "blob":
            yield Blob(name, int(size), path)


def committed(root: Path, folder: str) -> dict[str, str]:
    """The blobs of the files below `folder` in HEAD, by path."""
    rows = git(root, "ls-tree", "-r", "-z", "HEAD", "--", folder).split("\0")
    found = (row.split("\t", 1) for row in rows if row)
    return {path: head.split()[2] for head, path in found}


def git_bytes(root: Path, *arguments: str, given: str | None = None) -> bytes:
    """What the git command prints, undecoded. Raises GitError."""
    sent = given.encode() if given is not None else None
    done = subprocess.run(
        ["git", *arguments], cwd=root, input=sent, capture_output=True, check=False
    )
    if done.returncode:
        raise GitError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
