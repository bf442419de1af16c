"""Thresholds by grid search: known optima, and confidences that mean nothing."""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.calibrate import Search, calibrate, in_words
from evaluation.held_out import HeldOut, Said, rows_of_run
from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.score import Result
from models.systems.dragonrangers.thresholds import STAGES, Thresholds, read_thresholds
from utils.errors import InputError, SettingsError

RIGHT, WRONG = Verdict.CORRECT, Verdict.WRONG


def row(number: int, **stages: tuple[float, Verdict]) -> HeldOut:
    return HeldOut(f"q{number}", {name: Said(*said) for name, said in stages.items()})


def one_stage() -> list[HeldOut]:
    """Right over 0.6, wrong up to it: both neighbours of the grid's 0.6 occur."""
    sure = [0.05 + 0.1 * (i % 10) for i in range(40)]
    return [row(i, a=(c, RIGHT if c > 0.6 else WRONG)) for i, c in enumerate(sure)]


def three_stages(count: int = 400, seed: int = 1) -> list[HeldOut]:
    """Each stage is right as often as its confidence says."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        said = {}
        for name in STAGES:
            sure = draw.random()
            said[name] = (sure, RIGHT if draw.random() < sure else WRONG)
        rows.append(row(number, **said))
    return rows


def shuffled(rows: Sequence[HeldOut], seed: int = 2) -> list[HeldOut]:
    """The same answers and verdicts, and each stage's confidences in another order."""
    draw = random.Random(seed)
    made = [dict(each.stages) for each in rows]
    for name in STAGES:
        sure = [each[name].confidence for each in made]
        draw.shuffle(sure)
        for each, confidence in zip(made, sure, strict=True):
            each[name] = Said(confidence, each[name].verdict)
    return [HeldOut(each.id, stages) for each, stages in zip(rows, made, strict=True)]


def test_the_optimum_of_one_stage_is_found() -> None:
    search = Search(one_stage(), "a")
    best = search.best()
    assert search.policies[best] == (0.6,)
    figures = search.figures(best)
    assert (figures.correct, figures.wrong, figures.score) == (16, 0, 0.4)


def test_the_optimum_of_three_stages_is_found() -> None:
    """Step 1 is right over 0.8, step 2 over 0.3, step 3 over 0.5; each is needed."""
    rows = []
    for a, b, c in [(x, y, z) for x in (75, 85) for y in (25, 35) for z in (45, 55)]:
        bounds = {"parametric": (a, 80), "external": (b, 30), "final": (c, 50)}
        said = {n: (v / 100, RIGHT if v > at else WRONG) for n, (v, at) in bounds.items()}
        rows.append(row(len(rows), **said))
    search = Search(rows, STAGES)
    assert dict(zip(search.stages, search.policies[search.best()], strict=True)) == {
        "parametric": 0.8,
        "external": 0.3,
        "final": 0.5,
    }
    assert search.figures(search.best()).wrong == 0


def test_the_search_is_exhaustive() -> None:
    rows = three_stages(60)
    search = Search(rows, STAGES, 0.25)
    scores = []
    for p, e, f in search.policies:
        total = 0
        for each in rows:
            for name, threshold in zip(search.stages, (p, e, f), strict=True):
                if each.stages[name].confidence > threshold:
                    total += 1 if each.stages[name].verdict is RIGHT else -1
                    break
        scores.append(total / len(rows))
    assert search.figures(search.best()).score == pytest.approx(max(scores))


def test_of_policies_that_score_the_same_the_one_that_says_less_that_is_wrong() -> None:
    rows = [row(0, a=(0.95, RIGHT)), row(1, a=(0.45, RIGHT)), row(2, a=(0.45, WRONG))]
    search = Search(rows, "a")
    assert search.policies[search.best()] == (0.9,)


def test_an_answer_that_cannot_be_judged_earns_nothing() -> None:
    rows = [row(0, a=(0.9, Verdict.UNSCORED)), row(1, a=(0.9, Verdict.MISSING)), row(2)]
    search = Search([*rows, row(3, a=(0.9, RIGHT))], "a")
    assert search.figures(search.best()).score == 0.25


def test_confidences_that_mean_something_gain_on_held_out_data() -> None:
    rows = three_stages()
    made = calibrate(rows, STAGES, step=0.2)
    assert made["held_out"]["gains"] is True
    assert made["held_out"]["gain_ci95"][0] > 0
    assert "the confidences gain +" in in_words(made)


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_confidences_gain_nothing_on_held_out_data_and_it_says_so(seed: int) -> None:
    made = calibrate(shuffled(three_stages(seed=seed), seed + 100), STAGES, step=0.25)
    assert made["held_out"]["gains"] is False
    assert "gain nothing on held-out data" in in_words(made)
    fitted = made["figures"]["score"]
    assert fitted >= made["held_out"]["score"]  # what was seen always looks better


def test_a_fold_never_chooses_its_own_thresholds() -> None:
    """Without the right answer nothing is let through, so that it does not count."""
    rows = [row(0, a=(0.95, RIGHT)), row(1, a=(0.15, WRONG))]
    search = Search(rows, "a")
    assert search.figures(search.best()).score == 0.5
    assert search.check(["q0", "q1"], folds=2).score == 0.0


def traced_run(folder: Path, questions: int) -> None:
    """A run over so many questions, in which all three steps answered; the second was right."""

    def step(name: str, sure: str, made: str) -> dict[str, object]:
        return {"name": name, "inputs": {"confidence": sure}, "output": made}

    steps = [
        step("parametric", "0.333333", "florida"),
        {"name": "choose", "inputs": {}, "output": "A"},
        step("external", "0.9", "oklahoma"),
        step("final", "0.8", "i don't know"),
    ]
    question = {"query": "which school won?", "golds": ("oklahoma",)}
    for number in range(questions):
        id = f"q{number}"
        result = Result(id, "", "", Verdict.MISSING, 1.0)
        with (folder / "predictions.jsonl").open("a") as results:
            results.write(json.dumps(asdict(result) | question) + "\n")
        with (folder / "traces.jsonl").open("a") as traces:
            traces.write(json.dumps({"id": id, "steps": steps}) + "\n")


def test_the_command_writes_what_dragonrangers_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traced_run(tmp_path, 10)
    out = tmp_path / "calibration.json"
    assert main(["calibrate", str(tmp_path), "--out", str(out), "--step", "0.25"]) == 0
    assert "thresholds: parametric" in capsys.readouterr().out
    made = json.loads(out.read_text())
    assert made["run"] == str(tmp_path)
    assert made["figures"]["correct"] == 10
    read = read_thresholds(out)
    assert {name: getattr(read, name) for name in STAGES} == made["thresholds"]


def test_reading_thresholds_that_gain_nothing_warns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "calibration.json"
    out.write_text(json.dumps(calibrate(shuffled(three_stages()), STAGES, step=0.25)))
    assert isinstance(read_thresholds(out), Thresholds)
    assert "gained nothing on held-out data" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
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


def test_errors_end_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["calibrate", str(tmp_path / "none"), "--out", str(out)]) == 2
    assert "not a run's folder" in capsys.readouterr().err
    traced_run(tmp_path, 1)
    assert main(["calibrate", str(tmp_path), "--out", str(out)]) == 2  # too few for five folds
    assert main(["calibrate", str(tmp_path), "--step", "0", "--out", str(out)]) == 2
    assert not out.exists()


def test_too_fine_a_grid_is_refused() -> None:
    with pytest.raises(InputError, match="too fine"):
        Search(three_stages(), STAGES, 0.001)


def test_a_traced_run_is_judged_step_by_step(tmp_path: Path) -> None:
    traced_run(tmp_path, 1)
    (found,) = rows_of_run(tmp_path, RulesJudge(), STAGES)
    assert list(found.stages) == list(STAGES)
    assert found.stages["external"] == Said(0.9, RIGHT)
    assert found.stages["parametric"].verdict is not RIGHT
    assert found.stages["final"].verdict is Verdict.MISSING
    with pytest.raises(InputError, match="no step of a trace"):
        rows_of_run(tmp_path, RulesJudge(), ["other"])
