"""dragonrangers, step by step, with a model that says what each test tells it to."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.llm.protocol import Completion, ConstraintKind, FinishReason
from models.records import IDK, Answer, Source
from models.runtime.ledger import QuestionOutcome
from models.settings import Settings
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem, build
from models.systems.dragonrangers.thresholds import Thresholds
from models.web.retriever import Retriever
from tests.models.systems.papers import PAPERS, question
from tests.models.systems.scripted import Reply, ScriptedLLMs, ask, never, paths, sure
from utils.errors import SettingsError

AT = {"parametric": 0.7, "external": 0.5, "final": 0.6}
ASKED = question()


def run(
    client: Any = None,
    *,
    asked: Any = ASKED,
    at: dict[str, float] | None = None,
    options: dict[str, Any] | None = None,
    **replies: Any,
) -> tuple[QuestionOutcome, ScriptedLLMs]:
    """The outcome, and the engines. By default, no step is sure: memory says Cy, the pages Bo, the
    KG Aino; B is chosen."""
    llms = PAPERS["dragonrangers"].llms(**{"choose": sure("B", 0.9, 1), **replies})
    kg = ParserKgText(client) if client is not None else None
    thresholds, chosen = Thresholds(**AT | (at or {})), DragonrangersOptions(**options or {})
    (outcome,) = ask(DragonrangersSystem(llms, Retriever(), kg, thresholds, chosen), asked)
    return outcome, llms


def confidence(outcome: QuestionOutcome, stage: str) -> float:
    (step,) = [step for step in outcome.steps if step.name == stage]
    assert float(step.inputs["confidence"]) == pytest.approx(step.confidence[stage], abs=1e-6)
    return step.confidence[stage]


# Algorithm 1
def test_what_memory_is_sure_of_costs_no_retrieval(client: Any) -> None:
    outcome, llms = run(client, answer_alone=paths("Cy", "Cy", "Cy"))
    assert (outcome.answer.text, outcome.answer.source) == ("Cy", Source.NONE)
    assert llms.order == ["answer_alone"] and client.calls == []
    assert "web" not in {step.name for step in outcome.steps}


@pytest.mark.parametrize(
    ("stage", "at", "samples", "replies"),
    [
        ("parametric", 0.7, 10, {"answer_alone": paths(*["Cy"] * 7, *["Dee"] * 3)}),
        ("external", 0.5, 3, {"answer_web": sure("Bo Third", 0.5, 1)}),
        ("final", 0.6, 3, {"choose": sure("B", 0.6, 1)}),
    ],
)
def test_a_confidence_at_its_threshold_is_not_over_it(
    stage: str, at: float, samples: int, replies: dict[str, Reply]
) -> None:
    outcome, llms = run(at={stage: at}, options={"samples": samples}, **replies)
    assert confidence(outcome, stage) == pytest.approx(at) and llms.order[-1] == "choose"
    assert (outcome.answer == Answer()) is (stage == "final")


# Step 1 (section 3.1)
def test_m_paths_are_sampled_after_two_demonstrations_and_those_cut_off_vote_for_nothing() -> None:
    whole = "First, a. Second, b. The answer is Cy"
    cut, late = (Completion(whole, r, 9) for r in (FinishReason.LENGTH, FinishReason.DEADLINE))
    said = Completion(whole, FinishReason.STOP, 9, others=(cut, late))
    outcome, llms = run(options={"samples": 3, "temperature": 0.9}, answer_alone=said)
    (prompt,) = llms.rounds[0][1]
    assert (prompt.n, prompt.temperature) == (3, 0.9)
    assert "First, " in prompt.messages[0].text and "The answer is" in prompt.messages[0].text
    assert "Sunday, March 10, 2024" in prompt.messages[-1].text
    assert confidence(outcome, "parametric") == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("answers", "share", "choice"),
    [
        (["The Cy", IDK, IDK, "cy", "Dee"], 2 / 5, "A. The Cy\nB. Bo Third\nC. I don't know"),
        ([IDK, IDK, IDK], 0.0, "A. Bo Third\nB. I don't know"),  # no answer to agree on
        ([], 0.0, "A. Bo Third\nB. I don't know"),
    ],
)
def test_only_well_formed_paths_with_an_answer_vote(
    answers: list[str], share: float, choice: str
) -> None:
    of_the_form = [f"First, a. Second, b. The answer is {answer}." for answer in answers]
    said = ["The answer is Cy.", "Cy", *of_the_form]
    outcome, llms = run(options={"samples": len(said)}, answer_alone=said)
    assert confidence(outcome, "parametric") == pytest.approx(share)
    assert choice in llms.asked("choose")[0]


# Step 2 (section 3.2)
def test_each_source_is_read_alone_and_the_surer_one_again_for_the_choice(client: Any) -> None:
    _, llms = run(client, answer_kg=sure("Aino Virta", 0.45))
    (kg,), (web,), (choice,) = map(llms.asked, ("answer_kg", "answer_web", "choose"))
    assert "is Aino Virta." in kg and "a film by Bo Third" not in kg
    assert "a film by Bo Third" in web and "is Aino Virta." not in web
    assert "is Aino Virta." in choice and "a film by Bo Third" not in choice


@pytest.mark.parametrize(
    ("kg", "web", "options", "source"),
    [
        (("Aino Virta", 0.8), ("Bo Third", 0.7), {}, Source.KG),
        (("Aino Virta", 0.7), ("Bo Third", 0.8), {}, Source.WEB),
        (("I don't know", 0.9), ("Bo Third", 0.8), {}, Source.WEB),
        (("I don't know", 0.9), ("Bo Third", 0.8), {"prefer_known": False}, Source.NONE),
    ],
)
def test_the_surer_source_that_knows_is_taken_at_once(
    client: Any, kg: Any, web: Any, options: dict[str, Any], source: Source
) -> None:
    """Equations 5 and 6, and to the letter where an option says so."""
    said = {"answer_kg": sure(*kg), "answer_web": sure(*web), "choose": never}
    outcome, _ = run(client, options=options, **said)
    assert outcome.answer.source is source and outcome.answer.known is (source is not Source.NONE)


def test_a_source_with_nothing_to_say_is_not_asked(client: Any) -> None:
    run(client, asked=question("why is the sky blue?"), answer_kg=never)
    outcome, _ = run(client, asked=question(pages=()), answer_web=never)
    assert outcome.answer.source is Source.KG


def test_an_engine_without_log_probabilities_is_noted_and_never_sure() -> None:
    outcome, _ = run(answer_web="Bo Third")
    assert confidence(outcome, "external") == 0.0
    assert "no log-probabilities" in str(outcome.failures[0])


# Step 3 (section 3.3)
def test_the_choice_is_between_memory_source_and_not_knowing() -> None:
    _, llms = run()
    ((prompt,),) = [prompts for name, prompts in llms.rounds if name == "choose"]
    text = prompt.messages[-1].text
    assert "A. Cy\nB. Bo Third\nC. I don't know" in text
    assert "Glass Harbour, a film by Bo Third." in text  # S_Q
    assert prompt.constraint is not None and prompt.constraint.kind is ConstraintKind.CHOICE
    assert prompt.constraint.text.split("\n") == ["A", "B", "C"]
    assert prompt.logprobs and prompt.max_tokens == 1


@pytest.mark.parametrize(
    ("letter", "text", "source"),
    [
        ("A", "Cy", Source.NONE),
        ("B", "Bo Third", Source.WEB),
        ("C", IDK, Source.NONE),
        (" (B", "Bo Third", Source.WEB),
        *((said, IDK, Source.NONE) for said in ("", "Bo", "D", "I think")),
    ],
)
def test_each_letter_is_its_answer(letter: str, text: str, source: Source) -> None:
    outcome, _ = run(choose=sure(letter, 0.9, 1))
    assert (outcome.answer.text, outcome.answer.source) == (text, source)


def test_without_an_answer_nothing_is_chosen() -> None:
    silent = {"answer_alone": paths(IDK), "answer_web": sure("I don't know", 0.4)}
    assert run(**silent, choose=never)[0].answer == Answer()


# Building it
def test_thresholds_come_from_options_or_a_calibration_file_or_leave_it_to_a_confidence_model(
    tmp_path: Path,
) -> None:
    file = tmp_path / "calibration.json"
    given = {"parametric": 0.2, "external": 0.3, "final": 0.4}
    file.write_text(json.dumps({"thresholds": given, "held_out": {"gains": True}}))

    def built(confidence: Path | None = None, **options: Any) -> Thresholds:
        llm = "openai:http://127.0.0.1:1/v1#none"  # is not asked anything
        web = {"reranker": "lexical"}
        return build(Settings(llm=llm, web=web, confidence=confidence, options=options)).thresholds

    assert built(calibration=str(file)) == Thresholds(0.2, 0.3, 0.4)
    assert built(t_p=0.9) == Thresholds(0.9)
    assert built(file).final == 0.0 and built(file, t_f=0.25).final == 0.25
    with pytest.raises(SettingsError, match="give calibration or t_e, not both"):
        built(calibration=str(file), t_e=0.1)
    with pytest.raises(SettingsError, match="no calibration file"):
        built(calibration=str(tmp_path / "none.json"))
