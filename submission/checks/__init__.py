"""Every check of files by its name; each yields a sentence for whatever is wrong."""

from collections.abc import Callable, Iterator
from functools import partial

from submission.checks.image import apt, dockerfile, engines, python, requirements
from submission.checks.repository import (
    branch,
    hidden_edits,
    ignored,
    links,
    plain_files,
    secrets,
    submodules,
    tag,
    uncommitted,
)
from submission.checks.settings import aicrowd_json, network, settings, track
from submission.checks.weights import adapters, weights_commit, weights_pinned, weights_with
from submission.tree import Tree
from utils.model_files import Defect

CHECKS: dict[str, Callable[[Tree], Iterator[str]]] = {
    "uncommitted": uncommitted,
    "ignored": ignored,
    "hidden-edits": hidden_edits,
    "submodules": submodules,
    "links": links,
    "secrets": secrets,
    "branch": branch,
    "tag": tag,
    "plain-files": plain_files,
    "aicrowd-json": aicrowd_json,
    "settings": settings,
    "track": track,
    "network": network,
    "weights-missing": partial(weights_with, Defect.MISSING),
    "weights-pointer": partial(weights_with, Defect.POINTER),
    "weights-truncated": partial(weights_with, Defect.TRUNCATED),
    "weights-changed": partial(weights_with, Defect.CHANGED),
    "weights-pinned": weights_pinned,
    "weights-commit": weights_commit,
    "adapters": adapters,
    "python": python,
    "dockerfile": dockerfile,
    "apt": apt,
    "requirements": requirements,
    "engines": engines,
}
