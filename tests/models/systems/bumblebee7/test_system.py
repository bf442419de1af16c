"""bumblebee7, step by step, with a model that says what each test tells it to."""

from typing import Any

import pytest

from models.llm.errors import LLMError
from models.llm.protocol import Completion, FinishReason
from models.records import IDK, INVALID, Answer, Page, Question, Source, Task
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.bumblebee7.system import OWN_SUBTASKS, Bumblebee7Options, Bumblebee7System
from models.web.retriever import Retriever
from tests.models.systems import scripted as shared
from tests.models.systems.papers import PAPERS
from tests.models.systems.scripted import ScriptedLLMs, ask

LIGHTHOUSE = Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>")
KEEPER = Page("", "", "", "<title>Lighthouse keepers</title><p>Its keeper was Ida Holm.</p>")
TALL = "how tall is the lighthouse?"
THOUGHT = "Thoughts: [1] says that it is 41 m tall.\nAnswer: It is 41 m tall according to [1]."


def question(text: str = TALL, task: Task = Task.WEB, **fields: Any) -> Question:
    return shared.question(text, task, (LIGHTHOUSE, KEEPER), **fields)


def scripted(**replies: Any) -> ScriptedLLMs:
    """The five subtasks; a text is said to every prompt."""
    said = {"extract_premise": "none", "think": THOUGHT, "answer": "41 m", **replies}
    return PAPERS["bumblebee7"].llms(**said)


def system(llms: ScriptedLLMs, kg: Any = None, **options: Any) -> Bumblebee7System:
    return Bumblebee7System(llms, Retriever(), kg, Bumblebee7Options(**options))


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


def test_steps_can_be_left_out() -> None:
    llms = scripted()
    ask(system(llms, rewrite=False, detect=False), question())
    assert llms.order == ["think", "answer"]


def test_without_pages_there_is_nothing_to_cite_and_nothing_is_asked() -> None:
    llms = scripted()
    (outcome,) = ask(system(llms), Question("q", TALL, None, Task.WEB, ()))
    assert outcome.answer == Answer() and "think" not in llms.order


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


# --- retrieval (section 3)


def test_references_are_numbered_from_1_to_k() -> None:
    llms = scripted()
    ask(system(llms), question("how tall is the lighthouse of the keeper?"))
    (prompt,) = llms.asked("think")
    assert "[1] Lighthouse\n" in prompt and "[2] Lighthouse keepers\n" in prompt
    assert "[3] " not in prompt.partition("Asked on")[0]


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
    assert "refused" in step.output and answer in step.inputs["answer"]


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


# --- the answer agent (section 4.1)


def test_the_answer_agent_sees_thoughts_and_a_hint_and_no_passage() -> None:
    llms = scripted()
    ask(system(llms), question())
    (prompt,) = llms.asked("answer")
    assert "[1] says that it is 41 m tall." in prompt
    assert "conclusion: It is 41 m tall." in prompt
    assert "The lighthouse is 41 m tall." not in prompt and "keeper" not in prompt


@pytest.mark.parametrize(
    ("said", "text"), [("I don't know.", IDK), ("Invalid question", INVALID), ("", IDK)]
)
def test_the_answer_agent_may_not_know_or_find_the_question_invalid(said: str, text: str) -> None:
    (outcome,) = ask(system(scripted(answer=said)), question())
    assert outcome.answer.text == text
