"""electricsheep, step by step, with a model whose replies each test writes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from models.llm.protocol import Completion, FinishReason
from models.prompts import NOTHING_FOUND
from models.records import IDK, INVALID, Domain, Page, Question, Source, Task
from models.runtime.case import QuestionOutcome
from models.subtasks.attributes.svm import Attributes
from models.subtasks.kg_text.baseline import KgBaseline
from models.systems.electricsheep.system import ElectricSheepOptions, ElectricSheepSystem
from models.web.retriever import Retriever
from tests.models.systems import scripted as shared
from tests.models.systems.papers import LIGHTHOUSE, PAPERS
from tests.models.systems.scripted import ScriptedLLMs, ask, form, never
from utils.errors import SettingsError

PAGES = (
    LIGHTHOUSE,
    Page(
        "",
        "",
        "",
        "<title>Towers</title><table><tr><th>tower</th><th>metres</th><th>year</th></tr>"
        "<tr><td>East</td><td>30</td><td>1900</td></tr>"
        "<tr><td>West</td><td>52</td><td>1910</td></tr></table>",
    ),
)
ORDER = ["predict_domain", "write_expression", "extract_knowledge", "name_arguments", "reason"]


def question(text: str = "how tall is the lighthouse?", pages: Any = PAGES) -> Question:
    return shared.question(text, Task.KG_WEB, pages)


def run(
    client: Any = None,
    *,
    first: Question | None = None,
    options: dict[str, Any] | None = None,
    kg: Any = None,
    predictor: Any = None,
    **replies: Any,
) -> tuple[QuestionOutcome, ScriptedLLMs]:
    """The question's outcome, and the engines."""
    all_replies = {
        "extract_knowledge": form("forty metres", None),
        "reason": form("41 m"),
        "summarise": never,
        **replies,
    }
    llms = PAPERS["electricsheep"].llms(**all_replies)
    if client is not None:
        kg = KgBaseline(llms, client)
    all_options = ElectricSheepOptions(**options or {})
    system = ElectricSheepSystem(llms, Retriever(), kg, predictor, all_options)
    (outcome,) = ask(system, first or question())
    return outcome, llms


# The route of a static question (figure 1; appendix A: all modules for the static questions)
def test_a_static_question_uses_every_module_in_the_papers_order(client: Any) -> None:
    """The last module, the reasoner, reads the results of all others."""
    outcome, llms = run(client)
    assert (outcome.answer.text, outcome.answer.source) == ("41 m", Source.KG)
    assert [name for name in llms.order if name != "predict_dynamic"] == ORDER
    names = {step.name for step in outcome.steps}
    assert names == {*ORDER, "predict_dynamic", "web", "attributes", "calculate", "kg"}
    prompts = {name: of_round[0] for name, of_round in llms.rounds}
    sampled = {name for name, prompt in prompts.items() if prompt.n == 5}
    assert sampled == {"predict_domain", "predict_dynamic", "write_expression"}
    assert all((prompt.temperature > 0) == (prompt.n > 1) for prompt in prompts.values())
    (prompt,) = llms.asked("reason")
    assert "The lighthouse is 41 m tall." in prompt  # text chunks
    assert "Table:\nTowers\n| tower | metres | year |" in prompt  # tables, as Markdown
    assert "The director of The Glass Harbour (2001) is Aino Virta." in prompt  # of the KG
    assert "52 - 41 = 11" in prompt
    assert "import os" not in prompt  # calculations, those that work
    assert "forty metres" in prompt  # the model's own knowledge
    assert "Sunday, March 10, 2024, 23:19 PT" in prompt
    assert "is the lighthouse?" in prompt


def test_the_calculator_reads_pages_and_the_knowledge_extractor_none() -> None:
    _, llms = run()
    (calculator,) = llms.asked("write_expression")
    (extractor,) = llms.asked("extract_knowledge")
    assert "41 m tall" in calculator
    assert "| West | 52 | 1910 |" in calculator
    assert "41 m tall" not in extractor
    assert "| West" not in extractor
    assert "False Premise" not in extractor


def test_the_calculator_reads_more_rows_of_tables_than_the_reasoner() -> None:
    rows = "".join(f"<tr><td>Tower {n:03}</td><td>{n} m</td></tr>" for n in range(500))
    page = Page("", "", "", f"<table><tr><th>tower</th><th>height</th></tr>{rows}</table>")
    _, llms = run(first=question(pages=[page]))
    tables = {}
    for subtask in ("write_expression", "reason"):
        (prompt,) = llms.asked(subtask)
        tables[subtask] = sum(map(len, re.findall(r"^\|.*\n", prompt, re.M)))
    assert 3000 < tables["reason"] <= 4000
    assert 5000 < tables["write_expression"] <= 6000


def test_without_references_nothing_is_calculated() -> None:
    _, llms = run(first=question(pages=()), write_expression=never)
    (prompt,) = llms.asked("reason")
    assert f"# From web pages\n{NOTHING_FOUND}\n" in prompt
    assert f", or a sentence)\n{NOTHING_FOUND}\n" in prompt  # the KG's place


# Attributes (section 4.2) and the other route
@pytest.mark.parametrize(("refuse", "answer"), [(True, IDK), (False, "41 m")])
def test_a_dynamic_question_is_refused_at_once(client: Any, refuse: bool, answer: str) -> None:
    votes = ["dynamic", "static", "dynamic", "dynamic", "static"]
    outcome, llms = run(client, options={"refuse_dynamic": refuse}, predict_dynamic=votes)
    assert outcome.answer.text == answer
    assert bool(client.calls) is not refuse
    assert (llms.order == ["predict_domain", "predict_dynamic"]) is refuse


@dataclass
class Svm:
    """Predicts the same for every question, or fails."""

    prediction: Attributes | SettingsError

    def predict(self, texts: Sequence[str]) -> list[Attributes]:
        if isinstance(self.prediction, SettingsError):
            raise self.prediction
        return [self.prediction] * len(texts)


@pytest.mark.parametrize(
    ("prediction", "answer", "steps"),
    [
        (Attributes(Domain.OPEN, 0.9, True, 0.5), IDK, ["open (0.90), dynamic (0.50)"]),
        (Attributes(Domain.OPEN, 0.9, False, 0.4), "41 m", ["open (0.90), dynamic (0.40)"]),
        (SettingsError("of another size"), "41 m", []),  # only its step fails
    ],
)
def test_the_svm_replaces_the_votes(prediction: Any, answer: str, steps: list[str]) -> None:
    outcome, _ = run(predictor=Svm(prediction), predict_domain=never, predict_dynamic=never)
    assert outcome.answer.text == answer
    assert list(map(type, outcome.failures)) == ([] if steps else [SettingsError])
    assert [step.output for step in outcome.steps if step.name == "attributes"] == steps


# Calculator, knowledge, KG (sections 4.3 to 4.5)
@pytest.mark.parametrize("reply", [form("I don't know", None), "no form", ""])
def test_missing_knowledge_is_no_reference(reply: str) -> None:
    _, llms = run(extract_knowledge=reply)
    (prompt,) = llms.asked("reason")
    assert f"# An answer given from memory\n{NOTHING_FOUND}" in prompt


def test_kg_text_is_shortened_and_says_what_was_left_out() -> None:
    facts = "\n".join(f"a | b | {i:04}" for i in range(500))
    _, llms = run(kg=SimpleNamespace(gather=lambda *_: [facts]))
    (prompt,) = llms.asked("reason")
    kg = prompt.partition("sentence)\n")[2].partition("\n------")[0]
    assert 900 < len(kg) <= 1000
    *kept, note = kg.splitlines()
    assert note == f"({500 - len(kept)} more facts left out.)"
    assert all(len(fact) == 12 for fact in kept)


def test_no_half_of_a_comparison_vanishes_from_the_kg_text() -> None:
    halves = []
    for name in ("Aino Virta", "Bo Third"):
        films = ", ".join(f"Film {number} (in {1960 + number})" for number in range(50))
        halves.append(f"The films of {name} are {films} and Last.")
    facts = [*halves, "The knowledge graph has no date of birth of Bo Third."]
    _, llms = run(kg=SimpleNamespace(gather=lambda *_: ["\n".join(facts)]))
    (prompt,) = llms.asked("reason")
    kg = prompt.partition("sentence)\n")[2].partition("\n------")[0]
    first, second, unknown = kg.splitlines()
    assert len(kg) <= 1000
    assert first.startswith("The films of Aino Virta are Film 0 (in 1960), Film 1")
    assert second.startswith("The films of Bo Third are Film 0 (in 1960), Film 1")
    assert first.endswith("more left out)")
    assert unknown == facts[2]


# Reasoning and corner cases (sections 4.6 and 4.7)
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (form("41 m", "yes"), INVALID),
        (form("Invalid question", "no"), INVALID),
        (form("I don't know", "yes"), IDK),
        (form("41 m", reasoning="I don't know at first, but it says 41 m."), "41 m"),
    ],
)
def test_the_forms_answer_and_premise_settle_the_question(reply: str, answer: str) -> None:
    outcome, _ = run(reason=reply)
    assert outcome.answer.text == answer


CUT = Completion("===START===\n## Reasoning: 41 m, I", FinishReason.LENGTH, 600)
LATE = Completion("41", FinishReason.DEADLINE, 1)


@pytest.mark.parametrize(
    ("reasoning", "summary", "answer"),
    [("It seems to be 41 m tall.", "41 m", "41 m"), (CUT, "41 m", "41 m"), (CUT, LATE, IDK)],
)
def test_a_reply_without_the_form_is_summarised(reasoning: Any, summary: Any, answer: str) -> None:
    outcome, llms = run(reason=reasoning, summarise=summary)
    assert outcome.answer.text == answer
    (prompt,) = llms.asked("summarise")
    assert "41 m" in prompt
    assert question().text in prompt
