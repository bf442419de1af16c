"""Evaluate a system on CRAG questions: `python local_evaluation.py --help`."""

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.cli import Parts
from evaluation.cli import main as evaluate
from evaluation.judge.protocol import Judge
from evaluation.runner import OfficialModel
from models.settings import Settings, load_settings

ROOT = Path(__file__).resolve().parent


def make_model(settings: Settings) -> OfficialModel:
    """The contest's own entry point, with these settings."""
    from models.user_config import UserModel

    return UserModel(settings)


def make_cut(settings: Settings) -> Callable[[str], str]:
    """The cut at 75 tokens, counted as the settings say."""
    from utils.tokens import cut_answer, load_counter

    return partial(cut_answer, count=load_counter(settings.tokenizer))


def make_judge(spec: str, cache: Path, settings: Settings) -> Judge:
    """The judge that `spec` names; its key comes from the settings, never from the command line."""
    from evaluation.judge.factory import make_judge as make

    return make(spec, cache=cache, api_key=settings.judge_api_key)


def serve(folder: Path) -> AbstractContextManager[str]:
    """The mock API over `folder`, as a child process."""
    from mock_api.process import serve as start

    return start(folder)


def check(settings: Settings) -> tuple[bool, Any]:
    """Whether all that the settings name is there, and the table that says so, if there is any."""
    from models.check import as_table, run_checks
    from models.systems.factory import subtasks_of

    checks = run_checks(settings)
    well = all(each.ok for each in checks)
    return well, None if well and not subtasks_of(settings.system) else as_table(checks)


PARTS = Parts(ROOT, load_settings, make_model, make_cut, make_judge, serve, check=check)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation and return its exit status. SIGTERM ends it like Ctrl-C: resumable."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return evaluate(sys.argv[1:] if arguments is None else arguments, PARTS)


if __name__ == "__main__":
    sys.exit(main())
