"""aicrowd.json of each track: which challenge, and what the evaluator gives it."""

import json
from pathlib import Path
from typing import Any

from models.records import Task
from models.task import CHALLENGES
from utils.errors import SettingsError

REQUIRED: dict[str, type] = {
    "challenge_id": str,
    "authors": list,
    "description": str,
    "license": str,
    "gpu": bool,
}


def challenge_of(track: Task) -> str:
    """The challenge_id of `track`."""
    return next(challenge for challenge, task in CHALLENGES.items() if task is track)


def write_track(file: Path, track: Task) -> dict[str, Any]:
    """Make `file` an aicrowd.json for `track`; what else stands in it stays.

    Raises:
        SettingsError: there is no such file, or it is no JSON object.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        made: dict[str, Any] = {**content, "challenge_id": challenge_of(track)}
    except (OSError, ValueError, TypeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from error
    file.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    return made
