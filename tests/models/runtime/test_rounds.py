"""One round over a batch: a request that fails costs its own question only."""

from typing import Any

import pytest

from models.llm.errors import ConstraintUnsupported, ContextTooLong, ServerUnavailable
from models.llm.protocol import LLM, Completion, Constraint, ConstraintKind, FinishReason, Prompt
from models.load_shedding import GivenUp
from models.prompts import Template
from models.records import Task
from models.runtime.case import Case, QuestionOutcome
from models.runtime.request import Reply, Request
from models.runtime.rounds import Rounds, reduced_request, written_prompt
from tests.models.systems.clocks import Clock
from tests.models.systems.scripted import SOON, ScriptedLLM, ScriptedLLMs, question, saying
from utils.deadline import Deadline

PLAIN = Template("t/plain", (("user", "{question}"),))
WITH_PASSAGES = Template("t/passages", (("user", "{passages}\n{question}"),))


def request(text: str = "q", subtask: str = "a", **fields: Any) -> Request[Case]:
    template = WITH_PASSAGES if "passages" in fields else PLAIN
    case = Case(question(text, Task.WEB, ()))
    return Request(case, subtask, template, {"question": text}, **fields)


def scripted(context: int | None = 8192, **replies: Any) -> ScriptedLLMs:
    llms = ScriptedLLMs({name: saying(reply) for name, reply in replies.items()})
    for engine in llms._scripted.values():
        engine.context = context
    return llms


def ask(
    llms: ScriptedLLMs, *requests: Request[Case], deadline: Deadline = SOON
) -> tuple[list[Reply[Case]], list[QuestionOutcome]]:
    """The replies, and the outcomes of the questions."""
    replies = Rounds(llms).ask(requests, deadline)
    return replies, [reply.case.slot.close() for reply in replies]


def texts_of(replies: list[Reply[Case]]) -> list[str]:
    return [reply.completion.text for reply in replies]


def test_a_round_is_repeated_without_a_constraint_that_the_engine_does_not_support() -> None:
    def reply(prompt: Prompt) -> str | Exception:
        return ConstraintUnsupported("no choices") if prompt.constraint else "fine"

    llms = scripted(a=reply)
    choice = Constraint(ConstraintKind.CHOICE, "fine\nbad")
    replies, outcomes = ask(llms, *(request(constraint=choice) for _ in range(16)))
    assert texts_of(replies) == ["fine"] * 16
    assert [len(prompts) for _, prompts in llms.rounds] == [16, 16]
    assert ConstraintUnsupported in map(type, outcomes[0].failures)


def test_a_too_long_prompt_is_left_out_and_two_engines_keep_the_order() -> None:
    llms = scripted(context=12, a="from a", b="from b")
    requests = [
        request("word " * 20, "a", max_tokens=4),
        request("q", "b", max_tokens=4),
        request("q", "a", max_tokens=4),
        request("q", "a", max_tokens=4),
    ]
    replies, outcomes = ask(llms, *requests)
    assert texts_of(replies) == ["", "from b", "from a", "from a"]
    assert [(name, len(prompts)) for name, prompts in llms.rounds] == [("b", 1), ("a", 2)]
    assert [type(error) for error in outcomes[0].failures] == [ContextTooLong]


def test_no_prompt_is_sent_to_a_dead_engine_after_the_deadline() -> None:
    clock = Clock()
    llms = scripted(a=lambda prompt: clock.after(4, ServerUnavailable("down")))
    replies, _ = ask(llms, *(request() for _ in range(4)), deadline=Deadline(10.0, clock))
    assert isinstance(replies[0].completion.error, ServerUnavailable)
    assert replies[-1].completion.finish_reason is FinishReason.DEADLINE
    assert clock() < 20


def test_the_pace_of_an_engine_excludes_its_loading() -> None:
    clock = Clock()

    class Loading(ScriptedLLMs):
        def of(self, subtask: str) -> tuple[LLM, str | None]:
            return clock.after(60.0, super().of(subtask))

    llms = Loading({"a": lambda prompt: clock.after(1.0, "fine")})
    ask(llms, request(), deadline=Deadline(100.0, clock))
    assert 0 < llms.pace.expected("a", 275) < 2


def test_only_a_subtask_known_to_be_slow_is_left_out_and_its_pace_is_then_eased() -> None:
    clock = Clock()
    llms = scripted(a=lambda prompt: clock.after(20.0, "x"), b="fine")
    ask(llms, request(), deadline=Deadline(28.0, clock))
    before = llms.pace.expected("a", 1)
    long = request(subtask="b", max_tokens=2000, n=4)
    soon = Deadline(clock() + 9.0, clock)
    replies, outcomes = ask(llms, request(), long, deadline=soon)
    assert texts_of(replies) == ["", "fine"]
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
    (reply,), (outcome,) = ask(llms, request(passages=passages, **fields))
    texts = [passages[n] for n in shown]
    if "numbered" in fields:
        texts = [f"[{n + 1}] {passages[n]}" for n in shown]
    (step,) = outcome.steps
    assert step.inputs == {"question": "q", "passages": "\n\n".join(texts)}
    assert llms.asked("a") == ["\n\n".join(texts) + "\nq"]
    assert reply.shown == shown


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
    answers, outcomes = ask(llms, *map(request, replies))
    for outcome, (_, kinds) in zip(outcomes, replies.values(), strict=True):
        assert [(failure.kind, failure.step) for failure in outcome.failed] == [
            (kind, "a") for kind in kinds
        ]
    assert answers[3].completion.text == "A. One, B. Two"  # a list ends at a whole item


def test_half_of_the_passages_is_at_least_one() -> None:
    engine, _ = scripted(a="x").of("a")
    for passages in (["short"], ["long " * 90, "short"]):
        halved = reduced_request(request(passages=passages), GivenUp.PASSAGES)
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
    (answer,), (outcome,) = ask(llms, request(passages=passages, max_tokens=4))
    assert answer.completion.text == "fine"
    assert answer.shown == (0, 1)
    assert not outcome.failed
