"""An answer of too low a probability becomes "i don't know", in every system."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main as evaluate
from local_evaluation import PARTS
from models.llm.protocol import Completion, FinishReason
from models.records import IDK, INVALID, Answer, Passage, Source
from models.runtime.case import Case
from models.runtime.confidence_model import STEP, features_of
from models.runtime.rounds import confidence_figures
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.web_passages import coverage
from models.user_model import UserModel
from models.web.page import PageText
from models.web.retrieved import Retrieved
from training.__main__ import main as train
from utils.deadline import Deadline
from utils.errors import SettingsError


class Saying:
    """Answers each question by its own text; answers with "slow" are not final at the deadline."""

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        for case in cases:
            text = case.question.text
            sure = {"likely": 0.9 if "sure" in text else 0.1}
            case.note_step(Step("answer_web", output=text, confidence=sure))
            case.slot.record(Answer(text, Source.WEB), final="slow" not in text)


def model_file(folder: Path, **changes: Any) -> Path:
    """A model that accepts an answer if its `likely` is over 0.5."""
    model = {
        "means": {"likely": 0.5},
        "scales": {"likely": 0.1},
        "weights": {"likely": 1.0},
        "bias": 0.0,
        "threshold": 0.5,
        "gains": True,
        "system": "offline",
        **changes,
    }
    file = folder / "confidence.json"
    file.write_text(json.dumps({"model": model}))
    return file


def answers_of(queries: Sequence[str], file: Path | None) -> tuple[list[str], UserModel]:
    model = UserModel(Settings(confidence=file), system=Saying())
    return model.batch_generate_answer({"query": list(queries)}), model


def test_only_answers_over_the_threshold_are_given_even_by_a_model_without_gain(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    queries = ["sure one", "doubtful", "slow doubtful", "slow but sure"]
    without, _ = answers_of(queries, None)
    assert without == queries
    weighed, model = answers_of(queries, model_file(tmp_path, gains=False))
    assert weighed == ["sure one", IDK, IDK, "slow but sure"]
    step = model.last_traces[1][-1]
    assert (step.name, step.output, step.inputs["answer"]) == (STEP, IDK, "doubtful")
    assert float(step.inputs["chance"]) < 0.05 and step.confidence["likely"] == 0.1
    assert "gained nothing on held-out data" in caplog.text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"system": "db3"}, "answers of db3, not of offline"),
        ({"threshold": float("nan")}, "no confidence model"),
        ({"scales": {"likely": 0.0}}, "no confidence model"),
        ({"means": {}}, "no confidence model"),
    ],
)
def test_a_model_of_another_system_or_with_odd_numbers_is_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        answers_of([], model_file(tmp_path, **changes))


def test_features_come_from_the_steps_the_answer_and_the_question() -> None:
    steps = (
        Step("web", output="passages", confidence={"coverage": 0.5, "likely": 0.4}),
        Step("a", output="It is tall. Answer: 330 m [1]", confidence={"likely": 0.9}, answers=True),
        Step("b", output="330 m", answers=True),
        Step("c", output=IDK, answers=True),
    )
    features = features_of("how tall is the stock?", Answer("330 m", Source.WEB), steps)
    assert (features["coverage"], features["likely"]) == (0.5, 0.9)  # of the last step that has it
    assert features["agreement"] == pytest.approx(2 / 3)  # two of three answering steps
    assert (features["from_web"], features["from_kg"], features["invalid"]) == (1.0, 0.0, 0.0)
    assert (features["about_finance"], features["about_movie"]) == (1.0, 0.0)
    assert features_of("?", Answer(INVALID), ())["invalid"] == 1.0
    assert "agreement" not in features_of("?", Answer("x"), ())


def test_the_figures_of_a_completion_are_its_probability_and_the_agreement_of_its_samples() -> None:
    rome = Completion("Rome", FinishReason.STOP, 1)
    same = Completion("rome.", FinishReason.STOP, 1)
    paris = Completion("P", FinishReason.STOP, 1)
    with_logprobs = replace(rome, logprobs=(math.log(0.4), math.log(0.9)))
    assert confidence_figures(with_logprobs) == {"likely": pytest.approx(0.6)}
    three_samples = replace(rome, others=(same, paris))
    assert confidence_figures(three_samples) == {"samples": pytest.approx(2 / 3)}
    assert confidence_figures(Completion("", FinishReason.BROKEN, 0)) == {}


def test_coverage_is_the_share_of_the_question_in_the_best_passage() -> None:
    passage = Passage("It is 330 m tall.", 0, 0, 17)
    retrieved = Retrieved({0: PageText("Eiffel Tower", "")}, [passage])
    assert coverage("how tall is the eiffel tower in leagues?", retrieved) == {"coverage": 0.75}
    assert coverage("how tall is the eiffel tower?", Retrieved()) == {}


def test_a_model_fitted_on_a_run_is_used_and_fitted_again_on_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_and_fit(name: str) -> tuple[set[str], Any]:
        """The answers of a run, and the model fitted on it."""
        run = tmp_path / name
        file = tmp_path / f"{name}.json"
        assert evaluate(["--limit", "12", "--out", str(run)], PARTS) == 0
        assert train(["confidence", "--from-run", str(run), "--out", str(file)]) == 0
        lines = (run / "predictions.jsonl").read_text().splitlines()
        answers = {json.loads(line)["prediction"] for line in lines}
        return answers, json.loads(file.read_text())

    answers, first = run_and_fit("first")
    assert len(answers) > 5 and "from_kg" in first["model"]["weights"]
    trusts_nothing = {**first["model"], "bias": -50.0, "threshold": 0.5}
    (tmp_path / "model.json").write_text(json.dumps({"model": trusts_nothing}))
    monkeypatch.setenv("CRAG_CONFIDENCE", str(tmp_path / "model.json"))
    answers, second = run_and_fit("second")
    assert answers == {IDK}
    # The fit judges the answers as they were before the model.
    assert second["data"]["answers"] == first["data"]["answers"]
