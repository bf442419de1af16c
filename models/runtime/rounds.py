"""An LLM round: all prompts of a batch in one call, each with its own adapter."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.llm.budget import fit_passages, room
from models.llm.confidence import answer_key, sequence_confidence
from models.llm.errors import Broken, ConstraintUnsupported, ContextTooLong, CutOff, TooLong
from models.llm.factory import LLMs
from models.llm.protocol import LLM, Completion, Constraint, FinishReason, Prompt
from models.llm.replies import CleanLLM
from models.load_shedding import GivenUp
from models.prompts import Template
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError
from utils.tokens import MAX_ANSWER_TOKENS, whole_items

PASSAGES = "passages"  # the placeholder in a prompt that takes as many passages as fit
NOTHING = Completion("", FinishReason.BROKEN, 0)
LATE = Completion("", FinishReason.DEADLINE, 0)
_READ = 0.05  # time to read a token, as a share of the time to write one
_CHARS = 4  # characters per token, estimated
_ROUND = 200  # fixed cost of a round, in written tokens
_ENGINE = 0.98  # the engine's share of a round's time; the rest is for recording its results
_A_WORD = 8  # tokens; a choice this short may end at its limit
_TRIED_AGAIN = 0.5  # retry soon, because an engine stops at the deadline

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
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
        sampling: other fields of the prompt (models/llm/protocol.py); messages and adapter are set
            here.
    """

    index: int
    subtask: str
    template: Template
    values: Mapping[str, str]
    passages: Sequence[str] = ()
    budget: int | None = None
    numbered: bool = False
    write: Callable[[Sequence[str]], str] = "\n\n".join
    max_tokens: int = 75
    temperature: float = 0.0
    top_p: float = 1.0
    n: int = 1
    seed: int | None = None
    constraint: Constraint | None = None
    logprobs: bool = False
    stop: tuple[str, ...] = ()


@dataclass
class Rounds:
    """Asks LLMs for a batch, and notes each completion in its question's trace.

    Attributes:
        llms: the engines.
        asked: the number of rounds.
        shown: for the last request of each (question, subtask), the indices of the passages that
            were in the prompt, from 0.
    """

    llms: LLMs
    asked: int = field(default=0, init=False)
    shown: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict, init=False)

    def ask(
        self, requests: Sequence[Request], deadline: Deadline, ledger: Ledger
    ) -> list[Completion]:
        """One completion per request, in order; `NOTHING` for a request that could not be sent.

        A request that fails (question longer than the context, server unavailable) is noted as its
        question's failure; the others continue.

        Raises:
            SettingsError: a subtask's engine is not in the settings.
        """
        if not requests:
            return []
        self.asked += 1
        engines = [self.llms.of(request.subtask) for request in requests]
        start = deadline.clock()  # start here, because an engine may have had to be loaded first
        found = [NOTHING] * len(requests)
        given: list[Mapping[str, str]] = [request.values for request in requests]
        by_engine: dict[int, tuple[LLM, list[int], list[Prompt]]] = {}
        fitting = self._fitting(requests, deadline, ledger)
        for place, (request, (llm, adapter)) in enumerate(zip(fitting, engines, strict=True)):
            if request is None:
                found[place] = self._noted(requests[place], LATE, ledger)
                continue
            prompt = self._written(request, llm, adapter, given, place, ledger)
            if prompt is not None:
                _, places, prompts = by_engine.setdefault(id(llm), (llm, [], []))
                places.append(place)
                prompts.append(prompt)
        for llm, places, prompts in by_engine.values():
            began = deadline.clock()
            ending = deadline.sooner(deadline.remaining() * _ENGINE)
            asked = [requests[place] for place in places]
            made = dict(
                zip(places, self._generate(llm, prompts, asked, ending, ledger), strict=True)
            )
            shorter = {
                place: prompt
                for place, completion in made.items()
                if isinstance(completion.error, ContextTooLong) and requests[place].passages
                # the engine has learned its context length by now
                if (prompt := self._written(requests[place], llm, engines[place][1], given, place,
                                            ledger))
            }  # fmt: skip
            if shorter and not ending.expired:
                asked = [requests[place] for place in shorter]
                again = self._generate(llm, list(shorter.values()), asked, ending, ledger)
                made |= zip(shorter, again, strict=True)
            for place, completion in made.items():
                found[place] = self._noted(requests[place], completion, ledger)
            said = [(fitting[place], found[place]) for place in places]
            self._learn(said, deadline.clock() - began)
        seconds = deadline.clock() - start
        for place, (request, completion) in enumerate(zip(requests, found, strict=True)):
            llm, adapter = engines[place]
            text = "\n---\n".join(sample.text for sample in completion.samples)
            step = Step(
                request.subtask,
                given[place],
                text,
                seconds,
                adapter,
                sum(sample.tokens for sample in completion.samples),
                sureness(completion),
                llm=getattr(llm, "name", ""),
                prompt=request.template.name,
                prompt_tokens=completion.prompt_tokens,
                cached_tokens=completion.cached_tokens,
                cost=llm.cost(completion) if isinstance(llm, CleanLLM) else 0.0,
            )
            ledger.note(request.index, step)
        return found

    def _written(
        self,
        request: Request,
        llm: LLM,
        adapter: str | None,
        given: "list[Mapping[str, str]]",
        place: int,
        ledger: Ledger,
    ) -> Prompt | None:
        """The prompt of a request, whose values are put into `given`; None if it cannot fit."""
        try:
            prompt, kept = written_prompt(request, llm, adapter)
            _check_room(llm, prompt)
        except CragError as error:
            ledger.failed(request.index, error, request.subtask)
            return None
        self.shown[request.index, request.subtask] = kept
        texts = _numbered(request)
        given[place] = _filled(request, [texts[number] for number in kept])
        return prompt

    def _noted(self, request: Request, completion: Completion, ledger: Ledger) -> Completion:
        """The completion; its error is noted as its question's failure. An answer truncated within
        a list is cut to whole items."""
        error: Exception | None = completion.error
        if error is None and completion.finish_reason is FinishReason.DEADLINE:
            error = CutOff(f"{request.subtask} was cut off at its deadline")
        elif error is None and completion.finish_reason is FinishReason.BROKEN:
            error = Broken(f"{request.subtask} broke off")
        elif (
            error is None
            and completion.finish_reason is FinishReason.LENGTH
            and request.max_tokens > _A_WORD
        ):
            error = TooLong(request.max_tokens)
            if request.max_tokens == MAX_ANSWER_TOKENS:
                completion = replace(completion, text=whole_items(completion.text))
        if error is not None and completion is not NOTHING:
            ledger.failed(request.index, error, request.subtask)
        for other in completion.others:
            if other.error is not None:
                ledger.failed(request.index, other.error, request.subtask)
        return completion

    def _fitting(
        self, requests: Sequence[Request], deadline: Deadline, ledger: Ledger
    ) -> list[Request | None]:
        """The requests reduced to the time left: to one sample, to half of the passages, or, from
        the last one on, to None. Requests of subtasks with an unknown pace stay unchanged."""
        made: list[Request | None] = list(requests)
        pace = self.llms.pace

        def fits() -> bool:
            expected = (pace.expected(what, units) for what, units in _units(made).items())
            return sum(expected) <= deadline.remaining()

        known = [i for i, r in enumerate(requests) if pace.expected(r.subtask, 1) > 0]
        for what, cheaper in (
            (GivenUp.SAMPLES, _with_one_sample),
            (GivenUp.PASSAGES, _with_fewer_passages),
        ):
            if fits():
                return made
            for place in known:
                now = made[place]
                if now is not None and (then := cheaper(now)) != now:
                    made[place] = then
                    ledger.gave_up(now.index, what)
        for place in reversed(known):
            if fits():
                break
            made[place] = None
            ledger.gave_up(requests[place].index, GivenUp.ROUND)
        for subtask in {request.subtask for request in requests} - _units(made).keys():
            pace.skipped(subtask, _TRIED_AGAIN)
        return made

    def _learn(self, said: Sequence[tuple[Request | None, Completion]], seconds: float) -> None:
        """Record the seconds of one engine's requests, split over subtasks by their work."""
        cut_off = any(made.finish_reason is FinishReason.DEADLINE for _, made in said)
        begun = [request for request, made in said if made.finished or made.tokens]
        if cut_off and not begun:  # the engine was still reading all of them
            begun = [request for request, _ in said]
        work = _units(begun)
        for subtask, units in work.items():
            part = seconds * units / sum(work.values())
            self.llms.pace.done(subtask, units, part, cut_off=cut_off)

    def _generate(
        self,
        llm: LLM,
        prompts: Sequence[Prompt],
        requests: Sequence[Request],
        deadline: Deadline,
        ledger: Ledger,
    ) -> list[Completion]:
        try:
            return llm.generate(prompts, deadline=deadline)
        except ConstraintUnsupported as error:  # unconstrained replies are parsed leniently
            for request in requests:
                ledger.failed(request.index, error, request.subtask)
            if not any(prompt.constraint for prompt in prompts):
                return [NOTHING] * len(prompts)
            free = [replace(prompt, constraint=None) for prompt in prompts]
            return self._generate(llm, free, requests, deadline, ledger)
        except CragError as error:
            if len(prompts) == 1:
                ledger.failed(requests[0].index, error, requests[0].subtask)
                return [NOTHING]
            logger.warning("a round failed, its prompts are asked one by one: %s", error)
        return [
            self._generate(llm, [prompt], [request], deadline, ledger)[0]
            if not deadline.expired
            else LATE
            for prompt, request in zip(prompts, requests, strict=True)
        ]


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


def _units(requests: Iterable[Request | None]) -> dict[str, float]:
    """The work of each subtask's requests, in tokens to write.

    Each subtask has its own pace, since it has its own engine, adapter and kind of prompt.
    """
    found: dict[str, float] = {}
    for request in requests:
        if request is not None:
            chars = sum(map(len, request.values.values())) + _template_chars(request.template)
            read = chars / _CHARS + _passage_tokens(request)
            work = request.n * request.max_tokens + _READ * read
            found[request.subtask] = found.get(request.subtask, _ROUND) + work
    return found


def _template_chars(template: Template) -> int:
    return sum(len(text) for _, text in template.turns)


def _passage_tokens(request: Request) -> float:
    tokens = sum(map(len, request.passages)) / _CHARS
    return tokens if request.budget is None else min(tokens, request.budget)


def _with_one_sample(request: Request) -> Request:
    return replace(request, n=1)


def _with_fewer_passages(request: Request) -> Request:
    if not request.passages:
        return request
    return replace(request, budget=int(_passage_tokens(request) / 2))


def _numbered(request: Request) -> list[str]:
    """The passages as shown in a prompt."""
    return [
        f"[{number}] {text}" if request.numbered else text
        for number, text in enumerate(request.passages, 1)
    ]


def _filled(request: Request, passages: Sequence[str]) -> dict[str, str]:
    """The values of the prompt's placeholders, with these passages if it has a place for them."""
    values = dict(request.values)
    if PASSAGES in request.template.fields:
        values[PASSAGES] = request.write(passages)
    return values


def _check_room(llm: LLM, prompt: Prompt) -> None:
    """Raise ContextTooLong if `prompt` does not fit: it would fail the whole round."""
    left = room(llm, prompt)
    if left is not None and left < 0:
        raise ContextTooLong(-left, llm.context or 0)


def written_prompt(
    request: Request, llm: LLM, adapter: str | None
) -> tuple[Prompt, tuple[int, ...]]:
    """The prompt of `request` with as many passages as its budget and the context hold, and the
    indices of these passages."""

    def written(passages: Sequence[str]) -> Prompt:
        return Prompt(
            request.template.render(_filled(request, passages)),
            adapter,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p,
            n=request.n,
            seed=request.seed,
            constraint=request.constraint,
            logprobs=request.logprobs,
            stop=request.stop,
        )

    texts = _numbered(request)
    if not texts:
        return written([]), ()
    budget = request.budget
    if llm.context is not None:
        everything = written(texts)
        if budget is None and llm.count_prompt(everything) + request.max_tokens <= llm.context:
            return everything, tuple(range(len(texts)))
        left = llm.context - llm.count_prompt(written([])) - request.max_tokens
        budget = left if budget is None else min(left, budget)
    if budget is None:
        return written(texts), tuple(range(len(texts)))
    fitting = fit_passages(texts, max(budget, 0), llm.count)
    start = texts.index(fitting[0]) if fitting else 0  # the ones before it are too long
    return written(fitting), tuple(range(start, start + len(fitting)))
