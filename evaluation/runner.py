"""A run: streamed questions are answered, judged and written batch by batch."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from evaluation.dataset import Example, to_batch
from evaluation.judge.protocol import Item, Judge, Judgement, judge_items
from evaluation.model_process import ModelFailed, ModelTimeout
from evaluation.run_folder import RunFolder
from evaluation.score import WORTH, QuestionResult, sum_usage
from evaluation.streams import ReadNotes
from evaluation.under_way import UnderWay
from models.records import IDK
from models.runtime.case import Failure
from models.runtime.trace import Step
from utils.errors import CragError, InputError
from utils.progress import Progress, Show

_FEWEST = 2  # questions of a first batch that must fail alike before the setup is blamed
_FAILED_BATCHES = 2  # in a row, after which a run stops
_EXAMPLE = 300  # characters of a failure's message that are stored
WRONG_LENGTH = "WrongLength"  # the batch's answers are not one string a question

logger = logging.getLogger(__name__)


class EveryQuestionFailed(CragError):
    """No question of a run has an answer, and each has a failure."""

    exit_status = 3


class SetupFailed(CragError):
    """The setup, such as a server or a key, failed for every question of a batch."""

    exit_status = 3


class OfficialModel(Protocol):
    """What the contest's evaluator asks of a `UserModel`."""

    def get_batch_size(self) -> int:
        """The number of questions in a batch, 1 to 16."""

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
        """One answer per question."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model made of one batch; every list has one entry per question.

    Attributes:
        seconds: per question, the batch's time over its size, measured where the model runs.
        answered_after: seconds from the batch's start to each answer; empty: the model tells none.
        failures: what failed: its `kind`, its `step`, its message as `example`, and `of_setup`
            where the setup is the cause.
        steps: the traces.
        given_up: for how many questions each kind of work was left out.
        raised: the model raised, or its answers are not as many as the questions; it was not late.
    """

    predictions: list[str]
    seconds: float
    failures: Sequence[Sequence[Mapping[str, str]]]
    steps: Sequence[Sequence[Step]]
    given_up: Mapping[str, int] = field(default_factory=dict)
    answered_after: Sequence[float] = ()
    raised: bool = False

    @classmethod
    def none(
        cls,
        count: int,
        kind: str,
        message: str,
        seconds: float = 0.0,
        *,
        of_setup: bool = False,
        raised: bool = False,
    ) -> "Answered":
        """A batch of which no question has an answer, for one reason."""
        failure = {"kind": kind, "step": "", "example": message[:_EXAMPLE]}
        if of_setup:
            failure["of_setup"] = "yes"
        return cls([IDK] * count, seconds, [(failure,)] * count, [()] * count, raised=raised)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers and times one batch. `cut` shortens an answer as the evaluator does."""

    model: OfficialModel
    cut: Callable[[str], str]
    clock: Callable[[], float] = time.perf_counter

    def __call__(self, examples: Sequence[Example]) -> Answered:
        """What the model makes of the batch; any `Exception` becomes a failure of the batch."""
        count = len(examples)
        given_up_before = self._given_up()
        start = self.clock()
        try:
            answers = self.model.batch_generate_answer(to_batch(examples))
        except Exception as error:  # an error of any model is a result
            if not isinstance(error, ModelFailed):  # its process has shown the traceback
                logger.exception("the model raised")
            seconds = (self.clock() - start) / count
            of_setup = getattr(error, "of_setup", False)
            return Answered.none(
                count,
                type(error).__name__,
                str(error),
                seconds,
                of_setup=of_setup,
                raised=not isinstance(error, ModelTimeout),
            )
        seconds = (self.clock() - start) / count
        problem = _answers_problem(answers, count)
        if problem is not None:
            message = f"{count} questions, and {problem}"
            logger.error(message)
            return Answered.none(count, WRONG_LENGTH, message, seconds, raised=True)
        nothing = [()] * count
        failures = getattr(self.model, "last_failures", None) or nothing
        return Answered(
            predictions=[self.cut(answer) for answer in answers],
            seconds=seconds,
            failures=[tuple(map(_failure_row, failed)) for failed in failures],
            steps=getattr(self.model, "last_traces", None) or nothing,
            given_up=self._given_up() - given_up_before,
            answered_after=getattr(self.model, "last_seconds", None) or (),
        )

    def _given_up(self) -> Counter[str]:
        """How often the model has left out each kind of work so far."""
        return Counter(getattr(self.model, "given_up", {}))


def _answers_problem(answers: Any, count: int) -> str | None:
    """What is wrong with answers that should be a list of so many strings; None: nothing."""
    if not isinstance(answers, list):
        return f"the answers are a {type(answers).__name__}, not a list: {answers!r:.80}"
    if len(answers) != count:
        return f"{len(answers)} answers"
    for number, answer in enumerate(answers, 1):
        if not isinstance(answer, str):
            return f"answer {number} is {answer!r:.80}, not a string"
    return None


def _failure_row(failure: Failure) -> Mapping[str, str]:
    """One of `UserModel.last_failures` as a JSON object."""
    message = str(failure.error)[:_EXAMPLE]
    row = {"kind": failure.kind, "step": failure.step, "example": message}
    return {**row, "of_setup": "yes"} if failure.of_setup else row


def judged(judge: Judge, examples: Sequence[Example], answered: Answered) -> list[QuestionResult]:
    """One result per example; a judge that fails leaves its items unscored, never wrong."""
    items = [
        Item(example.id, example.query, example.golds, prediction)
        for example, prediction in zip(examples, answered.predictions, strict=True)
    ]
    judgements = judge_items(judge, items)
    times: Sequence[float | None] = answered.answered_after or [None] * len(items)
    results = []
    for example, item, judgement, failures, steps, answered_after in zip(
        examples, items, judgements, answered.failures, answered.steps, times, strict=True
    ):
        result = QuestionResult(
            id=example.id,
            query=example.query,
            prediction=item.prediction,
            verdict=judgement.verdict,
            seconds=answered.seconds,
            answered_after=answered_after,
            failures=tuple(failures),
            usage=sum_usage(map(_usage_of_step, steps)),
            reason=judgement.reason,
            judge_failed=judgement.failed,
            rule=judgement.rule,
            disputed=judgement.disputed,
            by_model=judgement.by_model,
            golds=example.golds,
            slices=example.slices,
        )
        results.append(result)
    return results


def _usage_of_step(step: Step) -> dict[str, dict[str, Any]]:
    """What a step with an LLM read, wrote and cost."""
    if not step.tokens and not step.prompt_tokens:
        return {}
    figures = {
        "llm": step.llm,
        "adapter": step.adapter or "",
        "calls": 1,
        "prompt": step.prompt_tokens,
        "cached": step.cached_tokens,
        "completion": step.tokens,
        "dollars": step.cost,
    }
    return {step.name: figures}


def trace_of(result: QuestionResult, steps: Sequence[Step]) -> dict[str, Any]:
    """The trace of a question as a JSON object."""
    return {
        "interaction_id": result.id,
        "query": result.query,
        "answers": result.golds,
        "prediction": result.prediction,
        "verdict": result.verdict,
        "failures": result.failures,
        "steps": list(map(asdict, steps)),
    }


ExampleBatch = list[Example]
AnswerAll = Callable[[Iterator[ExampleBatch]], Iterator[Answered]]  # in the order of the batches


@dataclass(slots=True)
class Run:
    """A whole run: earlier results, new ones, and the progress.

    Attributes:
        answer_all: answers batches, in this process or others; it may read ahead.
        limit: an upper bound on the number of questions.
        notes: has the number of questions, or the share of the dataset that is read, from which
            the number is estimated.
        resumed: how many results come from the interrupted run.
        counts: of work left out for lack of time and of lost workers; written with each batch, so
            that a resumed run has them all.
        under_way: hears of the questions that are being answered.
        failed_at_the_end: the failure of the setup in the whole last batch; None: there was none.
    """

    answer_all: AnswerAll
    judge: Judge
    folder: RunFolder
    batch_size: int
    limit: int | None = None
    traced: bool = False
    notes: ReadNotes = field(default_factory=ReadNotes)
    results: list[QuestionResult] = field(default_factory=list)
    resumed: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    under_way: UnderWay = field(default_factory=UnderWay)
    failed_at_the_end: str | None = None
    _worth: float = 0.0  # of all results
    _unsaved: "list[tuple[list[QuestionResult], Answered]]" = field(default_factory=list)

    def go(
        self, examples: Iterable[Example], done: dict[str, QuestionResult], show: Show
    ) -> list[QuestionResult]:
        """The results of all `examples`: those in `done`, and new ones, saved batch by batch.

        A batch for which the setup failed is saved only once a later one shows that it works, or
        when there is no later one.

        Raises:
            InputError: a question in `done` is another one in `examples`.
            SetupFailed: the setup failed for the whole first batch, or for two batches in a row,
                which are not saved.
        """
        self.counts.update(self.folder.counts())
        self.under_way.on_change = lambda: show(self._progress(self._expected()))
        try:
            self._answer(examples, done)
        finally:
            self.under_way.on_change = None  # else it would keep this run, and its folder, alive
        if self.results:
            self.notes.rows_in_all = len(self.results)
            show(self._progress(len(self.results)))
        return self.results

    def _answer(self, examples: Iterable[Example], done: dict[str, QuestionResult]) -> None:
        """Answer, judge and save the examples without a result."""
        waiting: deque[ExampleBatch] = deque()  # batches that are being answered

        def batches() -> Iterator[ExampleBatch]:
            new_examples = self._not_done(examples, done)
            while batch := list(islice(new_examples, self.batch_size)):
                waiting.append([replace(example, pages=()) for example in batch])
                self.under_way.start(len(batch))
                yield batch

        for answered in self.answer_all(batches()):
            batch = waiting.popleft()
            results = judged(self.judge, batch, answered)
            if answered.raised:
                results = [replace(result, batch_failed=True) for result in results]
            self._unsaved.append((results, answered))
            if setup_failure(results) is None:
                self._save_all()
            else:
                results[:] = [replace(result, batch_failed=True) for result in results]
                self._stop_if_setup_failed(is_first=not done and not self.results)
            self.under_way.end(len(batch))
        if self._unsaved:
            self.failed_at_the_end = setup_failure(self._unsaved[-1][0])
        self._save_all()

    def _stop_if_setup_failed(self, *, is_first: bool) -> None:
        """Stop if the setup failed for a whole first batch, or for two batches in a row.

        Raises:
            SetupFailed: it did.
        """
        questions = sum(len(results) for results, _ in self._unsaved)
        if len(self._unsaved) == _FAILED_BATCHES or (is_first and questions >= _FEWEST):
            which = "first" if is_first else "last"
            failure = setup_failure(self._unsaved[-1][0])
            message = f"each of the {which} {questions} questions failed: {failure}"
            self.folder.note_stop(message)
            raise SetupFailed(message)

    def _save_all(self) -> None:
        """Save the batches that are not saved yet."""
        for results, answered in self._unsaved:
            self._save(results, answered)
        self._unsaved.clear()

    def _save(self, results: list[QuestionResult], answered: Answered) -> None:
        """Write a batch: its traces first, so that a question with a result has its trace."""
        if self.traced:
            self.folder.append_traces(list(map(trace_of, results, answered.steps)))
        for work, count in answered.given_up.items():
            self.counts[f"questions without {work}, for lack of time"] += count
        self.folder.write_counts(self.counts)
        self.folder.append(results)
        self._add(results)

    def _not_done(
        self, examples: Iterable[Example], done: dict[str, QuestionResult]
    ) -> Iterator[Example]:
        """The examples without a result; the earlier results of the others join `results`.

        Raises:
            InputError: a question in `done` is another one in `examples`.
        """
        for example in examples:
            earlier = done.get(example.id)
            if earlier is None:
                yield example
                continue
            if earlier.query != example.query or earlier.golds != example.golds:
                raise InputError(
                    f"{self.folder.path}: question {example.id} is another one in this dataset; "
                    "start a new run with another --out"
                )
            self._add([replace(earlier, slices=example.slices)])
            self.resumed += 1

    def _add(self, results: Sequence[QuestionResult]) -> None:
        self.results += results
        self._worth += sum(WORTH[result.verdict] for result in results)

    def _progress(self, total: int | None) -> Progress:
        done = len(self.results)
        score = self._worth / max(1, done)
        estimated = self.notes.rows_in_all is None
        return Progress(
            done,
            f"score so far {score:+.1%}" if done else "",
            self.resumed,
            total,
            estimated,
            str(self.under_way),
        )

    def _expected(self) -> int | None:
        """The number of questions of the whole run, or an estimate, or None."""
        if self.notes.rows_in_all is not None:
            return self.notes.rows_in_all
        bounds = [] if self.limit is None else [self.limit]
        is_part_read = 0 < self.notes.bytes_read < self.notes.bytes_in_all
        if self.results and is_part_read:  # a packed file is read ahead
            share = self.notes.bytes_read / self.notes.bytes_in_all
            bounds.append(round(len(self.results) / share))
        return min(bounds, default=None)


def setup_failure(results: Sequence[QuestionResult]) -> str | None:
    """The failure of the setup that all the questions have in common, in words; None: there is
    none. A question may still have an answer, by other means than the part that failed."""
    examples_by_kind = [_setup_failures(result) for result in results]
    for kind, example in examples_by_kind[0].items():
        if all(kind in others for others in examples_by_kind):
            return f"{kind}: {example}"
    return None


def raise_if_every_question_failed(results: Sequence[QuestionResult]) -> None:
    """Refuse to call a run a success in which something failed for every question.

    Raises:
        EveryQuestionFailed: no question has an answer, and each has a failure.
    """
    if not results or any(result.prediction != IDK or not result.failures for result in results):
        return
    failure = results[0].failures[0]
    raise EveryQuestionFailed(
        f"every question failed, the first by {failure['kind']}: {failure['example']}"
    )


def judgement_of(result: QuestionResult) -> Judgement:
    """What the judge said of a result."""
    return Judgement(
        result.verdict,
        result.reason,
        failed=result.judge_failed,
        rule=result.rule,
        disputed=result.disputed,
        by_model=result.by_model,
    )


def _setup_failures(result: QuestionResult) -> dict[str, str]:
    """The message of each kind of failure that the setup caused."""
    return {
        failure["kind"]: failure["example"]
        for failure in result.failures
        if failure.get("of_setup")
    }
