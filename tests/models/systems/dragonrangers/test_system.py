"""dragonrangers, step by step, with a model whose replies each test writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.llm.protocol import Completion, ConstraintKind, FinishReason
from models.records import IDK, Answer, Question, Source
from models.runtime.case import QuestionOutcome
from models.settings import Settings
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.dragonrangers.system import DragonrangersOptions, DragonrangersSystem, build
from models.systems.dragonrangers.thresholds import Thresholds
from models.web.retriever import Retriever
from tests.models.systems.papers import PAPERS, question
from tests.models.systems.scripted import Reply, ScriptedLLMs, ask, never, paths, sure
from utils.errors import SettingsError

THRESHOLDS = {"parametric": 0.7, "external": 0.5, "final": 0.6}
QUESTION = question()


def run(
    client: Any = None,
    *,
    first: Question = QUESTION,
    thresholds: dict[str, float] | None = None,
    options: dict[str, Any] | None = None,
    **replies: Any,
) -> tuple[QuestionOutcome, ScriptedLLMs]:
    """The outcome, and the engines.

    By default, no step is sure: memory says Cy, the pages Bo, the KG Aino; B is chosen.
    """
    llms = PAPERS["dragonrangers"].llms(**{"choose": sure("B", 0.9, 1), **replies})
    kg = ParserKgText(client) if client is not None else None
    system = DragonrangersSystem(
        llms,
        Retriever(),
        kg,
        Thresholds(**THRESHOLDS | (thresholds or {})),
        DragonrangersOptions(**options or {}),
    )
    (outcome,) = ask(system, first)
    return outcome, llms


def confidence(outcome: QuestionOutcome, stage: str) -> float:
    (step,) = [step for step in outcome.steps if step.name == stage]
    assert float(step.inputs["confidence"]) == pytest.approx(step.confidence[stage], abs=1e-6)
    return step.confidence[stage]


# Algorithm 1
def test_a_sure_answer_from_memory_needs_no_retrieval(client: Any) -> None:
    outcome, llms = run(client, answer_alone=paths("Cy", "Cy", "Cy"))
    assert (outcome.answer.text, outcome.answer.source) == ("Cy", Source.NONE)
    assert llms.order == ["answer_alone"]
    assert client.calls == []
    assert "web" not in {step.name for step in outcome.steps}


@pytest.mark.parametrize(
    ("stage", "threshold", "samples", "replies"),
    [
        ("parametric", 0.7, 10, {"answer_alone": paths(*["Cy"] * 7, *["Dee"] * 3)}),
        ("external", 0.5, 3, {"answer_web": sure("Bo Third", 0.5, 1)}),
        ("final", 0.6, 3, {"choose": sure("B", 0.6, 1)}),
    ],
)
def test_a_confidence_equal_to_its_threshold_does_not_settle(
    stage: str, threshold: float, samples: int, replies: dict[str, Reply]
) -> None:
    outcome, llms = run(thresholds={stage: threshold}, options={"samples": samples}, **replies)
    assert confidence(outcome, stage) == pytest.approx(threshold)
    assert llms.order[-1] == "choose"
    assert (outcome.answer == Answer()) is (stage == "final")


# Step 1 (section 3.1)
def test_paths_are_sampled_after_demonstrations_and_truncated_ones_do_not_vote() -> None:
    path = "First, a. Second, b. The answer is Cy"
    truncated = Completion(path, FinishReason.LENGTH, 9)
    late = Completion(path, FinishReason.DEADLINE, 9)
    completion = Completion(path, FinishReason.STOP, 9, others=(truncated, late))
    outcome, llms = run(options={"samples": 3}, answer_alone=completion)
    _, (prompt,) = llms.rounds[0]
    assert (prompt.n, prompt.temperature) == (3, 0.7)
    assert "First, " in prompt.messages[0].text
    assert "The answer is" in prompt.messages[0].text
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
    well_formed = [f"First, a. Second, b. The answer is {answer}." for answer in answers]
    samples = ["The answer is Cy.", "Cy", *well_formed]
    outcome, llms = run(options={"samples": len(samples)}, answer_alone=samples)
    assert confidence(outcome, "parametric") == pytest.approx(share)
    assert choice in llms.asked("choose")[0]


# Step 2 (section 3.2)
def test_each_source_is_read_alone_and_the_surer_one_is_shown_for_the_choice(client: Any) -> None:
    _, llms = run(client, answer_kg=sure("Aino Virta", 0.45))
    (kg,) = llms.asked("answer_kg")
    (web,) = llms.asked("answer_web")
    (choice,) = llms.asked("choose")
    assert "is Aino Virta." in kg
    assert "a film by Bo Third" not in kg
    assert "a film by Bo Third" in web
    assert "is Aino Virta." not in web
    assert "is Aino Virta." in choice
    assert "a film by Bo Third" not in choice


@pytest.mark.parametrize(
    ("kg", "web", "options", "source"),
    [
        (("Aino Virta", 0.8), ("Bo Third", 0.7), {}, Source.KG),
        (("Aino Virta", 0.7), ("Bo Third", 0.8), {}, Source.WEB),
        (("I don't know", 0.9), ("Bo Third", 0.8), {}, Source.WEB),
        (("I don't know", 0.9), ("Bo Third", 0.8), {"prefer_known": False}, Source.NONE),
    ],
)
def test_the_surer_source_settles_the_question(
    client: Any, kg: Any, web: Any, options: dict[str, Any], source: Source
) -> None:
    """Equations 5 and 6; a source that does not know loses, unless an option wants the paper's."""
    replies = {"answer_kg": sure(*kg), "answer_web": sure(*web), "choose": never}
    outcome, _ = run(client, options=options, **replies)
    assert outcome.answer.source is source
    assert outcome.answer.known is (source is not Source.NONE)


def test_an_empty_source_costs_no_request(client: Any) -> None:
    run(client, first=question("why is the sky blue?"), answer_kg=never)
    outcome, _ = run(client, first=question(pages=()), answer_web=never)
    assert outcome.answer.source is Source.KG


def test_without_log_probabilities_the_confidence_is_0_and_noted() -> None:
    outcome, _ = run(answer_web="Bo Third")
    assert confidence(outcome, "external") == 0.0
    assert "no log-probabilities" in str(outcome.failures[0])


# Step 3 (section 3.3)
def test_the_choice_has_memory_source_and_not_knowing() -> None:
    _, llms = run()
    subtask, (prompt,) = llms.rounds[-1]
    assert subtask == "choose"
    text = prompt.messages[-1].text
    assert "A. Cy\nB. Bo Third\nC. I don't know" in text
    assert "Glass Harbour, a film by Bo Third." in text  # S_Q
    assert prompt.constraint is not None
    assert prompt.constraint.kind is ConstraintKind.CHOICE
    assert prompt.constraint.text.split("\n") == ["A", "B", "C"]
    assert prompt.logprobs
    assert prompt.max_tokens == 1


@pytest.mark.parametrize(
    ("letter", "text", "source"),
    [
        ("A", "Cy", Source.NONE),
        ("B", "Bo Third", Source.WEB),
        ("C", IDK, Source.NONE),
        (" (B", "Bo Third", Source.WEB),
        ("", IDK, Source.NONE),
        ("Bo", IDK, Source.NONE),
        ("D", IDK, Source.NONE),
        ("I think", IDK, Source.NONE),
    ],
)
def test_each_letter_selects_its_answer(letter: str, text: str, source: Source) -> None:
    outcome, _ = run(choose=sure(letter, 0.9, 1))
    assert (outcome.answer.text, outcome.answer.source) == (text, source)


def test_step_3_is_skipped_without_an_answer() -> None:
    outcome, _ = run(answer_alone=paths(IDK), answer_web=sure("I don't know", 0.4), choose=never)
    assert outcome.answer == Answer()


# Building it
@pytest.fixture
def calibration(tmp_path: Path) -> Path:
    """A calibration file."""
    file = tmp_path / "calibration.json"
    thresholds = {"parametric": 0.2, "external": 0.3, "final": 0.4}
    file.write_text(json.dumps({"thresholds": thresholds, "held_out": {"gains": True}}))
    return file


def built_thresholds(confidence: Path | None = None, **options: Any) -> Thresholds:
    """The thresholds of a system with these options and this confidence model."""
    settings = Settings(
        llm="openai:http://127.0.0.1:1/v1#none",  # gets no request
        web={"reranker": "lexical"},
        confidence=confidence,
        options=options,
    )
    return build(settings).thresholds


def test_thresholds_come_from_options_or_a_calibration_file(calibration: Path) -> None:
    assert built_thresholds(calibration=str(calibration)) == Thresholds(0.2, 0.3, 0.4)
    assert built_thresholds(t_p=0.9) == Thresholds(0.9)
    with pytest.raises(SettingsError, match="give calibration or t_e, not both"):
        built_thresholds(calibration=str(calibration), t_e=0.1)
    with pytest.raises(SettingsError, match="no calibration file"):
        built_thresholds(calibration=str(calibration.with_name("none.json")))


def test_a_confidence_model_replaces_the_final_threshold(tmp_path: Path) -> None:
    model = tmp_path / "confidence.json"
    assert built_thresholds(model).final == 0.0
    assert built_thresholds(model, t_f=0.25).final == 0.25
