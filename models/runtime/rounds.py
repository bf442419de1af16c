"""An LLM round: all prompts of a batch in one call, each with its own adapter."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from models.llm.budget import fit_passages, room
from models.llm.confidence import answer_key, sequence_confidence
from models.llm.errors import Broken, ConstraintUnsupported, ContextTooLong, CutOff, TooLong
from models.llm.factory import LLMs
from models.llm.protocol import LLM, Completion, FinishReason, Prompt, Sampling
from models.llm.replies import CleanLLM
from models.load_shedding import GivenUp
from models.prompts import Template
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError
from utils.tokens import MAX_ANSWER_TOKENS, whole_items

PASSAGES = "passages"  # the placeholder in a prompt that takes as many passages as fit
_READ = 0.05  # time to read a token, as a share of the time to write one
_CHARS = 4  # characters per token, estimated
_ROUND = 200  # fixed cost of a round, in written tokens
_ENGINE = 0.98  # the engine's share of a round's time; the rest is for recording its results
_A_WORD = 8  # tokens; a choice this short may end at its limit
_TRIED_AGAIN = 0.5  # retry soon, because an engine stops at the deadline

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request(Sampling):
    """One question's request to an LLM.

    Attributes:
        index: the question's slot in the batch.
        subtask: its name in the settings, which select its engine and adapter.
        template: the prompt.
        values: of the placeholders, except `{passages}`.
        passages: best first; as many as fit replace `{passages}`.
        budget: maximum tokens of passages; None: what the context leaves.
        numbered: whether passages are numbered [1]...[K].
        write: joins the passages that fit into one text.
    """

    index: int
    subtask: str
    template: Template
    values: Mapping[str, str]
    passages: Sequence[str] = ()
    budget: int | None = None
    numbered: bool = False
    write: Callable[[Sequence[str]], str] = "\n\n".join

    @property
    def texts(self) -> list[str]:
        """The passages as shown in a prompt."""
        if not self.numbered:
            return list(self.passages)
        return [f"[{number}] {text}" for number, text in enumerate(self.passages, 1)]

    def filled(self, kept: Sequence[int]) -> dict[str, str]:
        """The values of the placeholders; `{passages}`, if there is one, has these passages."""
        if PASSAGES not in self.template.fields:
            return dict(self.values)
        texts = self.texts
        return {**self.values, PASSAGES: self.write([texts[number] for number in kept])}


@dataclass(slots=True, eq=False)
class _Asked:
    """A request on its way through a round; `inputs` are its values with the passages that fit."""

    request: Request
    llm: LLM
    adapter: str | None
    inputs: Mapping[str, str] = field(default_factory=dict)
    prompt: Prompt | None = None
    completion: Completion = Completion("", FinishReason.DEADLINE, 0)

    def fail(self, error: CragError) -> None:
        self.completion = Completion("", FinishReason.BROKEN, 0, error=error)

    def step(self, seconds: float) -> Step:
        """The step of a trace."""
        made = self.completion
        return Step(
            self.request.subtask,
            self.inputs or self.request.values,
            "\n---\n".join(sample.text for sample in made.samples),
            seconds,
            self.adapter,
            sum(sample.tokens for sample in made.samples),
            sureness(made),
            llm=getattr(self.llm, "name", ""),
            prompt=self.request.template.name,
            prompt_tokens=made.prompt_tokens,
            cached_tokens=made.cached_tokens,
            cost=self.llm.cost(made) if isinstance(self.llm, CleanLLM) else 0.0,
        )


@dataclass
class Rounds:
    """Asks LLMs for a batch, and notes each completion in its question's trace.

    Attributes:
        llms: the engines.
        shown: for the last request of each (question, subtask), the indices of the passages that
            were in the prompt, from 0.
    """

    llms: LLMs
    shown: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict, init=False)

    def ask(
        self, requests: Sequence[Request], deadline: Deadline, ledger: Ledger
    ) -> list[Completion]:
        """One completion per request, in order.

        A request that fails (question longer than the context, server unavailable) is noted as its
        question's failure; the others continue.

        Raises:
            SettingsError: a subtask's engine is not in the settings.
        """
        if not requests:
            return []
        asked = [_Asked(request, *self.llms.of(request.subtask)) for request in requests]
        start = deadline.clock()  # start here, because an engine may have had to be loaded first
        by_engine: dict[int, list[_Asked]] = {}
        for one in self._affordable(asked, deadline, ledger):
            if self._write(one):
                by_engine.setdefault(id(one.llm), []).append(one)
        for several in by_engine.values():
            began = deadline.clock()
            ending = deadline.sooner(deadline.remaining() * _ENGINE)
            self._generate(several, ending, ledger)
            # an engine that has learned its context length holds fewer passages
            too_long = [one for one in several if isinstance(one.completion.error, ContextTooLong)]
            shorter = [one for one in too_long if one.request.passages and self._write(one)]
            if shorter and not ending.expired:
                self._generate(shorter, ending, ledger)
            self._learn(several, deadline.clock() - began)
        seconds = deadline.clock() - start
        for one in asked:
            _end(one, ledger)
            ledger.note(one.request.index, one.step(seconds))
        return [one.completion for one in asked]

    def _write(self, one: _Asked) -> bool:
        """Write the prompt of a request; whether it fits."""
        request = one.request
        try:
            prompt, kept = written_prompt(request, one.llm, one.adapter)
            left = room(one.llm, prompt)
            if left is not None and left < 0:  # it would fail the whole round
                raise ContextTooLong(-left, one.llm.context or 0)
        except CragError as error:
            one.fail(error)
            return False
        one.prompt, one.inputs = prompt, request.filled(kept)
        self.shown[request.index, request.subtask] = kept
        return True

    def _affordable(
        self, asked: Sequence[_Asked], deadline: Deadline, ledger: Ledger
    ) -> list[_Asked]:
        """Those for which there is time; their requests are reduced to one sample, or to half of
        the passages, before the last ones are left out. Requests of subtasks with an unknown pace
        stay unchanged."""
        pace = self.llms.pace
        kept = list(asked)

        def fits() -> bool:
            expected = (pace.expected(what, units) for what, units in _units(kept).items())
            return sum(expected) <= deadline.remaining()

        known = [one for one in asked if pace.expected(one.request.subtask, 1) > 0]
        for what in (GivenUp.SAMPLES, GivenUp.PASSAGES):
            if fits():
                return kept
            for one in known:
                before, one.request = one.request, _reduced(one.request, what)
                if one.request != before:
                    ledger.gave_up(before.index, what)
        while known and not fits():
            last = known.pop()
            kept.remove(last)
            ledger.gave_up(last.request.index, GivenUp.ROUND)
        for subtask in _units(asked).keys() - _units(kept).keys():
            pace.skipped(subtask, _TRIED_AGAIN)
        return kept

    def _learn(self, asked: Sequence[_Asked], seconds: float) -> None:
        """Record the seconds of one engine's requests, split over subtasks by their work."""
        made = [one.completion for one in asked]
        cut_off = any(one.finish_reason is FinishReason.DEADLINE for one in made)
        begun = [one for one in asked if one.completion.finished or one.completion.tokens]
        if cut_off and not begun:  # the engine was still reading all of them
            begun = list(asked)
        work = _units(begun)
        for subtask, units in work.items():
            part = seconds * units / sum(work.values())
            self.llms.pace.done(subtask, units, part, cut_off=cut_off)

    def _generate(self, asked: Sequence[_Asked], deadline: Deadline, ledger: Ledger) -> None:
        """Ask one engine for the completions."""
        prompts = [one.prompt for one in asked if one.prompt is not None]
        try:
            made = asked[0].llm.generate(prompts, deadline=deadline)
        except ConstraintUnsupported as error:  # unconstrained replies are parsed leniently
            for one, prompt in zip(asked, prompts, strict=True):
                ledger.failed(one.request.index, error, one.request.subtask)
                one.prompt = replace(prompt, constraint=None)
            self._generate(asked, deadline, ledger)
        except CragError as error:
            if len(asked) == 1:
                asked[0].fail(error)
                return
            logger.warning("a round failed, its prompts are asked one by one: %s", error)
            for one in asked:
                if not deadline.expired:
                    self._generate([one], deadline, ledger)
        else:
            for one, completion in zip(asked, made, strict=True):
                one.completion = completion


def sureness(completion: Completion) -> dict[str, float]:
    """A completion's confidence figures: `likely`, the length-normalised probability of its text if
    known; `samples`, the share of samples that agree on the most frequent one."""
    found: dict[str, float] = {}
    likely = sequence_confidence(completion)
    if likely is not None:
        found["likely"] = likely
    if len(completion.samples) > 1:
        keys = Counter(answer_key(sample.text) for sample in completion.samples)
        found["samples"] = keys.most_common(1)[0][1] / len(completion.samples)
    return found


def _end(one: _Asked, ledger: Ledger) -> None:
    """Note a completion's errors as its question's failures; cut an answer truncated within a list
    to whole items."""
    request, completion = one.request, one.completion
    problem = completion.error or _unfinished(request, completion.finish_reason)
    for error in (problem, *(other.error for other in completion.others)):
        if error is not None:
            ledger.failed(request.index, error, request.subtask)
    if isinstance(problem, TooLong) and request.max_tokens == MAX_ANSWER_TOKENS:
        one.completion = replace(completion, text=whole_items(completion.text))


def _unfinished(request: Request, reason: FinishReason) -> CragError | None:
    """What is wrong with a completion that ended so."""
    if reason is FinishReason.DEADLINE:
        return CutOff(f"{request.subtask} was cut off at its deadline")
    if reason is FinishReason.BROKEN:
        return Broken(f"{request.subtask} broke off")
    if reason is FinishReason.LENGTH and request.max_tokens > _A_WORD:
        return TooLong(request.max_tokens)
    return None


def _units(asked: Iterable[_Asked]) -> dict[str, float]:
    """The work of each subtask's requests, in tokens to write.

    Each subtask has its own pace, since it has its own engine, adapter and kind of prompt.
    """
    found: dict[str, float] = {}
    for request in (one.request for one in asked):
        chars = sum(map(len, request.values.values()))
        chars += sum(len(text) for _, text in request.template.turns)
        read = chars / _CHARS + _passage_tokens(request)
        work = request.n * request.max_tokens + _READ * read
        found[request.subtask] = found.get(request.subtask, _ROUND) + work
    return found


def _passage_tokens(request: Request) -> float:
    tokens = sum(map(len, request.passages)) / _CHARS
    return tokens if request.budget is None else min(tokens, request.budget)


def _reduced(request: Request, what: GivenUp) -> Request:
    """The request with one sample, or with half of its passages, at least one."""
    if what is GivenUp.SAMPLES:
        return replace(request, n=1)
    if len(request.passages) < 2:
        return request
    first = len(request.passages[0]) / _CHARS
    return replace(request, budget=int(max(first, _passage_tokens(request) / 2)) + 1)


def written_prompt(
    request: Request, llm: LLM, adapter: str | None
) -> tuple[Prompt, tuple[int, ...]]:
    """The prompt of `request` with as many passages as its budget and the context hold, and the
    indices of these passages."""
    sampling = {entry.name: getattr(request, entry.name) for entry in fields(Sampling)}

    def written(kept: Sequence[int]) -> Prompt:
        return Prompt(request.template.render(request.filled(kept)), adapter, **sampling)

    texts = request.texts
    limits = [limit for limit in (request.budget, room(llm, written([]))) if limit is not None]
    fitting = fit_passages(texts, min(limits), llm.count) if limits else texts
    start = texts.index(fitting[0]) if fitting else 0  # the ones before it are too long
    kept = tuple(range(start, start + len(fitting)))
    return written(kept), kept
