"""dragonrangers, step by step, with a model that says what each test tells it to."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import Example
from evaluation.held_out import rows_of_run
from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import RunFolder
from evaluation.runner import Answerer, Run
from models.llm.protocol import Completion, ConstraintKind, FinishReason, Prompt
from models.records import IDK, Answer, Source, Task
from models.runtime.ledger import QuestionOutcome
from models.settings import Settings
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.dragonrangers.system import (
    DragonrangersOptions,
    DragonrangersSystem,
    build,
)
from models.systems.dragonrangers.thresholds import STAGES, Thresholds
from models.user_model import UserModel
from models.web.retriever import Retriever
from tests.models.systems.clocks import Clock
from tests.models.systems.papers import ON_KG, PAGE, PAPERS, question
from tests.models.systems.scripted import Reply, ScriptedLLMs, ask, never, paths, sure
from utils.deadline import Deadline
from utils.errors import SettingsError

THRESHOLDS = Thresholds(0.7, 0.5, 0.6)


def scripted(**replies: Any) -> ScriptedLLMs:
    """By default, no step is sure: memory says Cy, the pages Bo, the KG Aino; B is chosen."""
    return PAPERS["dragonrangers"].llms(**{"choose": sure("B", 0.9, 1), **replies})


def system(llms: ScriptedLLMs, client: Any = None, **options: Any) -> DragonrangersSystem:
    kg = ParserKgText(client) if client is not None else None
    return DragonrangersSystem(llms, Retriever(), kg, THRESHOLDS, DragonrangersOptions(**options))


def confidence(outcome: QuestionOutcome, stage: str) -> float:
    (step,) = [step for step in outcome.steps if step.name == stage]
    return float(step.inputs["confidence"])


# --- Algorithm 1


def test_what_memory_is_sure_of_costs_no_retrieval(client: Any) -> None:
    llms = scripted(answer_alone=paths("Cy", "Cy", "Cy"), answer_web=never, choose=never)
    (outcome,) = ask(system(llms, client), question())
    assert (outcome.answer.text, outcome.answer.source) == ("Cy", Source.NONE)
    assert llms.order == ["answer_alone"] and client.calls == []
    assert "web" not in {step.name for step in outcome.steps}


def test_what_a_source_is_sure_of_is_not_chosen_again() -> None:
    llms = scripted(answer_web=sure("Bo Third", 0.6), choose=never)
    (outcome,) = ask(system(llms), question())
    assert (outcome.answer.text, outcome.answer.source) == ("Bo Third", Source.WEB)
    assert "Bo Third" in outcome.answer.grounds


def test_an_unsure_choice_is_i_dont_know() -> None:
    (outcome,) = ask(system(scripted(choose=sure("B", 0.5, 1))), question())
    assert outcome.answer == Answer()


@pytest.mark.parametrize(
    ("stage", "at", "replies"),
    [
        ("parametric", 0.7, {"answer_alone": paths(*["Cy"] * 7, *["Dee"] * 3)}),
        ("external", 0.5, {"answer_web": sure("Bo Third", 0.5, 1)}),
        ("final", 0.6, {"choose": sure("B", 0.6, 1)}),
    ],
)
def test_a_confidence_at_its_threshold_is_not_over_it(
    stage: str, at: float, replies: dict[str, Reply]
) -> None:
    made = system(scripted(**replies), samples=10 if stage == "parametric" else 3)
    made.thresholds = Thresholds(**{"parametric": 0.7, "external": 0.5, "final": 0.6, stage: at})
    (outcome,) = ask(made, question())
    assert confidence(outcome, stage) == pytest.approx(at)
    assert [step.name for step in outcome.steps][-1] == "final"


# --- step 1 (section 3.1)


def test_m_paths_are_sampled_after_two_demonstrations_and_those_cut_off_vote_for_nothing() -> None:
    whole = "First, a. Second, b. The answer is Cy"
    cut, late = (Completion(whole, r, 9) for r in (FinishReason.LENGTH, FinishReason.DEADLINE))
    llms = scripted(answer_alone=Completion(whole, FinishReason.STOP, 9, others=(cut, late)))
    (outcome,) = ask(system(llms, samples=3, temperature=0.9), question())
    (prompt,) = llms.rounds[0][1]
    assert (prompt.n, prompt.temperature) == (3, 0.9)
    assert "First, " in prompt.messages[0].text and "The answer is" in prompt.messages[0].text
    assert "Sunday, March 10, 2024" in prompt.messages[-1].text
    assert confidence(outcome, "parametric") == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize(("whole", "share"), [(1, 0.5), (2, 1.0)])
def test_paths_that_break_the_form_do_not_count(whole: int, share: float) -> None:
    said = ["The answer is Cy.", "Cy"] + ["First, a. Second, b. The answer is Cy."] * whole
    llms = scripted(answer_alone=lambda prompt: said)
    (outcome,) = ask(system(llms, samples=len(said)), question())
    assert confidence(outcome, "parametric") == pytest.approx(share, abs=1e-6)


def test_agreeing_on_i_dont_know_goes_on_to_the_sources() -> None:
    llms = scripted(answer_alone=paths(IDK, IDK, IDK), choose=sure("A", 0.9, 1))
    (outcome,) = ask(system(llms), question())
    assert confidence(outcome, "parametric") == 0.0
    assert outcome.answer.text == "Bo Third"
    assert "A. Bo Third\nB. I don't know" in llms.asked("choose")[0]


# --- step 2 (section 3.2)


def test_each_source_is_read_alone(client: Any) -> None:
    llms = scripted()
    ask(system(llms, client), question())
    (kg,), (web,) = llms.asked("answer_kg"), llms.asked("answer_web")
    assert "Aino Virta" in kg and "Bo Third" not in kg
    assert "Bo Third" in web and "Aino Virta" not in web


@pytest.mark.parametrize(("kg", "web", "source"), [(0.8, 0.7, Source.KG), (0.7, 0.8, Source.WEB)])
def test_the_surer_source_is_taken(client: Any, kg: float, web: float, source: Source) -> None:
    llms = scripted(answer_kg=sure("Aino Virta", kg), answer_web=sure("Bo Third", web))
    (outcome,) = ask(system(llms, client), question())
    assert outcome.answer.source is source
    assert confidence(outcome, "external") == pytest.approx(max(kg, web))


def test_equation_5_can_be_had_to_the_letter(client: Any) -> None:
    llms = scripted(answer_kg=sure("Aino Virta", 0.9, 2), answer_web=sure("Bo", 0.6, 1))
    (outcome,) = ask(system(llms, client, normalise="formula"), question())
    assert outcome.answer.source is Source.WEB
    assert confidence(outcome, "external") == pytest.approx(0.6)


def test_a_sure_source_that_does_not_know_can_be_taken_as_in_equation_6(client: Any) -> None:
    llms = scripted(answer_kg=sure("I don't know", 0.9), answer_web=sure("Bo Third", 0.8))
    (outcome,) = ask(system(llms, client, prefer_known=False), question())
    assert outcome.answer == Answer()


def test_a_source_that_knows_is_preferred(client: Any) -> None:
    llms = scripted(answer_kg=sure("I don't know", 0.9), answer_web=sure("Bo Third", 0.8))
    (outcome,) = ask(system(llms, client), question())
    assert outcome.answer.text == "Bo Third"


def test_a_source_with_nothing_to_say_is_not_asked(client: Any) -> None:
    llms = scripted(answer_kg=never)
    ask(system(llms, client), question("why is the sky blue?"))
    llms = scripted(answer_web=never, choose=sure("B", 0.9, 1))
    (outcome,) = ask(system(llms, client), question(pages=()))
    assert outcome.answer.source is Source.KG


def test_an_engine_without_log_probabilities_is_noted_and_never_sure() -> None:
    llms = scripted(answer_web=lambda prompt: "Bo Third")
    (outcome,) = ask(system(llms), question())
    assert confidence(outcome, "external") == 0.0
    assert "no log-probabilities" in str(outcome.failures[0])


# --- step 3 (section 3.3)


def test_the_choice_is_between_memory_source_and_not_knowing() -> None:
    llms = scripted()
    ask(system(llms), question())
    ((prompt,),) = [prompts for name, prompts in llms.rounds if name == "choose"]
    text = prompt.messages[-1].text
    assert "A. Cy\nB. Bo Third\nC. I don't know" in text
    assert "Glass Harbour, a film by Bo Third." in text  # S_Q
    assert prompt.constraint is not None and prompt.constraint.kind is ConstraintKind.CHOICE
    assert prompt.constraint.text.split("\n") == ["A", "B", "C"]
    assert prompt.logprobs and prompt.max_tokens == 1


def test_what_was_found_in_the_surer_source_is_read_again(client: Any) -> None:
    llms = scripted(answer_kg=sure("Aino Virta", 0.45), answer_web=sure("Bo Third", 0.4))
    ask(system(llms, client), question())
    (prompt,) = llms.asked("choose")
    assert "is Aino Virta." in prompt
    assert "a film by Bo Third" not in prompt


@pytest.mark.parametrize(
    ("letter", "text", "source"),
    [("A", "Cy", Source.NONE), ("B", "Bo Third", Source.WEB), ("C", IDK, Source.NONE)],
)
def test_each_letter_is_its_answer(letter: str, text: str, source: Source) -> None:
    (outcome,) = ask(system(scripted(choose=sure(letter, 0.9, 1))), question())
    assert (outcome.answer.text, outcome.answer.source) == (text, source)


@pytest.mark.parametrize(
    ("said", "answer"),
    [("", IDK), ("Bo", IDK), ("D", IDK), ("I think", IDK), (" (B", "Bo Third")],
)
def test_without_constraints_what_is_no_letter_chooses_nothing(said: str, answer: str) -> None:
    llms = scripted(choose=sure(said, 0.9, 1))
    (outcome,) = ask(system(llms, constrained=False), question())
    assert outcome.answer.text == answer
    assert llms.rounds[-1][1][0].constraint is None


def test_without_an_answer_nothing_is_chosen() -> None:
    llms = scripted(answer_alone=paths(IDK), answer_web=sure("I don't know", 0.4), choose=never)
    (outcome,) = ask(system(llms), question())
    assert outcome.answer == Answer()


# --- time


def test_when_time_runs_out_midway_what_stands_stands_and_nothing_is_guessed() -> None:
    clock = Clock()

    def remember(prompt: Prompt) -> Any:
        known = "known" in prompt.messages[-1].text
        return paths("Cy", "Cy", "Cy" if known else "Dee")(prompt)

    late = sure("Bo Third", 0.9)
    llms = scripted(answer_alone=remember, choose=lambda p: clock.after(200, sure("B", 0.1, 1)(p)))
    asked = [question("a known one?"), question("another one?")]
    known, other = ask(system(llms), *asked, deadline=Deadline(100.0, clock))
    assert known.answer.text == "Cy" and other.answer == Answer()
    clock.now = 0.0
    llms = scripted(answer_alone=lambda p: clock.after(200, remember(p)), answer_web=late)
    (outcome,) = ask(system(llms), question("another one?"), deadline=Deadline(100.0, clock))
    assert outcome.answer == Answer()


# --- calibrating it (section 4.1.4)


def test_a_traced_run_with_thresholds_of_1_gives_held_out_predictions(tmp_path: Path) -> None:
    llms = scripted(answer_alone=paths("Cy", "Cy", "Cy"), answer_web=sure("Bo Third", 1.0))
    made = system(llms)
    made.thresholds = Thresholds(1.0, 1.0, 1.0)
    model = UserModel(Settings(task=Task.WEB), system=made, clock=lambda: 0.0)
    page = {"page_name": "", "page_result": PAGE.html}
    asked = [Example(str(n), ON_KG, "", (page,), ("bo third",)) for n in range(5)]
    answer_all = partial(map, Answerer(model, str))
    run = Run(answer_all, RulesJudge(), RunFolder(tmp_path), batch_size=2, traced=True)
    run.go(asked, {}, lambda tally: None)
    rows = rows_of_run(tmp_path, RulesJudge(), STAGES)
    assert [list(row.stages) for row in rows] == [list(STAGES)] * 5
    said = {name: (one.confidence, one.verdict) for name, one in rows[0].stages.items()}
    assert said["external"] == (1.0, Verdict.CORRECT)
    assert said["parametric"] == (1.0, Verdict.WRONG)
    assert said["final"] == (pytest.approx(0.9), Verdict.CORRECT)


# --- building it


def test_thresholds_come_from_options_or_from_a_calibration_file(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    given = {"parametric": 0.2, "external": 0.3, "final": 0.4}
    file.write_text(json.dumps({"thresholds": given, "held_out": {"gains": True}}))
    made = build(settings(tmp_path, calibration=str(file)))
    assert made.thresholds == Thresholds(0.2, 0.3, 0.4)
    assert build(settings(tmp_path, t_p=0.9)).thresholds == Thresholds(0.9)
    with pytest.raises(SettingsError, match="give calibration or t_e, not both"):
        build(settings(tmp_path, calibration=str(file), t_e=0.1))
    with pytest.raises(SettingsError, match="no calibration file"):
        build(settings(tmp_path, calibration=str(tmp_path / "none.json")))


def settings(folder: Path, **options: Any) -> Settings:
    """A server that is not asked anything when the system is built."""
    web = {"reranker": "lexical"}
    llm = "openai:http://127.0.0.1:1/v1#none"
    return Settings(system="dragonrangers", llm=llm, web=web, options=options)
