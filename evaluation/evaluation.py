"""One evaluation: the arguments of `crag eval` in, a run folder with its report out."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path

import typer
from rich.console import Console

from evaluation.about import write_about
from evaluation.arguments import EvaluationParts, RunArguments
from evaluation.cluster import Cluster, WorkerLost, map_batches
from evaluation.dataset import Example, read_slices
from evaluation.judge.make_judge import judge_checks, make_judge
from evaluation.judge.protocol import raise_if_all_failed
from evaluation.model_process import SECONDS_TO_START, ModelProcess
from evaluation.page.report import write_report_page
from evaluation.report import NOT_DEGRADED, Report, as_json, as_terminal, counted
from evaluation.run_folder import (
    JUDGE_CACHE,
    PREDICTIONS,
    REPORT_PAGE,
    RESULTS,
    RUNS,
    TRACES,
    RunFolder,
    fresh_folder,
    named_folder,
    write_json,
)
from evaluation.runner import (
    AnswerAll,
    Answered,
    Answerer,
    ExampleBatch,
    OfficialModel,
    Run,
    SetupFailed,
    judgement_of,
    raise_if_every_question_failed,
)
from evaluation.score import TIME_LIMIT, Metrics, QuestionResult, measure
from evaluation.streams import parts_of
from evaluation.subset import Subset, read_ids, read_shard, read_where
from evaluation.under_way import UnderWay
from models.check import State, as_table, run_checks
from models.records import MAX_BATCH, Task
from models.settings import DEFAULT_FILE, Settings, load_settings
from models.systems.make_system import check_llm_is_used, subtasks_of
from models.task import task_of_submission
from models.user_model import UserModel
from utils.crag_api import ON_DISK
from utils.errors import InputError, SettingsError
from utils.progress import shown_on
from utils.secrets import argument_shown, without_secrets
from utils.tokens import cut_answer, load_counter

_UNSET_SHARD = "1/1"
_NO_API = "none"
_NOTHING_TO_LOOK_IN = (
    "there is nothing to look in: the questions have no pages, and no KG is given (--mock-api DIR "
    "or --api-url URL)"
)
# Settings that do not say what a run is made of, or that `_fingerprint` describes in other words.
_NOT_FINGERPRINTED = ("system", "task", "api_url", "batch_size")


class Evaluation:
    """One evaluation from its arguments; `name` is the command that was given."""

    def __init__(
        self, args: RunArguments, argv: Sequence[str], parts: EvaluationParts, name: str
    ) -> None:
        self._args = _with_own_model(args, parts)
        self._argv = [argument_shown(argument) for argument in argv]
        self._parts = parts
        self._name = name
        self._errors = Console(stderr=True)
        self._dataset = args.dataset or parts.root / "example_data" / "questions.jsonl"
        self._folder: Path | None = None
        self._counts: Counter[str] = Counter()
        self._degradations: list[str] = []  # what works less well than it could
        self._under_way = UnderWay()
        self._has_pages = False  # whether a question has any

    def run(self) -> Metrics:
        """Answer, judge, report; the figures.

        Raises:
            CragError: a setting, a file or a part that cannot be used.
        """
        args = self._args
        self._refuse_contradictions()
        subset = self._subset()
        parts_of(self._dataset)  # raises before anything is started
        with ExitStack() as stack:
            settings, api = self._settings_and_api(stack)
            self._folder = self._run_folder(settings)
            folder = RunFolder(self._folder)
            stack.callback(folder.discard_if_unused)
            cache = self._folder / JUDGE_CACHE
            judge = make_judge(args.judge, cache=cache, api_key=settings.judge_api_key)
            fingerprint = self._fingerprint(settings, api, subset)
            if not args.no_check:
                self._check(settings)
            done = folder.start(fingerprint)
            if subset.most is not None and subset.most < len(done):
                raise SettingsError(
                    f"--limit {args.limit}: {self._folder} holds {len(done)} answers already; "
                    "give that many or more"
                )
            answer_all, models_batch_size = self._answer_all(settings, stack)
            batch_size = args.batch_size or models_batch_size
            if not 1 <= batch_size <= MAX_BATCH:
                raise SettingsError(
                    f"the model's batch size must be 1-{MAX_BATCH}, is {batch_size}"
                )
            run = Run(
                answer_all,
                judge,
                folder,
                batch_size=batch_size,
                limit=subset.most,
                traced=not args.no_trace,
                counts=self._counts,
                under_way=self._under_way,
            )
            looks_nowhere = api == _NO_API and not args.model
            needs_pages = looks_nowhere and not subtasks_of(settings.system)
            results = self._answer_and_judge(run, subset, done, needs_pages=needs_pages)
            if not results and args.shard == _UNSET_SHARD:
                raise InputError(f"{self._dataset}: has no questions")
            if looks_nowhere and not self._has_pages:
                self._degradations.append(_NOTHING_TO_LOOK_IN)
            self._report(run, results, fingerprint)
            self._tell_of_lost(run, results)
            raise_if_every_question_failed(results)
            raise_if_all_failed(judge, list(map(judgement_of, results)))
        return measure(results)

    def _tell_of_lost(self, run: Run, results: Sequence[QuestionResult]) -> None:
        """Say how many questions of a finished run are lost.

        Raises:
            SetupFailed: it failed for the whole last batch.
        """
        if run.failed_at_the_end is not None:
            raise SetupFailed(f"the setup failed at the end: {run.failed_at_the_end}")
        lost = sum(result.lost for result in results)
        if lost:
            self._errors.print(
                f"{counted(lost, 'question')} lost to a failure of the setup, or of the model for "
                "a whole batch; to ask again:\n"
                f"  {self.resume_command()}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )

    def resume_command(self) -> str | None:
        """The command that resumes the run; None: nothing is saved yet."""
        if self._folder is None or not (self._folder / PREDICTIONS).exists():
            return None
        argv = list(self._argv)
        if self._args.out is None:
            argv += ["--out", str(self._folder)]
        if not self._args.resume:
            argv.append("--resume")
        return _command(self._name, argv)

    def _refuse_contradictions(self) -> None:
        """Check that the arguments go together.

        Raises:
            SettingsError: two of them exclude each other, or one lacks another.
        """
        args = self._args
        if args.fail_under is not None and 0 < abs(args.fail_under) < 1:
            raise SettingsError(
                f"--fail-under {args.fail_under:g}: less than one percent; 60 means 60%"
            )
        if args.resume and args.out is None:
            raise SettingsError("--resume needs --out DIR: the folder of the run to resume")
        if args.mock_api and args.api_url:
            raise SettingsError("--mock-api and --api-url exclude each other")
        if args.sample and args.limit and args.limit < args.sample:
            raise SettingsError(
                f"--sample {args.sample} and --limit {args.limit}: give one of them"
            )
        if args.model and (args.system or args.llm or args.web):
            raise SettingsError("--model excludes --system, --llm and --web")
        if args.ray is not None and args.model:
            raise SettingsError("--ray and --model exclude each other; use --shard for a --model")

    def _subset(self) -> Subset:
        """The questions that the arguments choose."""
        args = self._args
        return Subset(
            where=read_where(args.where),
            ids=read_ids(args.ids) if args.ids else None,
            sample=args.sample,
            seed=args.seed,
            limit=args.limit,
            shard=read_shard(args.shard),
        )

    def _run_folder(self, settings: Settings) -> Path:
        """The folder of `--out`, or a new one in runs/."""
        args = self._args
        if args.out is not None:
            return named_folder(args.out, resume=args.resume)
        name = args.model.rpartition(":")[2] if args.model else settings.system
        return fresh_folder(RUNS, name, datetime.now())

    def _settings_and_api(self, stack: ExitStack) -> tuple[Settings, str]:
        """The settings with the API's address in them, and where the API comes from, in words."""
        args = self._args
        kg = self._kg_folder()
        url = args.api_url
        if kg is not None:
            url = stack.enter_context(self._parts.serve(kg))
        changes = list(args.set or ())
        if args.web:
            changes.append(f"web.preset={args.web}")
        settings = load_settings(
            args.settings or DEFAULT_FILE,
            changes=changes,
            system=args.system,
            llm=args.llm,
            task=args.task,
            api_url=url,
        )
        if not args.model:
            check_llm_is_used(settings.system, args.llm)
        if settings.api_url is not None:
            api = f"mock API over {kg}" if kg else without_secrets(settings.api_url)
            return settings, api
        if settings.task is not None and settings.task.has_kg:
            raise SettingsError(
                f"task {int(settings.task)} needs the KG API: give --mock-api DIR or "
                "--api-url URL, or set CRAG_MOCK_API_URL"
            )
        # Without an API it is task 1 whatever aicrowd.json submits to.
        return replace(settings, task=Task.WEB), _NO_API

    def _kg_folder(self) -> Path | None:
        """The folder over which the mock API is started; None: it is not started.

        By default, the example questions come with the example KG.

        Raises:
            SettingsError: there is no such folder.
        """
        args = self._args
        kg = args.mock_api
        if not kg and not args.api_url and not args.dataset and args.task != Task.WEB:
            kg = self._parts.root / "example_data" / "kg"
        if kg is not None and not kg.exists():
            raise SettingsError(f"--mock-api: there is no {kg}")
        return kg

    def _check(self, settings: Settings) -> None:
        """Check servers, packages and models before the first question.

        Raises:
            SettingsError: a check failed.
        """
        checks = [] if self._args.model else run_checks(settings)
        of_judge = judge_checks(self._args.judge, settings.judge_api_key)
        checks += of_judge
        all_passed = all(check.ok for check in checks)
        warnings = [check for check in checks if check.state is State.WARNING]
        self._degradations += [f"{check.what}: {check.says}" for check in warnings]
        if not all_passed or warnings or of_judge or (checks and subtasks_of(settings.system)):
            self._errors.print(as_table(checks))
        if not all_passed:
            raise SettingsError("a check failed; see above, or skip the checks with --no-check")

    def _answer_all(self, settings: Settings, stack: ExitStack) -> tuple[AnswerAll, int]:
        """The function that answers the batches, and the batch size that the model wants."""
        args = self._args
        make = partial(_make_answerer, self._parts.make_model, settings)
        cluster = Cluster.of(args.ray, args.workers, args.gpus_per_worker)
        if cluster is not None:
            on_ray = partial(
                map_batches,
                make,
                cluster=cluster,
                give_up=_answered_by_nobody,
                on_loss=self._count_loss,
            )
            return on_ray, settings.batch_size
        if args.model is None:
            answerer = make()
            if isinstance(answerer.model, UserModel):
                answerer.model.listener = self._under_way.hear
            return partial(map, answerer), answerer.model.get_batch_size()
        try:
            kg_url = self._served_kg(settings.api_url, stack)
            process = ModelProcess(args.model, TIME_LIMIT, kg_url)
            stack.callback(process.close)
            answerer = _make_answerer(lambda _: process, settings)
            starts = f"starting {args.model} (it may load weights for {SECONDS_TO_START:.0f} s)"
            submitted = task_of_submission()
            if kg_url is None and submitted is not None and submitted.has_kg:
                lacks_kg = (
                    "no KG is given (--mock-api DIR or --api-url URL), though aicrowd.json is for "
                    f"track {int(submitted)}"
                )
                self._degradations.append(lacks_kg)
                starts = f"{lacks_kg}\n{starts}"
            self._errors.print(starts, markup=False, highlight=False, soft_wrap=True)
            return partial(map, answerer), process.get_batch_size()
        except (ValueError, RuntimeError) as error:
            raise SettingsError(f"--model {error}") from error

    def _served_kg(self, api_url: str | None, stack: ExitStack) -> str | None:
        """The address of the KG for another process; a KG on disk is served for it."""
        if api_url is None or not api_url.startswith(ON_DISK):
            return api_url
        return stack.enter_context(self._parts.serve(Path(api_url.removeprefix(ON_DISK))))

    def _count_loss(self) -> None:
        self._counts["workers lost"] += 1

    def _answer_and_judge(
        self,
        run: Run,
        subset: Subset,
        done: dict[str, QuestionResult],
        *,
        needs_pages: bool,
    ) -> list[QuestionResult]:
        """The results of all questions of the subset.

        Raises:
            InputError: no question has a page, and the system `needs_pages`.
        """
        examples = subset.read(self._dataset, run.notes, skip_bad=self._args.skip_bad)
        if self._args.slices:
            examples = _with_slices(examples, read_slices(self._args.slices))
        examples = map(self._noting_pages, examples)
        if needs_pages:
            examples = _with_a_page(examples)
        with shown_on(self._errors) as show:
            return run.go(examples, done, show)

    def _noting_pages(self, example: Example) -> Example:
        self._has_pages |= bool(example.pages)
        return example

    def _report(self, run: Run, results: list[QuestionResult], fingerprint: dict[str, str]) -> None:
        """Write the files of a finished run, and print its figures."""
        report = Report(
            results,
            settings={
                **fingerprint,
                "degraded": "; ".join(self._degradations) or NOT_DEGRADED,
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
        write_about(path, _command(self._name, self._argv), self._dataset, self._parts.root)
        write_report_page(path)
        Console().print(as_terminal(report))
        files = [PREDICTIONS, RESULTS, REPORT_PAGE]
        if run.traced:
            files.insert(2, TRACES)
        for name in files:
            typer.echo(path / name)

    def _fingerprint(self, settings: Settings, api: str, subset: Subset) -> dict[str, str]:
        """What a run is made of, in words; the same again makes the same run.

        The API counts by where it comes from: a mock API has another port each time.
        """
        args = self._args
        task = "as aicrowd.json or the data say"
        if settings.task:
            task = str(int(settings.task))
        fingerprint = {
            "dataset": self._dataset.name,
            "system": args.model or settings.system,
            "task": task,
            "KG API": api,
            "judge": without_secrets(args.judge),
            **self._subset_in_words(subset),
            "batch size": str(args.batch_size or settings.batch_size),
        }
        if args.model:
            return fingerprint
        for entry in fields(settings):
            if entry.name in _NOT_FINGERPRINTED:
                continue
            value = getattr(settings, entry.name)
            is_secret = not entry.repr and value is not None
            fingerprint.update(_each_setting(entry.name, "…" if is_secret else value))
        # What is sent with each request is not shown; a change of it shows.
        for name, llm in settings.llms.items():
            if llm.extra_body:
                fingerprint[f"llms.{name}.extra_body"] = _short_hash(sorted(llm.extra_body.items()))
        return fingerprint

    def _subset_in_words(self, subset: Subset) -> dict[str, str]:
        """The arguments that choose questions, without `--limit`: it may grow in a resumed run."""
        args = self._args
        words: dict[str, str] = {}
        if args.where:
            words["where"] = args.where
        if args.ids:
            words["ids"] = f"{args.ids.name}, {_short_hash(sorted(subset.ids or ()))}"
        if args.sample:
            words["sample"] = f"{args.sample} with seed {args.seed}"
        if args.shard != _UNSET_SHARD:
            words["shard"] = args.shard
        return words


def _make_answerer(make_model: Callable[[Settings], OfficialModel], settings: Settings) -> Answerer:
    """What answers the batches, here or in a Ray worker; answers are cut at the contest's limit."""
    cut = partial(cut_answer, count=load_counter(settings.tokenizer))
    return Answerer(make_model(settings), cut)


def _answered_by_nobody(batch: ExampleBatch, lost: WorkerLost) -> Answered:
    """The failed answers of a batch whose workers all ended."""
    return Answered.none(len(batch), "WorkerLost", str(lost))


def _with_slices(
    examples: Iterator[Example], slices_by_id: dict[str, dict[str, str]]
) -> Iterator[Example]:
    """The examples with their groups in further slices."""
    for example in examples:
        yield replace(example, more=slices_by_id.get(example.id, {}))


def _with_a_page(examples: Iterator[Example]) -> Iterator[Example]:
    """The examples, once it is known that one of them has a page.

    Raises:
        InputError: none has one.
    """
    without: list[Example] = []
    for example in examples:
        without.append(example)
        if example.pages:
            return chain(without, examples)
    if without:
        raise InputError(_NOTHING_TO_LOOK_IN)
    return iter(())


def _with_own_model(args: RunArguments, parts: EvaluationParts) -> RunArguments:
    """The arguments, which evaluate what models/user_config.py submits unless they name a system of
    ours, or a part of one."""
    ours = (args.system, args.llm, args.web, args.settings, args.set)
    if args.model or any(ours) or args.ray is not None:
        return args
    return replace(args, model=parts.own_model())


def _each_setting(name: str, value: object) -> Iterator[tuple[str, str]]:
    """The settings in a table, each by its name with dots; those that are unset are left out."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield from _each_setting(f"{name}.{key}", member)
    elif is_dataclass(value):
        for entry in fields(value):
            member = getattr(value, entry.name)
            if entry.repr and member is not None:
                yield from _each_setting(f"{name}.{entry.name}", member)
    else:
        yield name, without_secrets(str(value))


def _short_hash(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:12]


def _command(name: str, argv: Sequence[str]) -> str:
    return f"{name} {shlex.join(argv)}"
