"""The task of a batch: from settings, else aicrowd.json, else from the API and number of pages."""

import json
from pathlib import Path

from models.records import Task
from models.settings import ROOT
from utils.errors import SettingsError

CHALLENGES = {
    "meta-kdd-cup-24-crag-retrieval-summarization": Task.WEB,
    "meta-kdd-cup-24-crag-knowledge-graph-and-web-retrieval": Task.KG_WEB,
    "meta-kdd-cup-24-crag-end-to-end-retrieval-augmented-generation": Task.END_TO_END,
}
FEW_PAGES = 5  # per question in tasks 1 and 2; more pages mean task 3


def task_of_submission(file: Path = ROOT / "aicrowd.json") -> Task | None:
    """The task of `file`'s challenge_id; None if there is no file.

    Raises:
        SettingsError: the file is not JSON, or names no challenge of CRAG.
    """
    if not file.is_file():
        return None
    try:
        challenge = json.loads(file.read_text(encoding="utf-8-sig"))["challenge_id"]
        return CHALLENGES[challenge]
    except (ValueError, KeyError, TypeError) as error:
        known = ", ".join(CHALLENGES)
        raise SettingsError(f"{file}: challenge_id must be one of {known} ({error!r})") from error


def task_of_question(pages: int, *, has_api: bool) -> Task:
    """The task implied by the presence of an API and the number of pages."""
    if not has_api:
        return Task.WEB
    return Task.END_TO_END if pages > FEW_PAGES else Task.KG_WEB
