"""Thresholds by grid search: known optima, and confidences that mean nothing."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import write_json
from models.runtime.trace import Step
from models.systems.dragonrangers.thresholds import STAGES, Thresholds, read_thresholds
from tests.evaluation.run_files import result, write_run
from training.__main__ import main
from training.calibrate import PolicySearch, StageAnswer, StageAnswers, calibrate, stage_answers
from utils.errors import SettingsError

RIGHT = Verdict.CORRECT
WRONG = Verdict.WRONG
Command = Callable[..., str]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `crag training calibrate`, and returns what it prints."""

    def run(*arguments: object, status: int = 0) -> str:
        assert main(["calibrate", *map(str, arguments)]) == status
        output = capsys.readouterr()
        return output.out + output.err

    return run


def three_stages(count: int = 400, seed: int = 1, *, meant: bool = True) -> StageAnswers:
    """Each stage is right as often as its confidence says; else, it is right half the time."""
    rng = random.Random(seed)

    def answer() -> StageAnswer:
        confidence = rng.random()
        chance = confidence if meant else 0.5
        return StageAnswer(confidence, RIGHT if rng.random() < chance else WRONG)

    return {f"q{number}": {name: answer() for name in STAGES} for number in range(count)}


def first_sure_verdict(answers: Mapping[str, StageAnswer], policy: tuple[float, ...]) -> Verdict:
    """The verdict of the first stage that passes its threshold."""
    for name, threshold in zip(STAGES, policy, strict=True):
        if name in answers and answers[name].confidence > threshold:
            return answers[name].verdict
    return Verdict.MISSING


def test_the_best_policy_is_that_of_an_exhaustive_search_with_the_fewest_wrong() -> None:
    unscored = {f"u{n}": {"external": StageAnswer(n / 9, Verdict.UNSCORED)} for n in range(9)}
    answers = {**three_stages(60), **unscored}
    search = PolicySearch(answers, STAGES, 0.25)
    scores = []
    for policy in search.policies:
        verdicts = [first_sure_verdict(by_stage, policy) for by_stage in answers.values()]
        wrong = verdicts.count(WRONG)
        scores.append((verdicts.count(RIGHT) - wrong, -wrong))
    best = search.figures(search.best())
    assert (best.correct - best.wrong, -best.wrong) == max(scores)
    assert best.score == (best.correct - best.wrong) / len(answers)


def test_a_fold_never_chooses_its_own_thresholds() -> None:
    """Without the right answer nothing is let through, so that it does not count."""
    answers = {"q0": {"a": StageAnswer(0.95, RIGHT)}, "q1": {"a": StageAnswer(0.15, WRONG)}}
    search = PolicySearch(answers, "a")
    assert search.check(["q0", "q1"], folds=2).score == 0.0


def test_confidences_that_mean_something_gain_on_held_out_data() -> None:
    calibration = calibrate(three_stages(), STAGES, step=0.2)
    assert calibration.held_out.gains and calibration.held_out.gain_ci95[0] > 0
    assert "the confidences gain +" in calibration.in_words()


@pytest.mark.parametrize("seed", range(5))
def test_confidences_that_mean_nothing_gain_nothing_on_held_out_data(seed: int) -> None:
    calibration = calibrate(three_stages(seed=seed, meant=False), STAGES, step=0.25)
    assert not calibration.held_out.gains
    assert "gain nothing on held-out data" in calibration.in_words()
    # the questions that the thresholds were chosen on always look better
    assert calibration.figures.score >= calibration.held_out.score


def write_traced_run(folder: Path, questions: int) -> None:
    """A run over so many questions, in which all three steps answered; the second was right."""
    steps = [
        Step("parametric", {"confidence": "0.333333"}, "Bo"),
        Step("choose", {}, "A"),
        Step("external", {"confidence": "0.9"}, "Ann"),
        Step("final", {"confidence": "0.8"}, "i don't know"),
    ]
    write_run(folder, list(map(result, range(questions))), [steps] * questions)


def test_the_command_writes_what_dragonrangers_can_read(tmp_path: Path, command: Command) -> None:
    write_traced_run(tmp_path, 10)
    first_answers, *_ = stage_answers(tmp_path, RulesJudge(), STAGES).values()
    assert first_answers == {
        "parametric": StageAnswer(0.333333, WRONG),
        "external": StageAnswer(0.9, RIGHT),
        "final": StageAnswer(0.8, Verdict.MISSING),
    }
    out = tmp_path / "calibration.json"
    assert "thresholds: parametric" in command(tmp_path, "--out", out, "--step", "0.25")
    calibration = json.loads(out.read_text())
    assert calibration["run"] == str(tmp_path)
    assert calibration["figures"]["correct"] == 10
    assert asdict(read_thresholds(out)) == calibration["thresholds"]


def test_thresholds_that_gain_nothing_warn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "calibration.json"
    write_json(out, {"thresholds": dict.fromkeys(STAGES, 0.5), "held_out": {"gains": False}})
    assert read_thresholds(out) == Thresholds(0.5, 0.5, 0.5)
    assert "gained nothing on held-out data" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        '{"thresholds": {"parametric": 0.5}, "held_out": {"gains": true}}',
        '{"thresholds": {"parametric": 0.5, "external": 2, "final": 0}, "held_out": {"gains": 1}}',
        '{"thresholds": {"parametric": 0.5, "external": 0.1, "final": 0.1}}',
    ],
)
def test_a_file_without_a_calibration_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(text)
    with pytest.raises(SettingsError, match="no calibration file"):
        read_thresholds(file)


@pytest.mark.parametrize(
    ("run", "step", "error"),
    [
        ("none", "0.1", "not a run's folder"),
        ("untraced", "0.1", "no step of a trace"),
        (".", "0.1", "5 folds"),
        (".", "0.01", "0.05"),
    ],
)
def test_errors_end_in_one_line(
    tmp_path: Path, command: Command, run: str, step: str, error: str
) -> None:
    write_traced_run(tmp_path, 1)
    write_run(tmp_path / "untraced", [result()])
    out = tmp_path / "out.json"
    assert error in command(tmp_path / run, "--step", step, "--out", out, status=2)
    assert not out.exists()
