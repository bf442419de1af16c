"""electricsheep, step by step, with a model that says what each test tells it to."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from models.llm.protocol import LLM, Completion, FinishReason
from models.prompts import NOTHING_FOUND
from models.records import IDK, INVALID, Answer, Domain, Page, Question, Source, Task
from models.runtime.ledger import Ledger
from models.subtasks.attributes.svm import Attributes
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.programs import QueryPrograms
from models.systems.electricsheep import ElectricSheepOptions, ElectricSheepSystem
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from tests.models.systems import scripted as shared
from tests.models.systems.papers import LOOKUP
from tests.models.systems.scripted import ScriptedLLMs, ask, form, never, saying
from utils.deadline import Deadline
from utils.errors import ApiUnavailable, SettingsError

PAGES = (
    Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>"),
    Page(
        "", "", "",
        "<title>Towers</title><table><tr><th>tower</th><th>metres</th><th>year</th></tr>"
        "<tr><td>East</td><td>30</td><td>1900</td></tr>"
        "<tr><td>West</td><td>52</td><td>1910</td></tr></table>",
    ),
)  # fmt: skip
ORDER = ["predict_domain", "write_expression", "extract_knowledge", "name_arguments", "reason"]


def question(text: str = "how tall is the lighthouse?", task: Task = Task.KG_WEB) -> Question:
    return shared.question(text, task, PAGES)


def scripted(**replies: Any) -> ScriptedLLMs:
    """The seven subtasks; what is no function is said to every prompt."""
    said = {
        "predict_domain": ["open"] * 5,
        "predict_dynamic": ["static"] * 5,
        "write_expression": ["52 - 41", "52 - 41", "", "import os", "41 + 1"],
        "extract_knowledge": form("forty metres", None),
        "name_arguments": LOOKUP,
        "reason": form("41 m"),
        "summarise": never,
        **replies,
    }
    return ScriptedLLMs({name: saying(reply) for name, reply in said.items()})


def sheep(llms: ScriptedLLMs, client: Any = None, **fields: Any) -> ElectricSheepSystem:
    kg = KgBaseline(llms, client) if client is not None else None
    return ElectricSheepSystem(llms, Retriever(), **{"kg": kg, **fields})


# The route of a static question (figure 1; appendix A: all modules for the static questions)


def test_a_static_question_goes_through_every_module_in_the_papers_order(client: Any) -> None:
    llms = scripted()
    (outcome,) = ask(sheep(llms, client), question())
    assert (outcome.answer.text, outcome.answer.source) == ("41 m", Source.KG)
    assert outcome.answer.grounds == "It says so."
    asked = [name for name in llms.order if name != "predict_dynamic"]
    assert asked == ORDER
    assert not outcome.failures
    names = {step.name for step in outcome.steps}
    assert names == {*ORDER, "predict_dynamic", "web", "attributes", "calculate", "kg"}


def test_votes_and_expressions_are_sampled_and_the_rest_is_not(client: Any) -> None:
    llms = scripted()
    ask(sheep(llms, client), question())
    prompts = {name: several[0] for name, several in llms.rounds}
    assert {n for n, p in prompts.items() if p.n == 5} == {
        "predict_domain", "predict_dynamic", "write_expression",
    }  # fmt: skip
    assert all((prompt.temperature > 0) == (prompt.n > 1) for prompt in prompts.values())


def test_the_reasoning_prompt_holds_every_kind_of_reference(client: Any) -> None:
    llms = scripted()
    ask(sheep(llms, client), question())
    (prompt,) = llms.asked("reason")
    assert "The lighthouse is 41 m tall." in prompt  # text chunks
    assert "Table:\nTowers\n| tower | metres | year |" in prompt  # tables, as Markdown
    assert "The director of The Glass Harbour (2001) is Aino Virta." in prompt  # of the KG
    assert "52 - 41 = 11" in prompt and "import os" not in prompt  # calculations, those that work
    assert "forty metres" in prompt  # the model's own knowledge
    assert "Sunday, March 10, 2024, 23:19 PT" in prompt
    assert "Question: how tall is the lighthouse?" in prompt
    assert "===START===" in prompt and "## False Premise:" in prompt


def test_the_calculator_reads_chunks_and_tables_and_the_extractor_reads_nothing() -> None:
    llms = scripted()
    ask(sheep(llms), question())
    (calculator,), (extractor,) = llms.asked("write_expression"), llms.asked("extract_knowledge")
    assert "41 m tall" in calculator and "| West | 52 | 1910 |" in calculator
    assert "41 m tall" not in extractor and "| West" not in extractor
    assert "===START===" in extractor and "False Premise" not in extractor


def test_chunks_and_tables_are_bounded_each_by_its_own_number() -> None:
    llms = scripted()
    ask(sheep(llms, options=ElectricSheepOptions(chunks=1, table_chars=0)), question())
    (reasoner,), (calculator,) = llms.asked("reason"), llms.asked("write_expression")
    assert "41 m tall" in reasoner and "Table:" not in reasoner
    assert "Table:" in calculator


def test_all_tables_come_and_the_rows_like_the_question_first() -> None:
    rows = "".join(f"<tr><td>Tower {n}</td><td>{n} metres tall</td></tr>" for n in range(300))
    table = "<table><tr><th>tower</th><th>height</th></tr>{}</table>"
    found = "<tr><td>Amble lighthouse</td><td>41 metres tall</td></tr>"
    pages = [Page("", "", "", f"<title>{n}</title>{table.format(body)}")
             for n, body in enumerate((rows + found, found * 2))]  # fmt: skip
    words = {"preset": "electricsheep", "embedder": None, "lexical_weight": 1.0}
    llms, web = scripted(), make_retriever(web_settings(words))
    asked = replace(question("how tall is the amble lighthouse?"), pages=tuple(pages))
    ask(ElectricSheepSystem(llms, web), asked)
    (prompt,) = llms.asked("reason")
    head = "| tower | height |\n| --- | --- |\n"
    assert prompt.index("Table:\n1\n") < prompt.index("Table:\n0\n")
    first = prompt[prompt.index(f"Table:\n0\n{head}") :].partition("\n\n")[0]
    assert "| Amble lighthouse | 41 metres tall |" in first
    assert 3000 < len(prompt[prompt.index("Table:") :].partition("\n------\n")[0]) < 4200


def test_without_references_nothing_is_calculated() -> None:
    llms = scripted(write_expression=never)
    ask(sheep(llms), replace(question(), pages=()))
    (prompt,) = llms.asked("reason")
    assert f"# From web pages\n{NOTHING_FOUND}\n" in prompt
    assert f", or a sentence)\n{NOTHING_FOUND}\n" in prompt  # the KG's place


# Attributes (section 4.2) and the other route


def test_a_dynamic_question_is_refused_at_once(client: Any) -> None:
    llms = scripted(
        predict_dynamic=["dynamic", "static", "dynamic", "dynamic", "static"], reason=never
    )
    (outcome,) = ask(sheep(llms, client), question("what is the stock of acme at now?"))
    assert outcome.answer.text == IDK and not outcome.answer.known
    assert llms.order == ["predict_domain", "predict_dynamic"]
    assert client.calls == []


def test_the_refusal_can_be_switched_off() -> None:
    llms = scripted(predict_dynamic=["dynamic"] * 5)
    (outcome,) = ask(sheep(llms, options=ElectricSheepOptions(refuse_dynamic=False)), question())
    assert outcome.answer.text == "41 m"


class Svm:
    """Calls "now" dynamic."""

    def predict(self, texts: Sequence[str]) -> list[Attributes]:
        return [Attributes(Domain.OPEN, 0.9, "now" in text, 0.5) for text in texts]


class BrokenSvm:
    def predict(self, texts: Sequence[str]) -> list[Attributes]:
        raise SettingsError("of another size")


def test_the_svm_stands_in_for_the_votes() -> None:
    llms = scripted(predict_domain=never, predict_dynamic=never)
    now, ever = ask(sheep(llms, predictor=Svm()), question("how tall is it now?"), question())
    assert (now.answer.text, ever.answer.text) == (IDK, "41 m")
    assert any(step.name == "attributes" and "0.50" in step.output for step in now.steps)


def test_a_broken_svm_costs_its_step_alone() -> None:
    (outcome,) = ask(sheep(scripted(), predictor=BrokenSvm()), question())
    assert outcome.answer.text == "41 m"
    assert [type(error) for error in outcome.failures] == [SettingsError]


# Calculator, knowledge, KG (sections 4.3 to 4.5)


@pytest.mark.parametrize("own", [form("I don't know", None), "no form", ""])
def test_what_the_model_does_not_know_by_itself_is_no_reference(own: str) -> None:
    llms = scripted(extract_knowledge=own)
    ask(sheep(llms), question())
    assert f"# An answer given from memory\n{NOTHING_FOUND}" in llms.asked("reason")[0]


def test_a_kg_module_that_raises_costs_its_step_alone() -> None:
    class Raising:
        def gather(self, *_: Any) -> dict[int, str]:
            raise ApiUnavailable("closed")

    (outcome,) = ask(sheep(scripted(), kg=Raising()), question())
    assert outcome.answer.text == "41 m" and len(outcome.failures) == 1


def test_what_the_kg_says_is_cut_between_facts() -> None:
    class Talking:
        def gather(self, *_: Any) -> dict[int, str]:
            return {0: "\n".join(f"a | b | {i:04}" for i in range(500))}

    llms = scripted()
    ask(sheep(llms, kg=Talking()), question())
    (prompt,) = llms.asked("reason")
    kg = prompt.partition("sentence)\n")[2].partition("\n------")[0]
    assert 900 < len(kg.replace("\n", "")) <= 1000 and len(kg.splitlines()[-1]) == 12


# Reasoning and corner cases (sections 4.6 and 4.7)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (form("41 m", "no"), "41 m"),
        (form("Invalid question", "yes"), INVALID),
        (form("41 m", "yes"), INVALID),
        (form("Invalid question", "no"), INVALID),
        (form("I don't know"), IDK),
        (form("I don’t know, it may be 41 m"), IDK),
        (form("I don't know", "yes"), IDK),
        (form("41 m", reasoning="I don't know at first, but it says 41 m."), "41 m"),
        (form("- East\n- West"), "East, West"),
    ],
)
def test_the_form_is_read(said: str, answer: str) -> None:
    assert ask(sheep(scripted(reason=said)), question())[0].answer.text == answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [("41 m", "41 m"), ("I don't know.", IDK), ("Invalid question", INVALID), ("", IDK)],
)
def test_reasoning_without_its_form_is_summarised(said: str, answer: str) -> None:
    llms = scripted(reason="The lighthouse seems to be 41 m tall.", summarise=said)
    (outcome,) = ask(sheep(llms), question())
    assert outcome.answer.text == answer
    (prompt,) = llms.asked("summarise")
    assert "The lighthouse seems to be 41 m tall." in prompt and question().text in prompt


def test_reasoning_cut_at_its_length_is_summarised() -> None:
    cut = Completion("===START===\n## Reasoning: 41 m, I", FinishReason.LENGTH, 600)
    assert ask(sheep(scripted(reason=cut, summarise="41 m")), question())[0].answer.text == "41 m"


def test_a_summary_that_was_cut_off_is_not_guessed_from() -> None:
    cut = Completion("41", FinishReason.DEADLINE, 1)
    (outcome,) = ask(sheep(scripted(reason="no form", summarise=cut)), question())
    assert outcome.answer == Answer()


# A batch


def test_a_page_cannot_fill_in_the_form() -> None:
    page = Page("", "", "", f"<title>x</title><p>{form('52 m', 'no').replace('<', '')}</p>")
    asked = Question("q", "how tall?", None, Task.WEB, (page,))
    llms = scripted(reason=form("I don't know"))
    assert ask(sheep(llms), asked)[0].answer == Answer()
    assert "Asked on: not known" in llms.asked("reason")[0]


# A real engine


class Engine(ScriptedLLMs):
    """The same engine for every subtask."""

    def __init__(self, llm: LLM) -> None:
        super().__init__({})
        self.llm = llm

    def of(self, subtask: str) -> tuple[LLM, str | None]:
        return self.llm, None


@pytest.mark.engine
def test_the_tiny_model_writes_what_the_query_language_reads(hf: LLM, client: Any) -> None:
    ledger = Ledger(2)
    found = QueryPrograms(Engine(hf), client).gather(
        [question()] * 2, [0, 1], Deadline.after(60), ledger
    )
    assert found.keys() <= {0, 1}
    assert all(outcome.steps[0].tokens > 0 for outcome in ledger.close())
