"""Runs git commands in a checkout."""

import subprocess
from pathlib import Path

from utils.errors import CragError


class GitError(CragError):
    """git failed; the message is its own."""


def git(root: Path, *arguments: str, given: str | None = None) -> str:
    """What the git command prints. Raises GitError."""
    return git_bytes(root, *arguments, given=given).decode(errors="replace")


def git_bytes(root: Path, *arguments: str, given: str | None = None) -> bytes:
    """What the git command prints, undecoded. Raises GitError."""
    sent = given.encode() if given is not None else None
    done = subprocess.run(
        ["git", *arguments], cwd=root, input=sent, capture_output=True, check=False
    )
    if done.returncode:
        raise GitError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
