"""Runs git commands in a checkout."""

import subprocess
from pathlib import Path

from utils.errors import CragError


class GitError(CragError):
    """git failed; the message is its own."""


def git(root: Path, *arguments: str, stdin: str | None = None) -> str:
    """What the git command prints, given `stdin` to read.

    Raises:
        GitError: the command failed.
    """
    return git_bytes(root, *arguments, stdin=stdin).decode(errors="replace")


def git_bytes(root: Path, *arguments: str, stdin: str | None = None) -> bytes:
    """What the git command prints, undecoded.

    Raises:
        GitError: the command failed.
    """
    process = subprocess.run(
        ["git", *arguments],
        cwd=root,
        input=None if stdin is None else stdin.encode(),
        capture_output=True,
        check=False,
    )
    if process.returncode:
        message = process.stderr.decode(errors="replace").strip()
        raise GitError(f"git {arguments[0]}: {message}")
    return process.stdout
