"""Runs git commands in a checkout."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from utils.errors import CragError


class GitError(CragError):
    """git failed; the message is its own."""


def git(
    root: Path,
    *arguments: str,
    stdin: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> str:
    """What the git command prints, given `stdin` to read, and more variables of its environment.

    Raises:
        GitError: the command failed.
    """
    return git_bytes(root, *arguments, stdin=stdin, variables=variables).decode(errors="replace")


def git_bytes(
    root: Path,
    *arguments: str,
    stdin: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """What the git command prints, undecoded.

    Raises:
        GitError: the command failed.
    """
    process = subprocess.run(
        [
            "env",
            *(f"{name}={value}" for name, value in (variables or {}).items()),
            "git",
            *arguments,
        ],
        cwd=root,
        input=None if stdin is None else stdin.encode(),
        capture_output=True,
        check=False,
    )
    if process.returncode:
        message = process.stderr.decode(errors="replace").strip()
        raise GitError(f"git {arguments[0]}: {message}")
    return process.stdout
