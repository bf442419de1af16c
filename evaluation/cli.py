"""The command line of an evaluation: arguments in, a run folder with its report out."""

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

import typer
from rich.console import Console

from evaluation.about import write_about
from evaluation.arguments import RunArguments
from evaluation.cluster import Cluster, map_batches
from evaluation.corpus import read_slices
from evaluation.judge.factory import make_judge
from evaluation.model_process import ModelProcess
from evaluation.page.report import REPORT_PAGE, write_report_page
from evaluation.report import Report, as_json, as_terminal
from evaluation.run_folder import (
    JUDGE_CACHE,
    PREDICTIONS,
    RESULTS,
    TRACES,
    RunFolder,
    fresh_folder,
    named_folder,
    write_json,
)
from evaluation.runner import AnswerAll, Answered, Answerer, EveryQuestionFailed, OfficialModel, Run
from evaluation.score import TIME_LIMIT, Result
from evaluation.streams import parts_of
from evaluation.subset import Subset, read_ids, read_shard, read_where
from models.check import as_table, run_checks
from models.records import Task
from models.settings import MAX_BATCH, Settings, load_settings
from models.systems.factory import subtasks_of
from utils.cli import run
from utils.errors import SettingsError
from utils.progress import shown_on
from utils.secrets import argument_shown, without_secrets
from utils.tokens import cut_answer, load_counter

ALL_FAILED, INTERRUPTED = 3, 130


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an evaluation; local_evaluation.py passes the real ones.

    Attributes:
        root: the folder that holds example_data.
        make_model: the model for the settings.
        serve: starts the mock API over a folder, and stops it on the way out.
        runs: the folder of runs unless `--out` says otherwise; None: `runs` in `root`.
    """

    root: Path
    make_model: Callable[[Settings], OfficialModel]
    serve: Callable[[Path], AbstractContextManager[str]]
    runs: Path | None = None


def main(argv: Sequence[str], parts: Parts, name: str = "python local_evaluation.py") -> int:
    """The exit status: 0; 2 for an error of ours or of the arguments, or a check that failed; 3
    where every question of the first batch failed for one reason; 130 when interrupted."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(RunArguments)
    return run(app, argv, name, lambda args: _evaluate(args, argv, parts))


def _evaluate(args: RunArguments, argv: Sequence[str], parts: Parts) -> int:
    evaluation = Evaluation(args, argv, parts)
    try:
        evaluation.run()
    except EveryQuestionFailed as error:
        says = f"error: {error}\nNothing was saved: correct it and run the command again."
        typer.echo(says, err=True)
        return ALL_FAILED
    except KeyboardInterrupt:
        typer.echo(f"\nInterrupted. {evaluation.how_to_resume()}", err=True)
        return INTERRUPTED
    return 0


class Evaluation:
    """One evaluation from its arguments."""

    def __init__(self, args: RunArguments, argv: Sequence[str], parts: Parts) -> None:
        self._args = args
        self._argv = [argument_shown(argument) for argument in argv]
        self._parts = parts
        self._errors = Console(stderr=True)
        self._dataset = args.dataset or parts.root / "example_data" / "questions.jsonl"
        self._folder: Path | None = None
        self._counts: Counter[str] = Counter()

    def run(self) -> None:
        """Answer, judge, report.

        Raises:
            CragError: a setting, a file or a part that cannot be used.
        """
        args, parts = self._args, self._parts
        if args.resume and args.out is None:
            raise SettingsError("--resume needs --out DIR: the folder of the run to resume")
        if args.mock_api and args.api_url:
            raise SettingsError("--mock-api and --api-url exclude each other")
        if args.ray is not None and args.model:
            raise SettingsError("--ray and --model exclude each other; use --shard for a --model")
        subset = Subset(
            read_where(args.where),
            read_ids(args.ids) if args.ids else None,
            args.sample,
            args.seed,
            args.limit,
            read_shard(args.shard),
        )
        parts_of(self._dataset)  # raises before anything is started
        with ExitStack() as stack:
            settings, api = self._settings(stack)
            if args.out is not None:
                self._folder = named_folder(args.out, resume=args.resume)
            else:
                name = args.model.rpartition(":")[2] if args.model else settings.system
                self._folder = fresh_folder(parts.runs or parts.root / "runs", name, datetime.now())
            folder = RunFolder(self._folder)
            stack.callback(folder.discard_if_unused)
            cache = self._folder / JUDGE_CACHE
            judge = make_judge(args.judge, cache=cache, api_key=settings.judge_api_key)
            used = self._used(settings, api, subset)
            if not (args.no_check or args.model):
                self._check(settings)
            done = folder.start(used)
            if subset.most is not None and subset.most < len(done):
                raise SettingsError(
                    f"--limit {args.limit}: {self._folder} holds {len(done)} answers already; "
                    "give that many or more"
                )
            answer_all, size = self._answer_all(settings, stack)
            size = args.batch_size or size
            if not 1 <= size <= MAX_BATCH:
                raise SettingsError(f"the model's batch size must be 1-{MAX_BATCH}, is {size}")
            run = Run(
                answer_all,
                judge,
                folder,
                batch_size=size,
                limit=subset.most,
                traced=not args.no_trace,
                counts=self._counts,
            )
            self._report(run, self._go(run, subset, done), used)

    def how_to_resume(self) -> str:
        """What to do after an interruption."""
        if self._folder is None:
            return "Nothing had begun."
        out = ["--out", str(self._folder)] if self._args.out is None else []
        resume = [] if self._args.resume else ["--resume"]
        again = _command([*self._argv, *out, *resume])
        return f"The answers so far are kept; to resume:\n  {again}"

    def _settings(self, stack: ExitStack) -> tuple[Settings, str]:
        """The settings with the API's address in them, and where the API comes from, in words."""
        args, parts = self._args, self._parts
        kg, url = args.mock_api, args.api_url
        if not (kg or url or args.dataset or args.task == Task.WEB):
            kg = parts.root / "example_data" / "kg"
        if kg is not None:
            if not kg.exists():
                raise SettingsError(f"--mock-api: there is no {kg}")
            url = stack.enter_context(parts.serve(kg))
        web = [f"web.preset={args.web}"] if args.web else []
        settings = load_settings(
            changes=[*(args.set or ()), *web],
            system=args.system,
            llm=args.llm,
            task=args.task,
            api_url=url,
        )
        if settings.api_url is not None:
            api = f"mock API over {kg}" if kg else without_secrets(settings.api_url)
            return settings, api
        if settings.task is not None and settings.task.has_kg:
            raise SettingsError(
                f"task {int(settings.task)} needs the KG API: give --mock-api DIR or "
                "--api-url URL, or set CRAG_MOCK_API_URL"
            )
        # Without an API it is task 1 whatever aicrowd.json submits to.
        return replace(settings, task=Task.WEB), "none"

    def _check(self, settings: Settings) -> None:
        checks = run_checks(settings)
        well = all(check.ok for check in checks)
        if not well or (checks and subtasks_of(settings.system)):
            self._errors.print(as_table(checks))
        if not well:
            raise SettingsError("a check failed; see above, or skip the checks with --no-check")

    def _answer_all(self, settings: Settings, stack: ExitStack) -> tuple[AnswerAll, int]:
        """What answers the batches, and the size that it wants them to have."""
        args, parts = self._args, self._parts
        make = partial(_make_answerer, parts.make_model, settings)
        if cluster := Cluster.of(args.ray, args.workers, args.gpus_per_worker):
            on_ray = partial(
                map_batches,
                make,
                cluster=cluster,
                give_up=lambda batch, lost: Answered.none(len(batch), "WorkerLost", str(lost)),
                on_loss=lambda: self._counts.update({"workers lost": 1}),
            )
            return on_ray, settings.batch_size
        if args.model is None:
            answerer = make()
            return partial(map, answerer), answerer.model.get_batch_size()
        try:
            process = ModelProcess(args.model, TIME_LIMIT)
            stack.callback(process.close)
            answerer = _make_answerer(lambda _: process, settings)
            return partial(map, answerer), process.get_batch_size()
        except (ValueError, RuntimeError, TimeoutError) as error:
            raise SettingsError(f"--model {error}") from error

    def _go(self, run: Run, subset: Subset, done: dict[str, Result]) -> list[Result]:
        examples = subset.read(self._dataset, run.notes, skip_bad=self._args.skip_bad)
        if self._args.slices:
            more = read_slices(self._args.slices)
            examples = (replace(one, more=more.get(one.id, {})) for one in examples)
        with shown_on(self._errors) as show:
            return run.go(examples, done, show)

    def _report(self, run: Run, results: list[Result], used: dict[str, str]) -> None:
        report = Report(
            results,
            settings={
                **used,
                "limit": str(self._args.limit or "none"),
                "taken over from an interrupted run": str(run.resumed),
            },
            notes={
                "rows skipped": run.notes.bad_rows,
                "ids made unique": run.notes.renamed_ids,
                **run.counts,
            },
        )
        path = run.folder.path
        write_json(path / RESULTS, as_json(report))
        write_about(path, _command(self._argv), self._dataset, self._parts.root)
        write_report_page(path)
        Console().print(as_terminal(report))
        traces = [TRACES] if run.traced else []
        for name in (PREDICTIONS, RESULTS, *traces, REPORT_PAGE):
            typer.echo(path / name)

    def _used(self, settings: Settings, api: str, subset: Subset) -> dict[str, str]:
        """What a run is made of, in words; the same again makes the same run.

        The API counts by where it comes from: a mock API has another port each time. Of the subset
        `--limit` is left out: it may grow when a run is resumed.
        """
        args = self._args
        ids = f"{args.ids.name}, {_hashed(sorted(subset.ids or ()))}" if args.ids else ""
        sample = f"{args.sample} with seed {args.seed}" if args.sample else ""
        shard = args.shard if args.shard != "1/1" else ""
        chosen = {"where": args.where, "ids": ids, "sample": sample, "shard": shard}
        used = {
            "dataset": self._dataset.name,
            "system": args.model or settings.system,
            "task": str(int(settings.task)) if settings.task else "as aicrowd.json or the data say",
            "KG API": api,
            "judge": without_secrets(args.judge),
            **{name: value for name, value in chosen.items() if value},
            "batch size": str(args.batch_size or settings.batch_size),
        }
        if args.model:
            return used
        for entry in fields(settings):
            if entry.name not in ("system", "task", "api_url", "batch_size"):
                value = getattr(settings, entry.name)
                secret = not entry.repr and value is not None
                used[entry.name] = "…" if secret else without_secrets(str(value))
        # What is sent with each request is not shown; a change of it shows.
        bodies = [sorted(llm.extra_body.items()) for llm in settings.llms.values()]
        used["llms"] += f", extra_body {_hashed(bodies)}"
        return used


def _make_answerer(make_model: Callable[[Settings], OfficialModel], settings: Settings) -> Answerer:
    """What answers the batches, here or in a Ray worker; answers are cut at the contest's limit."""
    cut = partial(cut_answer, count=load_counter(settings.tokenizer))
    return Answerer(make_model(settings), cut)


def _hashed(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:12]


def _command(argv: Sequence[str]) -> str:
    return f"python local_evaluation.py {shlex.join(argv)}"
