"""A model's answers to streamed questions, judged batch by batch and written as they come."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from evaluation.dataset import Example, ReadNotes, to_batch
from evaluation.judge.protocol import Item, Judge, Judgement, Verdict
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


class Model(Protocol):
    """What the contest's evaluator asks of a `UserModel`."""

    def get_batch_size(self) -> int: ...

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Runner:
    """Answers, times and judges one batch. `cut` shortens an answer as the evaluator does."""

    model: Model
    judge: Judge
    cut: Callable[[str], str]
    clock: Callable[[], float] = time.perf_counter

    def run(self, examples: Sequence[Example]) -> list[Result]:
        """One result an example, in order. Only `KeyboardInterrupt` and its like get through."""
        start = self.clock()
        answers, failures = self._answers(examples)
        seconds = (self.clock() - start) / len(examples)
        predictions = [self.cut(answer) for answer in answers]
        judgements = self._judgements(
            [
                Item(example.id, example.query, example.golds, prediction)
                for example, prediction in zip(examples, predictions, strict=True)
            ]
        )
        return [
            Result(
                id=example.id,
                query=example.query,
                prediction=prediction,
                verdict=judgement.verdict,
                seconds=seconds,
                failures=failed,
                usage=usage,
                reason=judgement.reason,
                judge_failed=judgement.failed,
                golds=example.golds,
                slices=example.slices,
            )
            for example, prediction, failed, usage, judgement in zip(
                examples, predictions, failures, self._usage(examples), judgements, strict=True
            )
        ]

    def traces(self, results: Sequence[Result]) -> list[dict[str, Any]]:
        """What the model did for the questions that it answered last, as JSON objects."""
        steps = getattr(self.model, "last_traces", None) or [[]] * len(results)
        return [
            {
                "id": result.id,
                "query": result.query,
                "answers": list(result.golds),
                "prediction": result.prediction,
                "verdict": result.verdict,
                "failures": list(result.failures),
                "steps": [step.as_json() for step in each],
            }
            for result, each in zip(results, steps, strict=True)
        ]

    def _usage(self, examples: Sequence[Example]) -> list[dict[str, dict[str, Any]]]:
        """What each example's steps with a model read, wrote and cost."""
        steps = getattr(self.model, "last_traces", None) or [[]] * len(examples)
        return [
            sum_usage([
                {step.name: {"llm": step.llm, "adapter": step.adapter or "", "calls": 1,
                             "prompt": step.prompt_tokens, "cached": step.cached_tokens,
                             "completion": step.tokens, "dollars": step.cost}}
                for step in each
                if step.tokens or step.prompt_tokens
            ])
            for each in steps
        ]  # fmt: skip

    def _answers(
        self, examples: Sequence[Example]
    ) -> tuple[list[str], list[tuple[Mapping[str, str], ...]]]:
        """Answers and failures; a batch without usable answers is "i don't know" throughout."""
        try:
            answers = self.model.batch_generate_answer(to_batch(examples))
        except Exception as error:  # any model may be run: its error is its result
            logger.exception("the model raised")
            return self._none_answered(examples, type(error).__name__, str(error))
        if (
            not isinstance(answers, list)
            or len(answers) != len(examples)
            or not all(isinstance(answer, str) for answer in answers)
        ):
            logger.error("%d questions, and not as many strings as answers", len(examples))
            said = f"{len(examples)} questions, and not as many strings as answers"
            return self._none_answered(examples, WRONG_LENGTH, said)
        failures = getattr(self.model, "last_failures", None)
        if not isinstance(failures, list) or len(failures) != len(examples):
            failures = [()] * len(examples)
        return answers, [tuple(map(_told, failed)) for failed in failures]

    @staticmethod
    def _none_answered(
        examples: Sequence[Example], kind: str, said: str
    ) -> tuple[list[str], list[tuple[Mapping[str, str], ...]]]:
        failure = {"kind": kind, "step": "", "example": said[:_EXAMPLE]}
        return [IDK] * len(examples), [(failure,)] * len(examples)

    def _judgements(self, items: Sequence[Item]) -> list[Judgement]:
        """One judgement an item; a judge that fails leaves its items unscored, never wrong."""
        try:
            judgements = self.judge.judge(items)
            if len(judgements) == len(items):
                return judgements
            reason = f"the judge gave {len(judgements)} judgements for {len(items)} items"
        except CragError as error:
            reason = f"{type(error).__name__}: {error}"
        logger.error("unscored: %s", reason)
        return [Judgement(Verdict.UNSCORED, reason, failed=True)] * len(items)


@dataclass(slots=True)
class Run:
    """A whole run: the results of before, those of now, and where it stands.

    `expected` is the number of questions to come where it is known; else the share of the file
    that has been read gives an estimate.
    """

    runner: Runner
    folder: RunFolder
    batch_size: int
    expected: int | None = None
    limit: int | None = None
    traced: bool = False
    notes: ReadNotes = field(default_factory=ReadNotes)
    results: list[Result] = field(default_factory=list)
    resumed: int = 0

    def go(self, examples: Iterable[Example], done: dict[str, Result], show: Show) -> list[Result]:
        """The results of all `examples`, those in `done` taken over; each batch saved at once.

        Raises:
            InputError: a question in `done` is another one in `examples`.
            EveryQuestionFailed: the first batch, which is not saved.
        """
        first = True
        for batch in _batches(self._not_done(examples, done), self.batch_size):
            results = self.runner.run(batch)
            if first and not self.resumed:
                self._stop_if_all_failed(results)
            first = False
            if self.traced:  # first: a question that is answered has its trace
                self.folder.append_traces(self.runner.traces(results))
            self.folder.append(results)
            self.results += results
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
            self.results.append(before)
            self.resumed += 1

    def _tally(self, *, last: bool) -> Tally:
        done = len(self.results)
        verdicts = [result.verdict for result in self.results]
        total = done if last else self._total(done)
        return Tally(
            done=done,
            correct=verdicts.count(Verdict.CORRECT),
            wrong=verdicts.count(Verdict.WRONG),
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


def _batches(examples: Iterator[Example], size: int) -> Iterator[list[Example]]:
    while batch := list(islice(examples, size)):
        yield batch
