"""Evaluate a system on CRAG questions: `python local_evaluation.py --help`."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.arguments import EvaluationParts
from evaluation.cli import main as evaluate
from mock_api.process import serve

if TYPE_CHECKING:
    from models.settings import Settings
    from models.user_model import UserModel

ROOT = Path(__file__).resolve().parent


def _make_model(settings: "Settings") -> "UserModel":
    from models.user_model import UserModel  # not for --help

    return UserModel(settings)


def _own_model() -> str | None:
    from models.check import submits_own_model

    return f"{ROOT}:models.user_config:UserModel" if submits_own_model() else None


PARTS = EvaluationParts(ROOT, _make_model, serve, _own_model)


def main(arguments: Sequence[str] | None = None, name: str = "python local_evaluation.py") -> int:
    """Run the evaluation and return its exit status. SIGTERM ends it like Ctrl-C: resumable."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if arguments is None:
        arguments = sys.argv[1:]
    return evaluate(arguments, PARTS, name)


if __name__ == "__main__":
    sys.exit(main())
