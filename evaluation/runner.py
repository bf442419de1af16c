"""A model's answers to streamed questions, judged batch by batch and written as they come."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from evaluation.dataset import Example, ReadNotes, to_batch
from evaluation.judge.protocol import Item, Judge, Verdict, judge_items
from evaluation.progress import Show, Tally
from evaluation.run_folder import RunFolder
from evaluation.score import Result, sum_usage
from models.records import IDK
from utils.errors import CragError, InputError

_FEWEST = 2  # questions that fail alike, before it is the setup's fault
_EXAMPLE = 300  # characters of what a failure said
WRONG_LENGTH = "WrongLength"  # the batch's answers are not one string a question

logger = logging.getLogger(__name__)


class EveryQuestionFailed(CragError):
    """The first batch has no answer, for one reason that all other questions would meet too."""


class OfficialModel(Protocol):
    """What the contest's evaluator asks of a `UserModel`."""

    def get_batch_size(self) -> int: ...

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model made of one batch; every list has one entry per question.

    Attributes:
        seconds: per question, the batch's time over its size, measured where the model runs.
        failures: what failed on the way.
        usage: what the steps with an LLM read, wrote and cost.
        steps: the trace, as JSON objects.
        given_up: for how many questions each kind of work was left out.
    """

    predictions: list[str]
    seconds: float
    failures: list[tuple[Mapping[str, str], ...]]
    usage: list[dict[str, dict[str, Any]]]
    steps: list[list[dict[str, Any]]]
    given_up: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def none(cls, count: int, kind: str, says: str, seconds: float = 0.0) -> "Answered":
        """A batch of which no question has an answer, for one reason."""
        failure = {"kind": kind, "step": "", "example": says[:_EXAMPLE]}
        return cls([IDK] * count, seconds, [(failure,)] * count, [{}] * count, [[]] * count)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers and times one batch. `cut` shortens an answer as the evaluator does."""

    model: OfficialModel
    cut: Callable[[str], str]
    clock: Callable[[], float] = time.perf_counter

    def __call__(self, examples: Sequence[Example]) -> Answered:
        """Only `KeyboardInterrupt` and its like get through."""
        count, before = len(examples), Counter(getattr(self.model, "given_up", {}))
        start = self.clock()
        try:
            answers = self.model.batch_generate_answer(to_batch(examples))
        except Exception as error:  # any model may be run: its error is its result
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
        failures = getattr(self.model, "last_failures", None)
        if not isinstance(failures, list) or len(failures) != count:
            failures = [()] * count
        steps = getattr(self.model, "last_traces", None) or [[]] * count
        return Answered(
            [self.cut(answer) for answer in answers],
            seconds,
            [tuple(map(_told, failed)) for failed in failures],
            [sum_usage([_usage(step) for step in each if step.tokens or step.prompt_tokens])
             for each in steps],
            [[step.as_json() for step in each] for each in steps],
            Counter(getattr(self.model, "given_up", {})) - before,
        )  # fmt: skip


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
            failures=failed,
            usage=usage,
            reason=judgement.reason,
            judge_failed=judgement.failed,
            golds=example.golds,
            slices=example.slices,
        )
        for example, item, failed, usage, judgement in zip(
            examples, items, answered.failures, answered.usage, judge_items(judge, items),
            strict=True,
        )
    ]  # fmt: skip


def _traces(results: Sequence[Result], answered: Answered) -> list[dict[str, Any]]:
    """What the model did for each question, as JSON objects."""
    return [
        {
            "id": result.id,
            "query": result.query,
            "answers": list(result.golds),
            "prediction": result.prediction,
            "verdict": result.verdict,
            "failures": list(result.failures),
            "steps": steps,
        }
        for result, steps in zip(results, answered.steps, strict=True)
    ]


def _usage(step: Any) -> dict[str, dict[str, Any]]:
    return {step.name: {"llm": step.llm, "adapter": step.adapter or "", "calls": 1,
                        "prompt": step.prompt_tokens, "cached": step.cached_tokens,
                        "completion": step.tokens, "dollars": step.cost}}  # fmt: skip


Batch = list[Example]
AnswerAll = Callable[[Iterator[Batch]], Iterator[Answered]]  # in the order of the batches


@dataclass(slots=True)
class Run:
    """A whole run: earlier results, new ones, and the progress.

    Attributes:
        answer_all: answers batches, here or elsewhere; it may read ahead of what it returns.
        expected: the number of questions to come where it is known; else the share of the file
            that has been read gives an estimate.
        counts: what happened beside the answers, in words: work left out for lack of time, workers
            lost; written with each batch, so that a resumed run has them all.
    """

    answer_all: AnswerAll
    judge: Judge
    folder: RunFolder
    batch_size: int
    expected: int | None = None
    limit: int | None = None
    traced: bool = False
    notes: ReadNotes = field(default_factory=ReadNotes)
    results: list[Result] = field(default_factory=list)
    resumed: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[Verdict] = field(default_factory=Counter)

    def go(self, examples: Iterable[Example], done: dict[str, Result], show: Show) -> list[Result]:
        """The results of all `examples`, those in `done` taken over; each batch saved at once.

        Raises:
            InputError: a question in `done` is another one in `examples`.
            EveryQuestionFailed: the first batch, which is not saved.
        """
        waiting: deque[Batch] = deque()  # batches that are being answered
        self.counts.update(self.folder.counts())

        def batches() -> Iterator[Batch]:
            for batch in _batches(self._not_done(examples, done), self.batch_size):
                waiting.append([replace(example, pages=()) for example in batch])
                yield batch

        first = True
        for answered in self.answer_all(batches()):
            results = judged(self.judge, waiting.popleft(), answered)
            if first and not self.resumed:
                self._stop_if_all_failed(results)
            first = False
            if self.traced:  # first: a question that is answered has its trace
                self.folder.append_traces(_traces(results, answered))
            for what, count in answered.given_up.items():
                self.counts[f"questions without {what}, for lack of time"] += count
            self.folder.write_counts(self.counts)
            self.folder.append(results)
            self._add(results)
            show(self._tally(last=False))
        show(self._tally(last=True))
        return self.results

    def _stop_if_all_failed(self, results: Sequence[Result]) -> None:
        """Raise EveryQuestionFailed where the setup is why no question of these has an answer."""
        if len(results) < _FEWEST or any(result.prediction != IDK for result in results):
            return
        kinds = [{f["kind"]: f["example"] for f in r.failures if f.get("of_setup")}
                 for r in results]  # fmt: skip
        for kind, example in kinds[0].items():
            if all(kind in others for others in kinds):
                raise EveryQuestionFailed(
                    f"each of the first {len(results)} questions failed: {kind}: {example}"
                )

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
            self._add([replace(before, slices=example.slices)])
            self.resumed += 1

    def _add(self, results: Sequence[Result]) -> None:
        self.results += results
        self.verdicts.update(result.verdict for result in results)

    def _tally(self, *, last: bool) -> Tally:
        done = len(self.results)
        total = done if last else self._total(done)
        return Tally(
            done=done,
            correct=self.verdicts[Verdict.CORRECT],
            wrong=self.verdicts[Verdict.WRONG],
            resumed=self.resumed,
            total=total,
        )

    def _total(self, done: int) -> int | None:
        """The number of questions there will be, as far as can be told."""
        fraction = self.notes.consumed.fraction
        estimate = self.expected
        if estimate is None and 0 < fraction < 1:  # 1: a packed file is read ahead of its rows
            estimate = max(done, round(done / fraction))
        known = [total for total in (estimate, self.limit) if total is not None]
        return min(known, default=None)


def _told(failure: Any) -> Mapping[str, str]:
    """One of `UserModel.last_failures` as it is kept."""
    error = str(getattr(failure, "error", failure))
    told = {
        "kind": str(getattr(failure, "kind", type(failure).__name__)),
        "step": str(getattr(failure, "step", "")),
        "example": error[:_EXAMPLE],
    }
    return {**told, **({"of_setup": "yes"} if getattr(failure, "of_setup", False) else {})}


def _batches(examples: Iterator[Example], size: int) -> Iterator[Batch]:
    while batch := list(islice(examples, size)):
        yield batch
