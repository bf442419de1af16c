"""An LLM round: all prompts of a batch in one call, each with its own adapter."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from threading import Lock
from typing import Any

from models.llm.budget import fit_passages, room
from models.llm.confidence import answer_key, sequence_confidence
from models.llm.errors import Broken, ConstraintUnsupported, ContextTooLong, CutOff, TooLong
from models.llm.llms import LLMs
from models.llm.protocol import LLM, Completion, FinishReason, Prompt, Sampling
from models.llm.replies import CleanLLM
from models.load_shedding import GivenUp
from models.runtime.request import CaseT, Reply, Request, RoundProgress, WrittenRequest
from models.runtime.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError
from utils.tokens import MAX_ANSWER_TOKENS, whole_items

_READING_COST = 0.05  # time to read a token, as a share of the time to write one
_CHARS_PER_TOKEN = 4  # an estimate
_ROUND_COST = 200  # fixed cost of a round, in written tokens
_ENGINE_SHARE = 0.98  # of a round's time; the rest is for recording the engine's results
_CHOICE_TOKENS = 8  # the completion of a request for so few may end at its limit
# Forecast factor per skipped round: retry soon, because an engine stops at the deadline.
_EASED_PER_SKIP = 0.5

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _PendingRequest:
    """A request on its way through a round; `inputs` are its values with the passages that fit,
    which are `shown`."""

    request: Request[Any]
    llm: LLM
    adapter: str | None
    shown: tuple[int, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    prompt: Prompt | None = None
    completion: Completion = Completion("", FinishReason.DEADLINE, 0)

    def fail(self, error: CragError) -> None:
        self.completion = Completion("", FinishReason.BROKEN, 0, error=error)

    def step(self, seconds: float) -> Step:
        """The step of a trace, after the round took `seconds`."""
        completion = self.completion
        cost = self.llm.cost(completion) if isinstance(self.llm, CleanLLM) else 0.0
        return Step(
            name=self.request.subtask,
            inputs=self.inputs or self.request.values,
            output="\n---\n".join(sample.text for sample in completion.samples),
            seconds=seconds,
            adapter=self.adapter,
            tokens=sum(sample.tokens for sample in completion.samples),
            confidence=confidence_figures(completion),
            llm=getattr(self.llm, "name", ""),
            prompt=self.request.template.name,
            prompt_tokens=completion.prompt_tokens,
            cached_tokens=completion.cached_tokens,
            cost=cost,
            answers=self.request.answers,
        )


class _RoundCounter:
    """Tells the listener of the first question how many requests of a round are answered."""

    def __init__(self, requests: Sequence[Request[Any]]) -> None:
        self._steps = ", ".join(dict.fromkeys(request.subtask for request in requests))
        self._requests = len(requests)
        self._slot = requests[0].case.slot
        self._done = 0
        self._lock = Lock()
        self._tell()

    def __call__(self) -> None:
        """One more is answered."""
        with self._lock:
            self._done += 1
            self._tell()

    def _tell(self) -> None:
        progress = RoundProgress(self._steps, self._done, self._requests)
        self._slot.tell(progress)


@dataclass(frozen=True)
class Rounds:
    """Asks LLMs for a batch, and records each completion in its question's trace.

    Attributes:
        llms: the engines.
    """

    llms: LLMs

    def ask(self, requests: Sequence[Request[CaseT]], deadline: Deadline) -> list[Reply[CaseT]]:
        """One reply per request, in order.

        A request that fails (prompt longer than the context, server unavailable) is recorded as its
        question's failure; the others continue.

        Raises:
            SettingsError: a subtask's engine is not in the settings.
        """
        if not requests:
            return []
        pending = [_PendingRequest(request, *self.llms.of(request.subtask)) for request in requests]
        start = deadline.clock()  # after `of`, which may have had to load an engine
        by_engine: dict[int, list[_PendingRequest]] = {}
        for one in self._affordable(pending, deadline):
            if self._write_prompt(one):
                by_engine.setdefault(id(one.llm), []).append(one)
        for group in by_engine.values():
            self._run_on_engine(group, deadline)
        seconds = deadline.clock() - start
        for one in pending:
            _conclude(one)
            written = WrittenRequest(one.request, one.prompt) if one.prompt else None
            one.request.case.slot.note_step(one.step(seconds), written)
        return [Reply(one.request, one.completion, one.shown) for one in pending]

    def _run_on_engine(self, pending: Sequence[_PendingRequest], deadline: Deadline) -> None:
        """Get the completions of one engine, and learn its pace."""
        start = deadline.clock()
        engine_deadline = deadline.sooner(deadline.remaining() * _ENGINE_SHARE)
        self._generate(pending, engine_deadline)
        # An engine that has just learned its context's length holds fewer passages.
        shortened = [
            one
            for one in pending
            if isinstance(one.completion.error, ContextTooLong)
            and one.request.passages
            and self._write_prompt(one)
        ]
        if shortened and not engine_deadline.expired:
            self._generate(shortened, engine_deadline)
        self._learn_pace(pending, deadline.clock() - start)

    def _write_prompt(self, one: _PendingRequest) -> bool:
        """Write the prompt of a request; whether it fits the context."""
        request = one.request
        try:
            prompt, passages = written_prompt(request, one.llm, one.adapter)
            free_tokens = room(one.llm, prompt)
            if free_tokens is not None and free_tokens < 0:  # it would fail the whole round
                raise ContextTooLong(-free_tokens, one.llm.context or 0)
        except CragError as error:
            one.fail(error)
            return False
        one.prompt = prompt
        one.inputs = request.filled(passages)
        one.shown = passages
        return True

    def _affordable(
        self, pending: Sequence[_PendingRequest], deadline: Deadline
    ) -> list[_PendingRequest]:
        """The requests for which there is time.

        Before the last requests are left out, all are reduced to one sample, then to half of their
        passages. Requests of subtasks with an unknown pace stay unchanged.
        """
        pace = self.llms.pace
        affordable = list(pending)

        def fits() -> bool:
            work = _work_by_subtask(affordable)
            seconds = sum(pace.expected(subtask, units) for subtask, units in work.items())
            return seconds <= deadline.remaining()

        reducible = [one for one in pending if pace.expected(one.request.subtask, 1) > 0]
        for what in (GivenUp.SAMPLES, GivenUp.PASSAGES):
            if fits():
                return affordable
            for one in reducible:
                reduced = reduced_request(one.request, what)
                if reduced != one.request:
                    one.request = reduced
                    reduced.case.slot.note_given_up(what)
        while reducible and not fits():
            last = reducible.pop()
            affordable.remove(last)
            last.request.case.slot.note_given_up(GivenUp.ROUND)
        subtasks = {one.request.subtask for one in pending}
        affordable_subtasks = {one.request.subtask for one in affordable}
        for subtask in subtasks - affordable_subtasks:
            pace.skipped(subtask, _EASED_PER_SKIP)
        return affordable

    def _learn_pace(self, pending: Sequence[_PendingRequest], seconds: float) -> None:
        """Record the seconds of one engine's requests, split over subtasks by their work."""
        cut_off = any(one.completion.finish_reason is FinishReason.DEADLINE for one in pending)
        begun = [one for one in pending if one.completion.finished or one.completion.tokens]
        if cut_off and not begun:  # the engine was still reading all of them
            begun = list(pending)
        work = _work_by_subtask(begun)
        all_units = sum(work.values())
        for subtask, units in work.items():
            part = seconds * units / all_units
            self.llms.pace.done(subtask, units, part, cut_off=cut_off)

    def _generate(self, pending: Sequence[_PendingRequest], deadline: Deadline) -> None:
        """Ask one engine for the completions."""
        prompts = [one.prompt for one in pending if one.prompt is not None]
        counter = _RoundCounter([one.request for one in pending])
        try:
            completions = pending[0].llm.generate(prompts, deadline=deadline, on_end=counter)
        except ConstraintUnsupported as error:  # unconstrained replies are parsed leniently
            for one, prompt in zip(pending, prompts, strict=True):
                one.request.case.note_failure(error, one.request.subtask)
                one.prompt = replace(prompt, constraint=None)
            self._generate(pending, deadline)
        except CragError as error:
            if len(pending) == 1:
                pending[0].fail(error)
                return
            logger.warning("a round failed, its prompts are retried one by one: %s", error)
            for one in pending:
                if not deadline.expired:
                    self._generate([one], deadline)
        else:
            for one, completion in zip(pending, completions, strict=True):
                one.completion = completion


def confidence_figures(completion: Completion) -> dict[str, float]:
    """How sure a model is of its completion, for `Step.confidence`.

    `likely` is the length-normalised probability of the text, if known; `samples` is the share of
    several samples that agree on the most frequent one.
    """
    figures: dict[str, float] = {}
    likely = sequence_confidence(completion)
    if likely is not None:
        figures["likely"] = likely
    if len(completion.samples) > 1:
        votes = Counter(answer_key(sample.text) for sample in completion.samples)
        figures["samples"] = max(votes.values()) / len(completion.samples)
    return figures


def _conclude(one: _PendingRequest) -> None:
    """Record a completion's errors; cut an answer that was truncated within a list."""
    request = one.request
    completion = one.completion
    problem = completion.error or _unfinished(request, completion.finish_reason)
    errors = [problem, *(other.error for other in completion.others)]
    for error in errors:
        if error is not None:
            request.case.note_failure(error, request.subtask)
    if isinstance(problem, TooLong) and request.max_tokens == MAX_ANSWER_TOKENS:
        one.completion = replace(completion, text=whole_items(completion.text))


def _unfinished(request: Request[Any], reason: FinishReason) -> CragError | None:
    """The error of a completion that ended for this reason; None if it is complete."""
    if reason is FinishReason.DEADLINE:
        return CutOff(f"{request.subtask} was cut off at its deadline")
    if reason is FinishReason.BROKEN:
        return Broken(f"{request.subtask} broke off")
    if reason is FinishReason.LENGTH and request.max_tokens > _CHOICE_TOKENS:
        return TooLong(request.max_tokens)
    return None


def _work_by_subtask(pending: Iterable[_PendingRequest]) -> dict[str, float]:
    """The work of each subtask's requests, in tokens to write.

    Each subtask has its own pace, since it has its own engine, adapter and kind of prompt.
    """
    work: dict[str, float] = {}
    for one in pending:
        request = one.request
        chars = sum(len(value) for value in request.values.values())
        chars += sum(len(text) for _, text in request.template.turns)
        tokens_to_read = chars / _CHARS_PER_TOKEN + _passage_tokens(request)
        units = request.n * request.max_tokens + _READING_COST * tokens_to_read
        work[request.subtask] = work.get(request.subtask, _ROUND_COST) + units
    return work


def _passage_tokens(request: Request[Any]) -> float:
    """The estimated tokens of the passages in the prompt of `request`."""
    tokens = sum(len(passage) for passage in request.passages) / _CHARS_PER_TOKEN
    if request.budget is None:
        return tokens
    return min(tokens, request.budget)


def reduced_request(request: Request[CaseT], what: GivenUp) -> Request[CaseT]:
    """The request with one sample, or with half of its passages, at least one."""
    if what is GivenUp.SAMPLES:
        return replace(request, n=1)
    if len(request.passages) < 2:
        return request
    first = len(request.passages[0]) / _CHARS_PER_TOKEN
    half = _passage_tokens(request) / 2
    return replace(request, budget=int(max(first, half)) + 1)


def written_prompt(
    request: Request[Any], llm: LLM, adapter: str | None
) -> tuple[Prompt, tuple[int, ...]]:
    """The prompt of `request`, and the indices of the passages in it.

    It has as many passages as the request's budget and the model's context hold.
    """
    sampling = {entry.name: getattr(request, entry.name) for entry in fields(Sampling)}

    def with_passages(passages: Sequence[int]) -> Prompt:
        return Prompt(request.template.render(request.filled(passages)), adapter, **sampling)

    texts = request.texts
    limits = [request.budget, room(llm, with_passages([]))]
    known_limits = [limit for limit in limits if limit is not None]
    fitting = fit_passages(texts, min(known_limits), llm.count) if known_limits else texts
    start = texts.index(fitting[0]) if fitting else 0  # the passages before it are too long
    passages = tuple(range(start, start + len(fitting)))
    return with_passages(passages), passages
