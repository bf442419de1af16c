"""bumblebee7, step by step, with a model that says what each test tells it to."""

from typing import Any

import pytest

from models.batch import read_query_time
from models.llm.errors import LLMError
from models.llm.protocol import Completion, ConstraintKind, FinishReason, Prompt
from models.records import IDK, INVALID, Answer, Page, Question, Source, Task
from models.runtime.ledger import Ledger, Outcome
from models.settings import Settings
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.bumblebee7.system import OWN_SUBTASKS, Bumblebee7Options, Bumblebee7System
from models.systems.factory import make_system
from models.web.retriever import Retriever
from tests.models.systems.clocks import Clock
from tests.models.systems.scripted import Reply, ScriptedLLMs
from utils.deadline import Deadline
from utils.errors import SettingsError

SOON = Deadline(100.0, lambda: 0.0)
LIGHTHOUSE = Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>")
KEEPER = Page("", "", "", "<title>Lighthouse keepers</title><p>Its keeper was Ida Holm.</p>")
TALL = "how tall is the lighthouse?"
THOUGHT = "Thoughts: [1] says that it is 41 m tall.\nAnswer: It is 41 m tall according to [1]."
ADAPTERS = {"think": "thinker", "answer": "answerer"}


def question(text: str = TALL, task: Task = Task.WEB, **fields: Any) -> Question:
    asked_at = read_query_time("03/10/2024, 23:19:21 PT")
    return Question("q", text, fields.get("asked_at", asked_at), task, (LIGHTHOUSE, KEEPER))


def scripted(**replies: Reply | str) -> ScriptedLLMs:
    """The five subtasks; a text is said to every prompt."""
    said: dict[str, Reply | str] = {
        "rewrite_query": lambda prompt: prompt.messages[-1].text.rpartition("Question: ")[2],
        "extract_premise": "none",
        "judge_premise": "true",
        "think": THOUGHT,
        "answer": "41 m",
        **replies,
    }
    return ScriptedLLMs({name: saying(reply) for name, reply in said.items()}, ADAPTERS)


def saying(reply: Reply | str) -> Reply:
    return (lambda prompt: reply) if isinstance(reply, str) else reply


def system(llms: ScriptedLLMs, kg: Any = None, **options: Any) -> Bumblebee7System:
    return Bumblebee7System(llms, Retriever(), kg, Bumblebee7Options(**options))


def ask(made: Bumblebee7System, *questions: Question, deadline: Deadline = SOON) -> list[Outcome]:
    ledger = Ledger(len(questions))
    made.answer(questions, deadline, ledger)
    outcomes = ledger.close()
    assert all(outcome.final for outcome in outcomes)
    return outcomes


def test_the_agents_follow_each_other_as_in_algorithm_1() -> None:
    llms = scripted(extract_premise="There is a lighthouse.")
    (outcome,) = ask(system(llms), question())
    assert llms.order == list(OWN_SUBTASKS)
    assert (outcome.answer.text, outcome.answer.source) == ("41 m", Source.WEB)
    assert "[1] says" in outcome.answer.grounds
    steps = [step.name for step in outcome.steps if step.name != "web"]  # read beside the others
    assert steps == ["rewrite_query", "extract_premise", "judge_premise", "think", "references",
                     "answer"]  # fmt: skip
    assert "web" in {step.name for step in outcome.steps}


def test_each_subtask_has_its_adapter_and_its_constraint() -> None:
    llms = scripted(extract_premise="There is a lighthouse.")
    ask(system(llms), question())
    asked = {subtask: prompts[0] for subtask, prompts in llms.rounds}
    assert {name: prompt.adapter for name, prompt in asked.items()} == {
        "rewrite_query": None, "extract_premise": None, "judge_premise": None, **ADAPTERS,
    }  # fmt: skip
    verdict = asked.pop("judge_premise").constraint
    assert verdict is not None and verdict.kind is ConstraintKind.CHOICE
    assert verdict.text.split("\n") == ["true", "false", "unknown"]
    assert all(prompt.constraint is None for prompt in asked.values())


def test_a_server_without_constraints_can_be_used() -> None:
    llms = scripted(extract_premise="There are two.", judge_premise="False, there is one.")
    (outcome,) = ask(system(llms, constrained=False), question())
    ((_, (prompt,)),) = [each for each in llms.rounds if each[0] == "judge_premise"]
    assert prompt.constraint is None
    assert outcome.answer.text == INVALID


# --- query rewriting (section 5.1)


def test_the_time_is_put_into_the_question() -> None:
    rewritten = "how tall was the lighthouse on march 9, 2024?"
    llms = scripted(rewrite_query=rewritten)
    ask(system(llms), question("how tall was the lighthouse yesterday?"))
    (asked,) = llms.asked("rewrite_query")
    assert "Sunday, March 10, 2024" in asked and "yesterday" in asked
    assert rewritten in llms.asked("think")[0] and rewritten in llms.asked("answer")[0]
    assert "yesterday" in llms.asked("extract_premise")[0]  # the detector reads q, not q'


def test_without_a_time_nothing_is_rewritten() -> None:
    llms = scripted()
    ask(system(llms), question(asked_at=None))
    assert "rewrite_query" not in llms.order
    assert "not known" in llms.asked("think")[0]


@pytest.mark.parametrize("reply", ["", "word " * 100, LLMError("gone")])
def test_a_rewriting_that_fails_leaves_the_question_as_it_is(reply: Any) -> None:
    llms = scripted(rewrite_query=lambda prompt: reply)
    (outcome,) = ask(system(llms), question())
    assert TALL in llms.asked("think")[0]
    assert outcome.answer.text == "41 m"


def test_rewriting_and_detecting_can_be_left_out() -> None:
    llms = scripted()
    ask(system(llms, rewrite=False, detect=False), question())
    assert llms.order == ["think", "answer"]


# --- the detector agent (section 4.1)


def test_a_false_premise_makes_the_question_invalid_and_ends_its_way() -> None:
    llms = scripted(extract_premise="It fell down in 1990.", judge_premise="false")
    (outcome,) = ask(system(llms), question())
    assert outcome.answer.text == INVALID and outcome.answer.source is Source.NONE
    assert "It fell down in 1990." in outcome.answer.grounds
    assert llms.order == ["rewrite_query", "extract_premise", "judge_premise"]


@pytest.mark.parametrize("verdict", ["true", "unknown", LLMError("gone"), "falsehood"])
def test_a_premise_that_is_not_false_changes_nothing(verdict: Any) -> None:
    llms = scripted(extract_premise="It stands.", judge_premise=lambda prompt: verdict)
    (outcome,) = ask(system(llms), question())
    assert "It stands." in llms.asked("judge_premise")[0]
    assert outcome.answer.text == "41 m"


def test_a_question_without_a_premise_is_not_judged() -> None:
    llms = scripted(extract_premise="None.")
    ask(system(llms), question())
    assert "judge_premise" not in llms.order


# --- retrieval (section 3)


def test_references_are_numbered_from_1_to_k() -> None:
    llms = scripted()
    ask(system(llms), question("how tall is the lighthouse of the keeper?"))
    (prompt,) = llms.asked("think")
    assert "[1] Lighthouse\n" in prompt and "[2] Lighthouse keepers\n" in prompt
    assert "[3] " not in prompt.partition("Asked on")[0]


def test_without_pages_there_is_nothing_to_cite_and_nothing_is_asked() -> None:
    llms = scripted()
    bare = Question("q", TALL, None, Task.WEB, ())
    (outcome,) = ask(system(llms), bare)
    assert outcome.answer == Answer()
    assert "think" not in llms.order


def test_the_kg_is_left_alone_as_in_the_paper(client: Any) -> None:
    ask(system(scripted()), question(task=Task.KG_WEB))
    assert client.calls == []


def test_the_kg_can_be_a_reference_of_its_own(client: Any) -> None:
    llms = scripted(
        think="Thoughts: [1]\nAnswer: Aino Virta, according to [1].", answer="Aino Virta"
    )
    made = system(llms, ParserKgText(client))
    asked = question("who directed the movie the glass harbour?", Task.KG_WEB)
    on_web = question("who directed the movie the glass harbour?", Task.WEB)
    with_kg, without = ask(made, asked, on_web)
    first, second = llms.asked("think")
    assert "[1] The crew member of The Glass Harbour" in first and "is Aino Virta." in first
    assert "Aino Virta" not in second  # task 1 has no KG
    assert with_kg.answer.source is Source.KG and without.answer.source is Source.WEB


def test_a_dead_kg_costs_only_itself(dead_client: Any) -> None:
    made = system(scripted(), ParserKgText(dead_client))
    asked = question("how tall is the lighthouse in the movie the glass harbour?", Task.KG_WEB)
    (outcome,) = ask(made, asked)
    assert outcome.answer.text == "41 m"
    assert outcome.failures


# --- the thought agent under the reference constraint (sections 4.1 and 4.2)


@pytest.mark.parametrize(
    "answer",
    [
        "It is 41 m tall according to [7].",  # never shown
        "It is 41 m tall according to [1][7].",
        "It is 41 m tall.",  # cites nothing
    ],
)
def test_references_that_are_not_there_mean_i_dont_know(answer: str) -> None:
    llms = scripted(think=f"Thoughts: tall\nAnswer: {answer}")
    (outcome,) = ask(system(llms), question())
    assert outcome.answer == Answer() and "answer" not in llms.order
    (step,) = [step for step in outcome.steps if step.name == "references"]
    assert "refused" in step.made and answer in step.given["answer"]


def test_a_reference_that_did_not_fit_was_not_shown() -> None:
    cite = lambda n: f"Thoughts: tall\nAnswer: 41 m according to [{n}]."  # noqa: E731
    asked = question("how tall is the lighthouse of the keeper?")
    for number, text in ((1, "41 m"), (2, IDK)):
        # words: the first reference, and no second
        made = system(scripted(think=cite(number)), context_tokens=10)
        (outcome,) = ask(made, asked)
        assert outcome.answer.text == text


def test_references_can_be_left_unchecked_as_in_the_paper() -> None:
    llms = scripted(think="Thoughts: tall\nAnswer: It is 41 m tall.")
    (outcome,) = ask(system(llms, check_references=False), question())
    assert outcome.answer.text == "41 m"


def test_what_a_page_says_is_cited_by_marks_of_its_own_is_not_read() -> None:
    thoughts = "Thoughts: the page says 41 m[9].\nAnswer: 41 m according to [1]."
    (outcome,) = ask(system(scripted(think=thoughts)), question())
    assert outcome.answer.text == "41 m"


def test_reasoning_that_was_cut_at_its_length_is_no_answer() -> None:
    cut = Completion("Thoughts: [1] says that it is 41 m, and by [1]", FinishReason.LENGTH, 9)
    llms = scripted(think=lambda prompt: cut)
    (outcome,) = ask(system(llms), question())
    assert outcome.answer == Answer() and outcome.final and "answer" not in llms.order


@pytest.mark.parametrize("reply", [LLMError("gone"), Completion("", FinishReason.DEADLINE, 0)])
def test_without_thoughts_there_is_no_answer(reply: Any) -> None:
    llms = scripted(think=lambda prompt: reply)
    (outcome,) = ask(system(llms), question())
    assert outcome.answer == Answer() and "answer" not in llms.order


# --- the answer agent (section 4.1)


def test_the_answer_agent_sees_thoughts_and_a_hint_and_no_passage() -> None:
    llms = scripted()
    ask(system(llms), question())
    (prompt,) = llms.asked("answer")
    assert "[1] says that it is 41 m tall." in prompt
    assert "conclusion: It is 41 m tall." in prompt
    assert "The lighthouse is 41 m tall." not in prompt and "keeper" not in prompt


def test_the_answer_agent_overrules_the_thought_agents_answer() -> None:
    llms = scripted(think="Thoughts: [1] has it in feet.\nAnswer: I don't know")
    (outcome,) = ask(system(llms), question())
    assert "conclusion: I don't know" in llms.asked("answer")[0]
    assert outcome.answer.text == "41 m"


@pytest.mark.parametrize(
    ("said", "text"), [("I don't know.", IDK), ("Invalid question", INVALID), ("", IDK)]
)
def test_the_answer_agent_may_not_know_or_find_the_question_invalid(said: str, text: str) -> None:
    (outcome,) = ask(system(scripted(answer=said)), question())
    assert outcome.answer.text == text


def test_where_the_answer_agent_is_cut_off_the_thought_agents_answer_stands() -> None:
    llms = scripted(answer=lambda prompt: LLMError("gone"))
    (outcome,) = ask(system(llms), question())
    assert outcome.answer.text == "It is 41 m tall."
    assert [type(failure) for failure in outcome.failures] == [LLMError]


# --- a batch


def test_a_batch_of_16_takes_five_rounds() -> None:
    llms = scripted(extract_premise=lambda prompt: premise(prompt))
    outcomes = ask(system(llms), *[question(f"how tall is the lighthouse {n}?") for n in range(16)])
    assert llms.order == list(OWN_SUBTASKS)
    assert [len(prompts) for _, prompts in llms.rounds] == [16, 16, 8, 16, 16]
    assert {outcome.answer.text for outcome in outcomes} == {"41 m"}


def premise(prompt: Prompt) -> str:
    number = int(prompt.messages[-1].text.rpartition(" ")[2].strip("?"))
    return "There is one." if number % 2 else "none"


def test_questions_do_not_mix() -> None:
    def judge(prompt: Prompt) -> str:
        return "false" if "1?" in prompt.messages[-1].text else "true"

    asked = [question(f"how tall is the lighthouse {n}?") for n in range(3)]
    llms = scripted(extract_premise="There is one.", judge_premise=judge)
    assert [outcome.answer.text for outcome in ask(system(llms), *asked)] == ["41 m", INVALID,
                                                                             "41 m"]  # fmt: skip


@pytest.mark.parametrize("broken", OWN_SUBTASKS)
def test_one_prompt_that_fails_costs_the_others_nothing(broken: str) -> None:
    def fails(prompt: Prompt) -> Any:
        return LLMError("no") if "lighthouse 1?" in str(prompt.messages) else usual(prompt)

    llms = scripted(extract_premise="There is one.")
    usual = llms.replies[broken]
    llms = scripted(**{"extract_premise": "There is one.", broken: fails})
    asked = [question(f"how tall is the lighthouse {n}?") for n in range(3)]
    outcomes = ask(system(llms), *asked)
    assert [outcomes[0].answer.text, outcomes[2].answer.text] == ["41 m", "41 m"]
    assert outcomes[1].failures


def test_when_time_runs_out_midway_what_is_recorded_stands() -> None:
    clock = Clock()
    llms = scripted(think=lambda prompt: clock.after(200, THOUGHT))
    (outcome,) = ask(system(llms), question(), deadline=Deadline(100.0, clock))
    assert outcome.answer.text == "It is 41 m tall."  # the answer agent came too late
    assert llms.order[-1] == "answer"


def test_without_time_nothing_is_guessed() -> None:
    for spent in ("rewrite_query", "extract_premise"):
        clock = Clock()
        late = lambda prompt, clock=clock: clock.after(200, "none")  # noqa: E731
        llms = scripted(**{spent: late})
        (outcome,) = ask(system(llms), question(), deadline=Deadline(100.0, clock))
        assert outcome.answer == Answer()


def test_the_factory_builds_it_and_wants_an_llm() -> None:
    web = {"embedder": None, "preset": "bumblebee7"}
    with pytest.raises(SettingsError, match="needs an LLM"):
        make_system(Settings(system="bumblebee7", web=web))


@pytest.mark.parametrize("options", [{"kg": "all"}, {"first_share": 1.0}, {"rewrites": True}])
def test_options_that_do_not_fit_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="options"):
        make_system(Settings(system="bumblebee7", options=options))
