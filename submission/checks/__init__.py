"""Every check of the preflight by its name; each yields a sentence for whatever is wrong.

`CHECKS` look at files alone. `RUN_CHECKS` are the names under which the local run
(submission/trial.py) reports; it may report under `batch-size` and `network` too.
"""

from collections.abc import Callable, Iterator

from submission.checks.adapters import adapters
from submission.checks.aicrowd import aicrowd_json, track
from submission.checks.package import dockerfile, python
from submission.checks.repository import plain_files, tag, uncommitted
from submission.checks.requirements import requirements
from submission.checks.settings import batch_size, network, settings
from submission.checks.weights import (
    weights_changed,
    weights_commit,
    weights_missing,
    weights_pinned,
    weights_pointer,
    weights_truncated,
)
from submission.tree import Tree

Check = Callable[[Tree], Iterator[str]]

CHECKS: dict[str, Check] = {
    "uncommitted": uncommitted,
    "tag": tag,
    "plain-files": plain_files,
    "aicrowd-json": aicrowd_json,
    "settings": settings,
    "track": track,
    "batch-size": batch_size,
    "network": network,
    "weights-missing": weights_missing,
    "weights-pointer": weights_pointer,
    "weights-truncated": weights_truncated,
    "weights-changed": weights_changed,
    "weights-pinned": weights_pinned,
    "weights-commit": weights_commit,
    "adapters": adapters,
    "python": python,
    "dockerfile": dockerfile,
    "requirements": requirements,
}
RUN_CHECKS = ("entry-point", "answer-count", "answer-text", "answer-tokens", "time", "failures")
