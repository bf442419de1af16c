"""bumblebee7, step by step, with a model whose replies each test writes."""

from typing import Any

import pytest

from models.llm.protocol import Completion, FinishReason
from models.records import IDK, INVALID, Answer, Page, Question, Source, Task
from models.runtime.case import QuestionOutcome
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.bumblebee7.system import OWN_SUBTASKS, Bumblebee7Options, Bumblebee7System
from models.web.retriever import Retriever
from tests.models.systems import scripted as shared
from tests.models.systems.papers import LIGHTHOUSE, ON_KG, PAPERS
from tests.models.systems.scripted import ScriptedLLMs, ask

KEEPER = Page("", "", "", "<title>Lighthouse keepers</title><p>Its keeper was Ida Holm.</p>")
TALL = "how tall is the lighthouse?"
ON_KEEPER = "how tall is the lighthouse of the keeper?"
THOUGHT = "Thoughts: [1] says that it is 41 m tall.\nAnswer: It is 41 m tall according to [1]."


def question(text: str = TALL, task: Task = Task.WEB, **fields: Any) -> Question:
    return shared.question(text, task, (LIGHTHOUSE, KEEPER), **fields)


def run(
    first: Question | None = None,
    *,
    kg: Any = None,
    options: dict[str, Any] | None = None,
    **replies: Any,
) -> tuple[QuestionOutcome, ScriptedLLMs]:
    """The question's outcome, and the engines."""
    all_replies = {"extract_premise": "none", "think": THOUGHT, "answer": "41 m", **replies}
    llms = PAPERS["bumblebee7"].llms(**all_replies)
    system = Bumblebee7System(llms, Retriever(), kg, Bumblebee7Options(**options or {}))
    (outcome,) = ask(system, first or question())
    return outcome, llms


def test_the_agents_follow_each_other_as_in_algorithm_1() -> None:
    outcome, llms = run(extract_premise="There is a lighthouse.")
    assert llms.order == list(OWN_SUBTASKS)
    assert (outcome.answer.text, outcome.answer.source) == ("41 m", Source.WEB)
    steps = [step.name for step in outcome.steps if step.name != "web"]  # read beside the others
    assert steps == [*OWN_SUBTASKS[:-1], "references", "answer"]
    (prompt,) = llms.asked("answer")  # has thoughts and a hint, and no passage
    assert "[1] says that it is 41 m tall." in prompt
    assert "conclusion: It is 41 m tall." in prompt
    assert "The lighthouse is 41 m tall." not in prompt
    assert "keeper" not in prompt


def test_options_skip_the_first_steps() -> None:
    _, llms = run(options={"rewrite": False, "detect": False})
    assert llms.order == ["think", "answer"]


def test_a_question_without_time_and_pages_is_only_checked_for_a_premise() -> None:
    outcome, llms = run(Question("q", TALL, None, Task.WEB, ()))
    assert outcome.answer == Answer()
    assert llms.order == ["extract_premise"]


def test_the_thought_agent_reads_that_the_time_is_not_known() -> None:
    _, llms = run(question(asked_at=None))
    assert "not known" in llms.asked("think")[0]


# Query rewriting (section 5.1)
def test_the_last_two_agents_read_the_rewritten_question() -> None:
    rewritten = "how tall was the lighthouse on march 9, 2024?"
    _, llms = run(question("how tall was the lighthouse yesterday?"), rewrite_query=rewritten)
    (prompt,) = llms.asked("rewrite_query")
    assert "Sunday, March 10, 2024" in prompt
    assert "yesterday" in prompt
    assert rewritten in llms.asked("think")[0]
    assert rewritten in llms.asked("answer")[0]
    assert "yesterday" in llms.asked("extract_premise")[0]  # the detector reads q, not q'


# The detector agent (section 4.1)
@pytest.mark.parametrize("verdict", ["false", "true", "unknown", "falsehood"])
def test_only_a_false_premise_makes_the_question_invalid(verdict: str) -> None:
    outcome, llms = run(extract_premise="It fell down in 1990.", judge_premise=verdict)
    assert (outcome.answer.text == INVALID) is (llms.order[-1] == "judge_premise")
    assert outcome.answer.text == (INVALID if verdict == "false" else "41 m")
    assert "It fell down in 1990." in llms.asked("judge_premise")[0]


# Retrieval (section 3)
@pytest.mark.parametrize(("task", "source"), [(Task.KG_WEB, Source.KG), (Task.WEB, Source.WEB)])
def test_kg_text_is_the_first_reference(client: Any, task: Task, source: Source) -> None:
    thought = "Thoughts: [1]\nAnswer: Aino Virta, according to [1]."
    outcome, llms = run(question(ON_KG, task), kg=ParserKgText(client), think=thought)
    (prompt,) = llms.asked("think")
    assert ("[1] The crew member of The Glass Harbour" in prompt) is (source is Source.KG)
    assert outcome.answer.source is source


# The thought agent under the reference constraint (sections 4.1 and 4.2)
NARROW = {"context_tokens": 10}  # in words: room for the first reference only


@pytest.mark.parametrize(
    ("thought", "options", "text"),
    [
        ("Thoughts: tall\nAnswer: It is 41 m tall according to [1][7].", {}, IDK),
        ("Thoughts: tall\nAnswer: It is 41 m tall.", {}, IDK),
        ("Thoughts: tall\nAnswer: 41 m according to [2].", NARROW, IDK),
        ("Thoughts: tall\nAnswer: 41 m according to [1].", NARROW, "41 m"),
        ("Thoughts: the page says 41 m[9].\nAnswer: 41 m according to [1].", {}, "41 m"),
        ("Thoughts: tall\nAnswer: It is 41 m tall.", {"check_references": False}, "41 m"),
    ],
)
def test_an_answer_must_cite_only_references_in_the_prompt(
    thought: str, options: dict[str, Any], text: str
) -> None:
    outcome, llms = run(question(ON_KEEPER), options=options, think=thought)
    assert outcome.answer.text == text
    assert ("answer" in llms.order) is (text != IDK)
    (step,) = [step for step in outcome.steps if step.name == "references"]
    assert ("refused" in step.output) is (text == IDK)
    assert step.inputs["answer"] == thought.rpartition("Answer: ")[2]


def test_truncated_thoughts_give_no_answer() -> None:
    cut = Completion("Thoughts: [1] says that it is 41 m, and by [1]", FinishReason.LENGTH, 9)
    outcome, llms = run(think=cut)
    assert outcome.answer == Answer()
    assert outcome.final
    assert "answer" not in llms.order
