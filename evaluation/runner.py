"""A run: streamed questions are answered, judged and written batch by batch."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from evaluation.dataset import Example, to_batch
from evaluation.judge.protocol import Item, Judge, judge_items
from evaluation.run_folder import RunFolder
from evaluation.score import WORTH, Result, sum_usage
from evaluation.streams import ReadNotes
from models.records import IDK
from models.runtime.ledger import Failure
from models.runtime.trace import Step
from utils.errors import CragError, InputError
from utils.progress import Progress, Show

_FEWEST = 2  # questions of a first batch that must fail alike before the setup is blamed
_EXAMPLE = 300  # characters of a failure's message that are kept
WRONG_LENGTH = "WrongLength"  # the batch's answers are not one string a question

logger = logging.getLogger(__name__)


class EveryQuestionFailed(CragError):
    """The first batch has no answer, for a reason in the setup, which concerns all questions."""


class OfficialModel(Protocol):
    """What the contest's evaluator asks of a `UserModel`."""

    def get_batch_size(self) -> int: ...

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model made of one batch; every list has one entry per question.

    Attributes:
        seconds: per question, the batch's time over its size, measured where the model runs.
        failures: what failed: its `kind`, its `step`, its message as `example`, and `of_setup`
            where the setup is the cause.
        steps: the traces.
        given_up: for how many questions each kind of work was left out.
    """

    predictions: list[str]
    seconds: float
    failures: Sequence[Sequence[Mapping[str, str]]]
    steps: Sequence[Sequence[Step]]
    given_up: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def none(cls, count: int, kind: str, says: str, seconds: float = 0.0) -> "Answered":
        """A batch of which no question has an answer, for one reason."""
        failure = {"kind": kind, "step": "", "example": says[:_EXAMPLE]}
        return cls([IDK] * count, seconds, [(failure,)] * count, [()] * count)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers and times one batch. `cut` shortens an answer as the evaluator does."""

    model: OfficialModel
    cut: Callable[[str], str]
    clock: Callable[[], float] = time.perf_counter

    def __call__(self, examples: Sequence[Example]) -> Answered:
        """Any `Exception` of the model becomes a failure of the batch."""
        count, before = len(examples), Counter(getattr(self.model, "given_up", {}))
        start = self.clock()
        try:
            answers = self.model.batch_generate_answer(to_batch(examples))
        except Exception as error:  # an error of any model is a result
            logger.exception("the model raised")
            seconds = (self.clock() - start) / count
            return Answered.none(count, type(error).__name__, str(error), seconds)
        seconds = (self.clock() - start) / count
        if (
            not isinstance(answers, list)
            or len(answers) != count
            or not all(isinstance(answer, str) for answer in answers)
        ):
            says = f"{count} questions, and not as many strings as answers"
            logger.error(says)
            return Answered.none(count, WRONG_LENGTH, says, seconds)
        failures = getattr(self.model, "last_failures", None) or [()] * count
        return Answered(
            [self.cut(answer) for answer in answers],
            seconds,
            [tuple(map(_failure_row, failed)) for failed in failures],
            getattr(self.model, "last_traces", None) or [()] * count,
            Counter(getattr(self.model, "given_up", {})) - before,
        )


def _failure_row(failure: Failure) -> Mapping[str, str]:
    """One of `UserModel.last_failures` as a JSON object."""
    message = str(failure.error)[:_EXAMPLE]
    row = {"kind": failure.kind, "step": failure.step, "example": message}
    return {**row, "of_setup": "yes"} if failure.of_setup else row


def judged(judge: Judge, examples: Sequence[Example], answered: Answered) -> list[Result]:
    """One result per example; a judge that fails leaves its items unscored, never wrong."""
    items = [
        Item(example.id, example.query, example.golds, prediction)
        for example, prediction in zip(examples, answered.predictions, strict=True)
    ]
    return [
        Result(
            id=example.id,
            query=example.query,
            prediction=item.prediction,
            verdict=judgement.verdict,
            seconds=answered.seconds,
            failures=tuple(failed),
            usage=sum_usage(map(_usage, steps)),
            reason=judgement.reason,
            judge_failed=judgement.failed,
            golds=example.golds,
            slices=example.slices,
        )
        for example, item, failed, steps, judgement in zip(
            examples, items, answered.failures, answered.steps, judge_items(judge, items),
            strict=True,
        )
    ]  # fmt: skip


def _usage(step: Step) -> dict[str, dict[str, Any]]:
    """What a step with an LLM read, wrote and cost."""
    if not (step.tokens or step.prompt_tokens):
        return {}
    return {step.name: {"llm": step.llm, "adapter": step.adapter or "", "calls": 1,
                        "prompt": step.prompt_tokens, "cached": step.cached_tokens,
                        "completion": step.tokens, "dollars": step.cost}}  # fmt: skip


def trace_of(result: Result, steps: Sequence[Step]) -> dict[str, Any]:
    """The trace of a question as a JSON object."""
    return {
        "id": result.id,
        "query": result.query,
        "answers": result.golds,
        "prediction": result.prediction,
        "verdict": result.verdict,
        "failures": result.failures,
        "steps": list(map(asdict, steps)),
    }


Batch = list[Example]
AnswerAll = Callable[[Iterator[Batch]], Iterator[Answered]]  # in the order of the batches


@dataclass(slots=True)
class Run:
    """A whole run: earlier results, new ones, and the progress.

    Attributes:
        answer_all: answers batches, in this process or others; it may read ahead.
        limit: an upper bound on the number of questions.
        notes: has the share of the dataset that is read, from which the total is estimated.
        resumed: how many results come from the interrupted run.
        counts: of work left out for lack of time and of lost workers; written with each batch, so
            that a resumed run has them all.
    """

    answer_all: AnswerAll
    judge: Judge
    folder: RunFolder
    batch_size: int
    limit: int | None = None
    traced: bool = False
    notes: ReadNotes = field(default_factory=ReadNotes)
    results: list[Result] = field(default_factory=list)
    resumed: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def go(self, examples: Iterable[Example], done: dict[str, Result], show: Show) -> list[Result]:
        """The results of all `examples`: those in `done`, and new ones, saved batch by batch.

        Raises:
            InputError: a question in `done` is another one in `examples`.
            EveryQuestionFailed: the first batch, which is not saved.
        """
        waiting: deque[Batch] = deque()  # batches that are being answered
        self.counts.update(self.folder.counts())

        def batches() -> Iterator[Batch]:
            fresh = self._not_done(examples, done)
            while batch := list(islice(fresh, self.batch_size)):
                waiting.append([replace(example, pages=()) for example in batch])
                yield batch

        for answered in self.answer_all(batches()):
            results = judged(self.judge, waiting.popleft(), answered)
            if not done and not self.results:
                _stop_if_all_failed(results)
            if self.traced:  # first: a question that is answered has its trace
                self.folder.append_traces(list(map(trace_of, results, answered.steps)))
            for what, count in answered.given_up.items():
                self.counts[f"questions without {what}, for lack of time"] += count
            self.folder.write_counts(self.counts)
            self.folder.append(results)
            self.results += results
            show(self._progress(self._expected()))
        show(self._progress(len(self.results)))
        return self.results

    def _not_done(self, examples: Iterable[Example], done: dict[str, Result]) -> Iterator[Example]:
        for example in examples:
            before = done.get(example.id)
            if before is None:
                yield example
                continue
            if (before.query, before.golds) != (example.query, example.golds):
                raise InputError(
                    f"{self.folder.path}: question {example.id} is another one in this dataset; "
                    "start a new run with another --out"
                )
            self.results.append(replace(before, slices=example.slices))
            self.resumed += 1

    def _progress(self, total: int | None) -> Progress:
        score = sum(WORTH[result.verdict] for result in self.results) / max(1, len(self.results))
        return Progress(len(self.results), f"score {score:+.1%}", self.resumed, total)

    def _expected(self) -> int | None:
        """The number of questions of the whole run, or an estimate, or None."""
        known = [] if self.limit is None else [self.limit]
        if 0 < self.notes.bytes_read < self.notes.bytes_in_all:  # a packed file is read ahead
            share = self.notes.bytes_read / self.notes.bytes_in_all
            known.append(round(len(self.results) / share))
        return min(known, default=None)


def _stop_if_all_failed(results: Sequence[Result]) -> None:
    """Raise EveryQuestionFailed if the setup is why none of these questions has an answer."""
    if len(results) < _FEWEST or any(result.prediction != IDK for result in results):
        return
    kinds = [{f["kind"]: f["example"] for f in r.failures if f.get("of_setup")} for r in results]
    for kind, example in kinds[0].items():
        if all(kind in others for others in kinds):
            raise EveryQuestionFailed(
                f"each of the first {len(results)} questions failed: {kind}: {example}"
            )
