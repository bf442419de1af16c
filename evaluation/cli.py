"""The command line of an evaluation: arguments in, a run folder with its report out."""

import argparse
import dataclasses
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console

from evaluation.dataset import ReadNotes, read_examples
from evaluation.judge.protocol import Judge
from evaluation.progress import shown_on
from evaluation.report import Report, as_json, as_markdown, as_terminal
from evaluation.run_folder import (
    JUDGE_CACHE,
    PREDICTIONS,
    REPORT,
    RESULTS,
    TRACES,
    RunFolder,
    fresh_folder,
    named_folder,
    write_text,
)
from evaluation.runner import EveryQuestionFailed, Model, Run, Runner
from evaluation.streams import count_rows
from models.records import Task
from utils.errors import CragError, SettingsError

MAX_BATCH = 16  # the evaluator's bound on get_batch_size()
FAILED, ALL_FAILED, INTERRUPTED = 2, 3, 130

EXAMPLES = """\
examples:
  python local_evaluation.py
      the questions, pages and facts of example_data, the default system, the rule judge
  python local_evaluation.py --dataset crag_task_1_and_2_dev_v4.jsonl.bz2 --task 1 --limit 100
      the first 100 questions of the contest's dev set, from the web alone
  python local_evaluation.py --dataset crag_task_3_dev_v4.tar.bz2.part1 --api-url http://127.0.0.1:8000
      task 3, its parts read as one, against a mock API that is running already
  python local_evaluation.py --dataset questions.jsonl --mock-api my_kg --judge openai:http://127.0.0.1:8001/v1#my-judge
      a mock API started over the folder my_kg, and an LLM as the judge
  python local_evaluation.py --dataset questions.jsonl --out runs/mine --resume
      go on with an interrupted run
"""


class SettingsLike(Protocol):
    """What is read of `models.settings.Settings` here."""

    @property
    def system(self) -> str: ...
    @property
    def task(self) -> Task | None: ...
    @property
    def api_url(self) -> str | None: ...
    @property
    def batch_size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What an evaluation is put together from; local_evaluation.py hands in the real ones.

    Attributes:
        root: the folder that holds example_data, and runs unless `--out` says otherwise.
        load_settings: takes `system`, `llm`, `task` and `api_url`, None for "not given".
        make_model: the model for the settings.
        make_cut: for the settings, what shortens an answer to the contest's limit.
        make_judge: the judge for its name, a file to keep verdicts in, and the settings.
        serve: starts the mock API over a folder, and stops it on the way out.
        now: the local time, for the run folder's name.
        check: looks at what the settings name, before the first question: whether all is well, and
            what was found, to be shown; None: nothing.
    """

    root: Path
    load_settings: Callable[..., SettingsLike]
    make_model: Callable[[Any], Model]
    make_cut: Callable[[Any], Callable[[str], str]]
    make_judge: Callable[[str, Path, Any], Judge]
    serve: Callable[[Path], AbstractContextManager[str]]
    now: Callable[[], datetime] = datetime.now
    check: Callable[[Any], tuple[bool, Any]] = lambda _: (True, None)


def main(argv: Sequence[str], parts: Parts) -> int:
    """The exit status: 0; 2 for an error of ours or of the arguments, or a check that failed; 3
    where every question of the first batch failed for one reason; 130 when interrupted."""
    args = parser().parse_args(argv)
    errors = Console(stderr=True)
    evaluation = Evaluation(args, parts, errors)
    try:
        return evaluation.run()
    except EveryQuestionFailed as error:
        _say(errors, f"error: {error}\nNothing was saved: correct it and run the command again.")
        return ALL_FAILED
    except CragError as error:
        _say(errors, f"error: {' '.join(str(error).split())}")
        return FAILED
    except KeyboardInterrupt:
        _say(errors, f"\nInterrupted. {_how_to_resume(argv, args, evaluation.folder)}")
        return INTERRUPTED


def parser() -> argparse.ArgumentParser:
    """The arguments of local_evaluation.py."""
    made = argparse.ArgumentParser(
        prog="local_evaluation.py",
        description="Answer CRAG questions, judge the answers, and report the score:\n"
        'correct +1, "i don\'t know" 0, wrong -1.',
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "--dataset",
        type=Path,
        metavar="FILE",
        help="questions as .jsonl, .jsonl.bz2, .jsonl.gz, .tar.bz2 or its .part1; "
        "default: example_data/questions.jsonl with the mock API over example_data/kg",
    )
    made.add_argument(
        "--task", type=int, choices=[int(task) for task in Task], help="default: from the settings"
    )
    made.add_argument("--system", metavar="NAME", help="default: from the settings")
    made.add_argument(
        "--llm", metavar="SPEC", help="vllm:PATH, hf:PATH or openai:URL#MODEL; default: settings"
    )
    api = made.add_mutually_exclusive_group()
    api.add_argument(
        "--mock-api", type=Path, metavar="DIR", help="start the mock API over DIR for this run"
    )
    api.add_argument(
        "--api-url", metavar="URL", help="a running API; default: CRAG_MOCK_API_URL, else none"
    )
    made.add_argument(
        "--judge",
        default="rules",
        metavar="rules|openai:URL#MODEL",
        help="default: rules; a key for the endpoint comes from CRAG_JUDGE_API_KEY",
    )
    made.add_argument(
        "--web", metavar="PRESET", help="the web path: default, or that of a paper's system"
    )
    made.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="changes",
        help="change a setting, as web.preset=default; may be given again",
    )
    made.add_argument(
        "--no-check", action="store_true", help="do not look at servers and files beforehand"
    )
    made.add_argument(
        "--no-trace", action="store_true", help="do not keep every question's steps in traces.jsonl"
    )
    made.add_argument("--limit", type=_positive, metavar="N", help="only the first N questions")
    made.add_argument("--out", type=Path, metavar="DIR", help="default: a new folder under runs/")
    made.add_argument(
        "--resume", action="store_true", help="go on with the run in --out, or begin it"
    )
    made.add_argument(
        "--skip-bad",
        action="store_true",
        help="pass over rows that are no question, and count them, instead of ending there",
    )
    made.add_argument(
        "--batch-size",
        type=_batch_size,
        metavar="N",
        help=f"questions a call, 1-{MAX_BATCH}; default: the model's own",
    )
    return made


class Evaluation:
    """One evaluation from its arguments; `folder` is known as soon as there is one."""

    def __init__(self, args: argparse.Namespace, parts: Parts, errors: Console) -> None:
        self._args = args
        self._parts = parts
        self._errors = errors
        self._dataset = args.dataset or parts.root / "example_data" / "questions.jsonl"
        self.folder: Path | None = None

    def run(self) -> int:
        """Answer, judge, report; 0.

        Raises:
            CragError: a setting, a file or a part that cannot be used.
        """
        args, parts = self._args, self._parts
        if args.resume and args.out is None:
            raise SettingsError("--resume needs --out DIR: the folder of the run to go on with")
        expected = count_rows(self._dataset)
        if args.out is not None:
            self.folder = named_folder(args.out, resume=args.resume)
        with ExitStack() as stack:
            settings, api = self._settings(stack)
            if self.folder is None:
                self.folder = fresh_folder(parts.root / "runs", settings.system, parts.now())
            folder = RunFolder(self.folder)
            stack.callback(folder.discard_if_unused)
            judge = parts.make_judge(args.judge, self.folder / JUDGE_CACHE, settings)
            used = self._used(settings, api)
            if not args.no_check:
                self._check(settings)
            done = folder.start(used)
            if args.limit is not None and args.limit < len(done):
                raise SettingsError(
                    f"--limit {args.limit}: {self.folder} holds {len(done)} answers already; "
                    "give that many or more"
                )
            model = parts.make_model(settings)
            run = Run(
                Runner(model, judge, parts.make_cut(settings)),
                folder,
                batch_size=args.batch_size or _checked(model.get_batch_size()),
                expected=expected,
                limit=args.limit,
                traced=not args.no_trace,
            )
            self._go(run, done, used)
        return 0

    def _check(self, settings: SettingsLike) -> None:
        well, table = self._parts.check(settings)
        if table is not None:
            self._errors.print(table)
        if not well:
            raise SettingsError("a check failed; see above, or go on with --no-check")

    def _go(self, run: Run, done: dict[str, Any], used: dict[str, str]) -> None:
        notes = ReadNotes()
        run.notes = notes
        args = self._args
        examples = read_examples(
            self._dataset, limit=args.limit, skip_bad=args.skip_bad, notes=notes
        )
        with shown_on(self._errors) as show:
            results = run.go(examples, done, show)
        report = Report.of(
            results,
            settings={
                **used,
                "limit": str(self._args.limit or "none"),
                "taken over from an interrupted run": str(run.resumed),
            },
            notes={
                "rows skipped": notes.bad_rows,
                "ids made unique": notes.renamed_ids,
                **{
                    f"questions without {what}, for lack of time": count
                    for what, count in getattr(run.runner.model, "given_up", {}).items()
                },
            },
        )
        path = run.folder.path
        write_text(path / RESULTS, as_json(report))
        write_text(path / REPORT, as_markdown(report))
        out = Console()
        out.print(as_terminal(report))
        for name in (PREDICTIONS, RESULTS, REPORT, *([TRACES] if run.traced else [])):
            _say(out, str(path / name))

    def _settings(self, stack: ExitStack) -> tuple[SettingsLike, str]:
        """The settings with the API's address in them, and where the API comes from, in words."""
        args, parts = self._args, self._parts
        kg = args.mock_api
        nothing_said = kg is None and args.api_url is None and args.dataset is None
        if nothing_said and args.task != Task.WEB:
            kg = parts.root / "example_data" / "kg"
        url = args.api_url
        if kg is not None:
            if not kg.exists():
                raise SettingsError(f"--mock-api: there is no {kg}")
            url = stack.enter_context(parts.serve(kg))
        said: dict[str, Any] = {"system": args.system, "llm": args.llm}
        web = [f"web.preset={args.web}"] if args.web else []
        if args.changes or web:
            said["changes"] = [*args.changes, *web]
        settings = parts.load_settings(task=args.task, api_url=url, **said)
        if settings.api_url is None:
            if settings.task is not None and settings.task.has_kg:
                raise SettingsError(
                    f"task {int(settings.task)} needs the KG API: give --mock-api DIR or "
                    "--api-url URL, or set CRAG_MOCK_API_URL"
                )
            # Without an API it is task 1 whatever aicrowd.json submits to.
            settings = parts.load_settings(task=int(Task.WEB), api_url=None, **said)
            return settings, "none"
        where = without_secrets(settings.api_url) if kg is None else f"mock API over {kg}"
        return settings, where

    def _used(self, settings: SettingsLike, api: str) -> dict[str, str]:
        """What a run is made of, in words; the same again makes the same run.

        The API counts by where it comes from: a mock API has another port each time.
        """
        used = {
            "dataset": self._dataset.name,
            "system": settings.system,
            "task": str(int(settings.task)) if settings.task else "as aicrowd.json or the data say",
            "KG API": api,
            "judge": without_secrets(self._args.judge),
            "batch size": str(self._args.batch_size or settings.batch_size),
        }
        if dataclasses.is_dataclass(settings):
            for entry in dataclasses.fields(settings):
                if entry.name not in ("system", "task", "api_url", "batch_size"):
                    used[entry.name] = _shown(entry.name, getattr(settings, entry.name))
        return used


def without_secrets(text: str) -> str:
    """`text` with passwords in its URLs and values of key-like parameters left out."""
    text = re.sub(r"//[^/@\s]*@", "//…@", text)
    return re.sub(r"(?i)([?&][\w-]*(?:key|token|secret|password)[\w-]*=)[^&#\s]*", r"\1…", text)


def _shown(name: str, value: Any) -> str:
    secret = re.search(r"(?i)key|secret|password|(?<!_)token$", name) and value is not None
    return "…" if secret else without_secrets(str(value))


def _checked(size: int) -> int:
    if not 1 <= size <= MAX_BATCH:
        raise SettingsError(f"the model's batch size must be 1-{MAX_BATCH}, is {size}")
    return size


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, is {text}")
    return value


def _batch_size(text: str) -> int:
    value = _positive(text)
    if value > MAX_BATCH:
        raise argparse.ArgumentTypeError(f"must be 1-{MAX_BATCH}, is {text}")
    return value


def _how_to_resume(argv: Sequence[str], args: argparse.Namespace, folder: Path | None) -> str:
    if folder is None:
        return "Nothing had begun."
    again = [*argv]
    if args.out is None:
        again += ["--out", str(folder)]
    if not args.resume:
        again.append("--resume")
    return f"What is done is kept; go on with:\n  python local_evaluation.py {shlex.join(again)}"


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
