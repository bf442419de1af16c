"""An answer that a confidence model trusts too little becomes "i don't know", in every system."""

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
from models.records import IDK, INVALID, Answer, Passage, Question, Source
from models.runtime.confidence import STEP, features_of
from models.runtime.ledger import Ledger
from models.runtime.rounds import sureness
from models.runtime.trace import Step
from models.settings import Settings
from models.systems.web_passages import coverage
from models.user_model import UserModel
from models.web.page import PageText
from models.web.retrieved import Retrieved
from training.__main__ import main as train
from utils.deadline import Deadline
from utils.errors import SettingsError


class Saying:
    """Answers each question by its own text; of those that say "slow" the deadline cuts it off."""

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        for index, question in enumerate(questions):
            sure = {"likely": 0.9 if "sure" in question.text else 0.1}
            answers.note(index, Step("answer_web", output=question.text, confidence=sure))
            slow = "slow" in question.text
            answers.record(index, Answer(question.text, Source.WEB), final=not slow)


def model_file(folder: Path, **changes: Any) -> Path:
    """A model that trusts an answer as far as its `likely`: to stand it must be over 0.5."""
    model = {
        "means": {"likely": 0.5}, "scales": {"likely": 0.1}, "weights": {"likely": 1.0},
        "bias": 0.0, "threshold": 0.5, "gains": True, "system": "offline", **changes,
    }  # fmt: skip
    file = folder / "confidence.json"
    file.write_text(json.dumps({"model": model}))
    return file


def answers_of(queries: Sequence[str], file: Path | None) -> tuple[list[str], UserModel]:
    model = UserModel(Settings(confidence=file), system=Saying())
    return model.batch_generate_answer({"query": list(queries)}), model


def test_only_answers_that_are_sure_enough_stand_whatever_the_model_gained(
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


def test_features_are_what_the_steps_tell() -> None:
    steps = (
        Step("web", output="passages", confidence={"coverage": 0.5, "likely": 0.4}),
        Step("think", output="It is tall. Answer: 330 m [1]", confidence={"likely": 0.9}),
        Step("answer", output="330 m"),
        Step("answer_kg", output=IDK),
    )
    found = features_of("how tall is the stock?", Answer("330 m", Source.WEB), steps)
    assert (found["coverage"], found["likely"]) == (0.5, 0.9)  # the last step's that tells
    assert found["agreement"] == pytest.approx(2 / 3)  # two of three that say an answer
    assert (found["from_web"], found["from_kg"], found["invalid"]) == (1.0, 0.0, 0.0)
    assert (found["about_finance"], found["about_movie"]) == (1.0, 0.0)
    assert features_of("?", Answer(INVALID), ())["invalid"] == 1.0
    assert "agreement" not in features_of("?", Answer("x"), ())


def test_a_completion_tells_its_probability_and_the_agreement_of_its_samples() -> None:
    rome, also, paris = (Completion(text, FinishReason.STOP, 1) for text in ("Rome", "rome.", "P"))
    likely = replace(rome, logprobs=(math.log(0.4), math.log(0.9)))
    assert sureness(likely) == {"likely": pytest.approx(0.6)}
    assert sureness(replace(rome, others=(also, paris))) == {"samples": pytest.approx(2 / 3)}
    assert sureness(Completion("", FinishReason.BROKEN, 0)) == {}


def test_coverage_is_the_share_of_the_question_in_the_best_passage() -> None:
    got = Retrieved({0: PageText("Eiffel Tower", "")}, [Passage("It is 330 m tall.", 0, 0, 17)])
    assert coverage("how tall is the eiffel tower in leagues?", got) == {"coverage": 0.75}
    assert coverage("how tall is the eiffel tower?", Retrieved()) == {}


def test_from_a_run_to_a_model_to_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_and_fit(name: str) -> tuple[set[str], Any]:
        """The answers of a run, and the model fitted on it."""
        run, file = tmp_path / name, tmp_path / f"{name}.json"
        assert evaluate(["--limit", "12", "--out", str(run)], PARTS) == 0
        assert train(["confidence", "--from-run", str(run), "--out", str(file)]) == 0
        lines = (run / "predictions.jsonl").read_text().splitlines()
        return {json.loads(line)["prediction"] for line in lines}, json.loads(file.read_text())

    answers, first = run_and_fit("first")
    assert len(answers) > 5 and "from_kg" in first["model"]["weights"]
    trusts_nothing = {**first["model"], "bias": -50.0, "threshold": 0.5}
    (tmp_path / "model.json").write_text(json.dumps({"model": trusts_nothing}))
    monkeypatch.setenv("CRAG_CONFIDENCE", str(tmp_path / "model.json"))
    answers, second = run_and_fit("second")
    assert answers == {IDK}
    # judged as the answers stood before the model
    assert second["data"]["answers"] == first["data"]["answers"]
