"""One round over a batch: what cannot be asked costs its own question only."""

from models.llm.errors import ConstraintUnsupported, ContextTooLong, ServerUnavailable
from models.llm.protocol import LLM, Completion, Constraint, ConstraintKind, FinishReason, Prompt
from models.load_shedding import GivenUp
from models.prompts import Template
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from tests.models.systems.clocks import Clock
from tests.models.systems.scripted import ScriptedLLM, ScriptedLLMs
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)
PLAIN = Template("t/plain", (("user", "{question}"),))
WITH_PASSAGES = Template("t/passages", (("user", "{passages}\n{question}"),))


def request(index: int, text: str = "q", subtask: str = "a", **fields: object) -> Request:
    return Request(index, subtask, PLAIN, {"question": text}, **fields)  # type: ignore[arg-type]


def test_nothing_asked_is_no_round() -> None:
    rounds = Rounds(ScriptedLLMs({}))
    assert rounds.ask([], SOON, Ledger(0)) == [] and rounds.asked == 0


def test_two_engines_in_one_round_keep_the_order() -> None:
    llms = ScriptedLLMs({"a": lambda prompt: "from a", "b": lambda prompt: "from b"})
    rounds = Rounds(llms)
    found = rounds.ask([request(0), request(1, subtask="b"), request(2)], SOON, Ledger(3))
    assert [completion.text for completion in found] == ["from a", "from b", "from a"]
    assert rounds.asked == 1 and [len(prompts) for _, prompts in llms.rounds] == [2, 1]


def test_a_prompt_that_breaks_a_round_is_found_out_and_the_others_answered() -> None:
    def reply(prompt: Prompt) -> str | Exception:
        too_long = prompt.messages[0].text == "long"
        return ContextTooLong(5, 10) if too_long else "fine"

    ledger = Ledger(3)
    texts = ["short", "long", "short"]
    asked = [request(i, text) for i, text in enumerate(texts)]
    found = Rounds(ScriptedLLMs({"a": reply})).ask(asked, SOON, ledger)
    assert [completion.text for completion in found] == ["fine", "", "fine"]
    outcomes = ledger.close()
    assert [len(outcome.failures) for outcome in outcomes] == [0, 1, 0]


def test_an_engine_without_a_kind_of_constraint_is_asked_without_it_all_at_once() -> None:
    def reply(prompt: Prompt) -> str | Exception:
        return ConstraintUnsupported("no choices") if prompt.constraint else "fine"

    llms = ScriptedLLMs({"a": reply})
    ledger = Ledger(16)
    choice = Constraint(ConstraintKind.CHOICE, "fine\nbad")
    asked = [request(i, constraint=choice) for i in range(16)]
    found = Rounds(llms).ask(asked, SOON, ledger)
    assert [completion.text for completion in found] == ["fine"] * 16
    assert [len(prompts) for _, prompts in llms.rounds] == [16, 16]
    assert {type(error) for outcome in ledger.close() for error in outcome.failures} == {
        ConstraintUnsupported
    }


def test_a_prompt_too_long_is_kept_out_of_the_round_of_the_others() -> None:
    llms = ScriptedLLMs({"a": lambda prompt: "fine"})
    llms.of("a")[0].context = 12  # type: ignore[misc]
    ledger = Ledger(2)
    asked = [request(0, "word " * 20, max_tokens=4), request(1, max_tokens=4)]
    found = Rounds(llms).ask(asked, SOON, ledger)
    assert [completion.text for completion in found] == ["", "fine"]
    assert [len(prompts) for _, prompts in llms.rounds] == [1]
    assert [type(error) for error in ledger.close()[0].failures] == [ContextTooLong]


def test_a_dead_engine_is_asked_no_longer_than_the_deadline() -> None:
    now = [0.0]

    def reply(prompt: Prompt) -> Exception:
        now[0] += 4
        return ServerUnavailable("down")

    ledger = Ledger(4)
    deadline = Deadline(10.0, lambda: now[0])
    found = Rounds(ScriptedLLMs({"a": reply})).ask([request(i) for i in range(4)], deadline, ledger)
    assert isinstance(found[0].error, ServerUnavailable)
    assert found[-1].finish_reason is FinishReason.DEADLINE
    assert now[0] < 20


def test_loading_an_engine_is_no_pace_of_it() -> None:
    clock = Clock()

    class Loading(ScriptedLLMs):
        def of(self, subtask: str) -> tuple[LLM, str | None]:
            return clock.after(60.0, super().of(subtask))

    llms = Loading({"a": lambda prompt: clock.after(1.0, "fine")})
    Rounds(llms).ask([request(0)], Deadline(100.0, clock), Ledger(1))
    assert 0 < llms.pace.expected("a", 275) < 2


def test_a_slow_subtask_costs_no_other_one_its_round() -> None:
    clock = Clock()
    llms = ScriptedLLMs({"a": lambda prompt: clock.after(2.0, "x"), "b": lambda prompt: "fine"})
    rounds, ledger = Rounds(llms), Ledger(1)
    rounds.ask([request(0, max_tokens=8)], Deadline(28.0, clock), ledger)
    long = request(0, subtask="b", max_tokens=2000, n=4)
    (said,) = rounds.ask([long], Deadline(28.0, clock), ledger)
    assert said.text == "fine" and not ledger.close()[0].given_up


def test_of_a_mixed_round_only_what_is_known_to_be_slow_is_left_out_and_then_trusted_less() -> None:
    clock = Clock()
    llms = ScriptedLLMs({"a": lambda prompt: clock.after(20.0, "x"), "b": lambda prompt: "fine"})
    rounds, both = Rounds(llms), [request(0), request(1, subtask="b")]
    rounds.ask(both[:1], Deadline(28.0, clock), Ledger(2))
    before = llms.pace.expected("a", 1)
    ledger = Ledger(2)
    said = rounds.ask(both, Deadline(clock() + 9.0, clock), ledger)
    assert [completion.text for completion in said] == ["", "fine"]
    assert [outcome.given_up for outcome in ledger.close()] == [[GivenUp.ROUND], []]
    assert llms.pace.expected("a", 1) < before


def test_passages_stand_whole_and_as_many_as_the_context_takes() -> None:
    llms = ScriptedLLMs({"a": lambda prompt: "x"})
    llms.of("a")[0].context = 14  # type: ignore[misc]
    passages = ["one two three", "eleven twelve", "four five six seven eight nine ten", "one"]
    asked = Request(0, "a", WITH_PASSAGES, {"question": "q"}, passages=passages, max_tokens=4)
    Rounds(llms).ask([asked], SOON, Ledger(1))
    assert llms.asked("a") == ["one two three\n\neleven twelve\nq"]


def test_the_trace_has_the_passages_as_the_prompt_shows_them() -> None:
    llms = ScriptedLLMs({"a": lambda prompt: "x"})
    ledger = Ledger(1)
    passages = ["one two", "nine", "three four five six seven eight"]
    fields = {"passages": passages, "numbered": True, "budget": 6}
    asked = Request(0, "a", WITH_PASSAGES, {"question": "q"}, **fields)  # type: ignore[arg-type]
    Rounds(llms).ask([asked], SOON, ledger)
    (step,) = ledger.close()[0].steps
    assert step.inputs == {"question": "q", "passages": "[1] one two\n\n[2] nine"}
    assert llms.asked("a") == ["[1] one two\n\n[2] nine\nq"]


def test_it_says_which_passages_stood_in_a_prompt() -> None:
    rounds = Rounds(ScriptedLLMs({"a": lambda prompt: "fine"}))
    passages = ["one two", "nine", "one two", "three four five six seven eight"]
    fields = {"passages": passages, "numbered": True}
    values = {"question": "q"}
    rounds.ask(
        [
            Request(0, "a", WITH_PASSAGES, values, budget=10, **fields),  # type: ignore[arg-type]
            Request(1, "a", WITH_PASSAGES, values, **fields),  # type: ignore[arg-type]
            Request(2, "a", WITH_PASSAGES, values),
        ],
        SOON,
        Ledger(3),
    )
    assert rounds.shown == {(0, "a"): (0, 1, 2), (1, "a"): (0, 1, 2, 3), (2, "a"): ()}


def test_all_that_goes_wrong_with_a_completion_is_noted_with_its_step() -> None:
    said = {
        "late": Completion("", FinishReason.DEADLINE, 0),
        "broken": Completion("half", FinishReason.BROKEN, 2),
        "gone": Completion("", FinishReason.BROKEN, 0, error=ServerUnavailable("gone")),
        "long": Completion("A. One, B. Two, C.", FinishReason.LENGTH, 75),
        "fine": Completion("fine", FinishReason.STOP, 2),
    }
    ledger = Ledger(len(said))
    llms = ScriptedLLMs({"a": lambda prompt: said[prompt.messages[0].text]})
    asked = [request(i, text) for i, text in enumerate(said)]
    found = Rounds(llms).ask(asked, SOON, ledger)
    noted = [[(f.kind, f.step) for f in outcome.failed] for outcome in ledger.close()]
    assert noted == [
        [("cut at the deadline", "a")],
        [("broken", "a")],
        [("server unavailable", "a")],
        [("cut at 75 tokens", "a")],
        [],
    ]
    assert found[3].text == "A. One, B. Two"  # a list ends at a whole item


def test_a_prompt_that_the_server_finds_too_long_is_asked_again_with_fewer_passages() -> None:
    llms = ScriptedLLMs({"a": lambda prompt: reply(prompt)})
    engine: ScriptedLLM = llms.of("a")[0]  # type: ignore[assignment]
    engine.context = None

    def reply(prompt: Prompt) -> str | Completion:
        if engine.count_prompt(prompt) <= 9:
            return "fine"
        engine.context = 13  # as the server's refusal says
        error = ContextTooLong(5, 13)
        return Completion("", FinishReason.BROKEN, 0, error=error)

    passages = ["one two", "three four", "five six seven eight nine"]
    fields = {"passages": passages, "max_tokens": 4}
    asked = Request(0, "a", WITH_PASSAGES, {"question": "q"}, **fields)  # type: ignore[arg-type]
    rounds, ledger = Rounds(llms), Ledger(1)
    (found,) = rounds.ask([asked], SOON, ledger)
    assert found.text == "fine" and rounds.shown == {(0, "a"): (0, 1)}
    assert not ledger.close()[0].failed
