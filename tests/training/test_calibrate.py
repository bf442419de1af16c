"""Thresholds by grid search: known optima, and confidences that mean nothing."""

import json
import random
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from evaluation.calibrate import Rows, Search, StageAnswer, calibrate, rows_of_run
from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import write_json
from models.runtime.trace import Step
from models.systems.dragonrangers.thresholds import STAGES, Thresholds, read_thresholds
from tests.evaluation.made import Command, result, write_run
from utils.errors import SettingsError

RIGHT, WRONG = Verdict.CORRECT, Verdict.WRONG


def three_stages(count: int = 400, seed: int = 1, *, meant: bool = True) -> Rows:
    """Each stage is right as often as its confidence says; else, it is right half the time."""
    draw = random.Random(seed)

    def said() -> StageAnswer:
        sure = draw.random()
        return StageAnswer(sure, RIGHT if draw.random() < (sure if meant else 0.5) else WRONG)

    return {f"q{number}": {name: said() for name in STAGES} for number in range(count)}


def test_the_best_policy_is_that_of_an_exhaustive_search_with_the_fewest_wrong() -> None:
    unscored = {f"u{n}": {"external": StageAnswer(n / 9, Verdict.UNSCORED)} for n in range(9)}
    rows = {**three_stages(60), **unscored}

    def first_sure(said: Mapping[str, StageAnswer], policy: tuple[float, ...]) -> Verdict:
        for name, threshold in zip(STAGES, policy, strict=True):
            if name in said and said[name].confidence > threshold:
                return said[name].verdict
        return Verdict.MISSING

    search = Search(rows, STAGES, 0.25)
    found = []
    for policy in search.policies:
        verdicts = [first_sure(said, policy) for said in rows.values()]
        found.append((verdicts.count(RIGHT) - verdicts.count(WRONG), -verdicts.count(WRONG)))
    best = search.figures(search.best())
    assert (best.correct - best.wrong, -best.wrong) == max(found)
    assert best.score == (best.correct - best.wrong) / len(rows)


def test_a_fold_never_chooses_its_own_thresholds() -> None:
    """Without the right answer nothing is let through, so that it does not count."""
    rows = {"q0": {"a": StageAnswer(0.95, RIGHT)}, "q1": {"a": StageAnswer(0.15, WRONG)}}
    search = Search(rows, "a")
    assert search.check(["q0", "q1"], folds=2).score == 0.0


def test_confidences_that_mean_something_gain_on_held_out_data() -> None:
    made = calibrate(three_stages(), STAGES, step=0.2)
    assert made.held_out.gains and made.held_out.gain_ci95[0] > 0
    assert "the confidences gain +" in made.in_words()


@pytest.mark.parametrize("seed", range(5))
def test_confidences_that_mean_nothing_gain_nothing_on_held_out_data(seed: int) -> None:
    made = calibrate(three_stages(seed=seed, meant=False), STAGES, step=0.25)
    assert not made.held_out.gains
    assert "gain nothing on held-out data" in made.in_words()
    assert made.figures.score >= made.held_out.score  # what was seen always looks better


def traced_run(folder: Path, questions: int) -> None:
    """A run over so many questions, in which all three steps answered; the second was right."""
    steps = [
        Step("parametric", {"confidence": "0.333333"}, "Bo"),
        Step("choose", {}, "A"),
        Step("external", {"confidence": "0.9"}, "Ann"),
        Step("final", {"confidence": "0.8"}, "i don't know"),
    ]
    write_run(folder, list(map(result, range(questions))), [steps] * questions)


def test_the_command_writes_what_dragonrangers_can_read(tmp_path: Path, command: Command) -> None:
    traced_run(tmp_path, 10)
    found, *_ = rows_of_run(tmp_path, RulesJudge(), STAGES).values()
    said = StageAnswer(0.333333, WRONG), StageAnswer(0.9, RIGHT), StageAnswer(0.8, Verdict.MISSING)
    assert found == dict(zip(STAGES, said, strict=True))
    out = tmp_path / "calibration.json"
    shown = command("calibrate", tmp_path, "--out", out, "--step", "0.25")
    assert "thresholds: parametric" in shown
    made = json.loads(out.read_text())
    assert (made["run"], made["figures"]["correct"]) == (str(tmp_path), 10)
    assert asdict(read_thresholds(out)) == made["thresholds"]


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
def test_what_is_no_calibration_file_is_refused(tmp_path: Path, text: str) -> None:
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
    traced_run(tmp_path, 1)
    write_run(tmp_path / "untraced", [result()])
    out = tmp_path / "out.json"
    said = command("calibrate", tmp_path / run, "--step", step, "--out", out, status=2)
    assert error in said and not out.exists()
