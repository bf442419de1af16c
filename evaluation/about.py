"""Where a run came from: its command, commit, times, data and machine."""

import hashlib
import os
import platform
import subprocess
from datetime import datetime
from pathlib import Path

from evaluation.run_folder import ABOUT, RUN, write_json
from evaluation.streams import parts_of
from utils.errors import InputError

DATASET_PATH = "dataset path"
MOST_HASHED = 2**30  # bytes; reading more for their hash alone takes too long


def write_about(run: Path, command: str, dataset: Path, root: Path) -> None:
    """Write about.json of a run that ends now; what is not known is left out.

    Args:
        command: the command line, without secrets.
        root: the project's folder, for its commit.
    """
    started = datetime.fromtimestamp((run / RUN).stat().st_mtime)
    python = f"Python {platform.python_version()}"
    facts = {
        "command": command,
        "commit": _commit(root),
        "started": f"{started:%Y-%m-%d %H:%M:%S}",
        "finished": f"{datetime.now():%Y-%m-%d %H:%M:%S}",
        "dataset sha256": _sha256(dataset),
        DATASET_PATH: str(dataset.resolve()),
        "machine": f"{platform.platform()}, {os.cpu_count()} CPUs, {python}",
    }
    write_json(run / ABOUT, {name: value for name, value in facts.items() if value})


def _commit(root: Path) -> str:
    """The commit of the project in `root`; empty outside a git repository."""
    git = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _sha256(dataset: Path) -> str:
    """The hash of the dataset's files; empty where they are too large or no longer there."""
    try:
        parts = parts_of(dataset)
        if sum(part.stat().st_size for part in parts) > MOST_HASHED:
            return ""
        digest = hashlib.sha256()
        for part in parts:
            with part.open("rb") as content:
                hashlib.file_digest(content, lambda: digest)
        return digest.hexdigest()
    except (OSError, InputError):  # moved or removed since it was read
        return ""
