"""One round over a batch: a request that fails costs its own question only."""

from typing import Any

import pytest

from models.llm.errors import ConstraintUnsupported, ContextTooLong, ServerUnavailable
from models.llm.protocol import LLM, Completion, Constraint, ConstraintKind, FinishReason, Prompt
from models.load_shedding import GivenUp
from models.prompts import Template
from models.runtime.ledger import Ledger, QuestionOutcome
from models.runtime.request import Request
from models.runtime.rounds import Rounds, reduced_request, written_prompt
from tests.models.systems.clocks import Clock
from tests.models.systems.scripted import SOON, ScriptedLLM, ScriptedLLMs, saying
from utils.deadline import Deadline

PLAIN = Template("t/plain", (("user", "{question}"),))
WITH_PASSAGES = Template("t/passages", (("user", "{passages}\n{question}"),))


def request(index: int, text: str = "q", subtask: str = "a", **fields: Any) -> Request:
    template = WITH_PASSAGES if "passages" in fields else PLAIN
    return Request(index, subtask, template, {"question": text}, **fields)


def scripted(context: int | None = 8192, **replies: Any) -> ScriptedLLMs:
    llms = ScriptedLLMs({name: saying(reply) for name, reply in replies.items()})
    for engine in llms._scripted.values():
        engine.context = context
    return llms


def ask(
    llms: ScriptedLLMs, *requests: Request, deadline: Deadline = SOON
) -> tuple[list[Completion], list[QuestionOutcome], Rounds]:
    """The completions, the outcomes of the questions, and the rounds."""
    rounds = Rounds(llms)
    ledger = Ledger(len(requests))
    completions = rounds.ask(requests, deadline, ledger)
    return completions, ledger.close(), rounds


def texts_of(completions: list[Completion]) -> list[str]:
    return [completion.text for completion in completions]


def test_a_round_is_repeated_without_a_constraint_that_the_engine_does_not_support() -> None:
    def reply(prompt: Prompt) -> str | Exception:
        return ConstraintUnsupported("no choices") if prompt.constraint else "fine"

    llms = scripted(a=reply)
    choice = Constraint(ConstraintKind.CHOICE, "fine\nbad")
    completions, outcomes, _ = ask(llms, *(request(i, constraint=choice) for i in range(16)))
    assert texts_of(completions) == ["fine"] * 16
    assert [len(prompts) for _, prompts in llms.rounds] == [16, 16]
    assert ConstraintUnsupported in map(type, outcomes[0].failures)


def test_a_too_long_prompt_is_left_out_and_two_engines_keep_the_order() -> None:
    llms = scripted(context=12, a="from a", b="from b")
    requests = [
        request(0, "word " * 20, "a", max_tokens=4),
        request(1, "q", "b", max_tokens=4),
        request(2, "q", "a", max_tokens=4),
        request(3, "q", "a", max_tokens=4),
    ]
    completions, outcomes, _ = ask(llms, *requests)
    assert texts_of(completions) == ["", "from b", "from a", "from a"]
    assert [(name, len(prompts)) for name, prompts in llms.rounds] == [("b", 1), ("a", 2)]
    assert [type(error) for error in outcomes[0].failures] == [ContextTooLong]


def test_no_prompt_is_sent_to_a_dead_engine_after_the_deadline() -> None:
    clock = Clock()
    llms = scripted(a=lambda prompt: clock.after(4, ServerUnavailable("down")))
    completions, *_ = ask(llms, *map(request, range(4)), deadline=Deadline(10.0, clock))
    assert isinstance(completions[0].error, ServerUnavailable)
    assert completions[-1].finish_reason is FinishReason.DEADLINE
    assert clock() < 20


def test_the_pace_of_an_engine_excludes_its_loading() -> None:
    clock = Clock()

    class Loading(ScriptedLLMs):
        def of(self, subtask: str) -> tuple[LLM, str | None]:
            return clock.after(60.0, super().of(subtask))

    llms = Loading({"a": lambda prompt: clock.after(1.0, "fine")})
    ask(llms, request(0), deadline=Deadline(100.0, clock))
    assert 0 < llms.pace.expected("a", 275) < 2


def test_only_a_subtask_known_to_be_slow_is_left_out_and_its_pace_is_then_eased() -> None:
    clock = Clock()
    llms = scripted(a=lambda prompt: clock.after(20.0, "x"), b="fine")
    ask(llms, request(0), deadline=Deadline(28.0, clock))
    before = llms.pace.expected("a", 1)
    long = request(1, subtask="b", max_tokens=2000, n=4)
    soon = Deadline(clock() + 9.0, clock)
    completions, outcomes, _ = ask(llms, request(0), long, deadline=soon)
    assert texts_of(completions) == ["", "fine"]
    assert [outcome.given_up for outcome in outcomes] == [[GivenUp.ROUND], []]
    assert llms.pace.expected("a", 1) < before


@pytest.mark.parametrize(
    ("fields", "context", "shown"),
    [
        ({"max_tokens": 4}, 14, (0, 1)),
        ({"budget": 6, "numbered": True}, 8192, (0, 1)),
        ({"numbered": True}, 8192, (0, 1, 2, 3)),
    ],
)
def test_prompt_and_trace_have_as_many_whole_passages_as_fit(
    fields: dict[str, Any], context: int, shown: tuple[int, ...]
) -> None:
    llms = scripted(context, a="x")
    passages = ["one two", "nine", "one two", "three four five six"]
    _, (outcome,), rounds = ask(llms, request(0, passages=passages, **fields))
    texts = [passages[n] for n in shown]
    if "numbered" in fields:
        texts = [f"[{n + 1}] {passages[n]}" for n in shown]
    (step,) = outcome.steps
    assert step.inputs == {"question": "q", "passages": "\n\n".join(texts)}
    assert llms.asked("a") == ["\n\n".join(texts) + "\nq"]
    assert rounds.shown == {(0, "a"): shown}


def test_each_error_of_a_completion_is_recorded_with_its_step() -> None:
    gone = ServerUnavailable("gone")
    replies = {
        "late": (Completion("", FinishReason.DEADLINE, 0), ["cut at the deadline"]),
        "broken": (Completion("half", FinishReason.BROKEN, 2), ["broken"]),
        "gone": (Completion("", FinishReason.BROKEN, 0, error=gone), ["server unavailable"]),
        "long": (Completion("A. One, B. Two, C.", FinishReason.LENGTH, 75), ["cut at 75 tokens"]),
        "fine": (Completion("fine", FinishReason.STOP, 2), []),
    }
    llms = scripted(a=lambda prompt: replies[prompt.messages[0].text][0])
    completions, outcomes, _ = ask(llms, *(request(i, text) for i, text in enumerate(replies)))
    for outcome, (_, kinds) in zip(outcomes, replies.values(), strict=True):
        assert [(failure.kind, failure.step) for failure in outcome.failed] == [
            (kind, "a") for kind in kinds
        ]
    assert completions[3].text == "A. One, B. Two"  # a list ends at a whole item


def test_half_of_the_passages_is_at_least_one() -> None:
    engine, _ = scripted(a="x").of("a")
    for passages in (["short"], ["long " * 90, "short"]):
        halved = reduced_request(request(0, passages=passages), GivenUp.PASSAGES)
        _, in_prompt = written_prompt(halved, engine, None)
        assert in_prompt[:1] == (0,)


def test_a_prompt_that_the_server_finds_too_long_is_sent_again_with_fewer_passages() -> None:
    def reply(prompt: Prompt) -> str | Completion:
        if engine.count_prompt(prompt) <= 9:
            return "fine"
        engine.context = 13  # as the server's refusal says
        return Completion("", FinishReason.BROKEN, 0, error=ContextTooLong(5, 13))

    llms = scripted(context=None, a=reply)
    engine: ScriptedLLM = llms._scripted["a"]
    passages = ["one two", "three four", "five six seven eight nine"]
    (completion,), (outcome,), rounds = ask(llms, request(0, passages=passages, max_tokens=4))
    assert completion.text == "fine"
    assert rounds.shown == {(0, "a"): (0, 1)}
    assert not outcome.failed
