"""Runs compared: paired differences, changed verdicts, questions that are left out."""

from pathlib import Path

import pytest

from evaluation.compare import SAME, as_text, compare, mcnemar, write_compare_page
from evaluation.judge.protocol import Verdict
from evaluation.run_folder import write_json
from tests.evaluation.run_files import result, write_run
from tests.evaluation.test_page import Blocks
from utils.errors import InputError

RIGHT = Verdict.CORRECT
WRONG = Verdict.WRONG
MISSING = Verdict.MISSING


def run(folder: Path, verdicts: list[Verdict]) -> Path:
    return write_run(folder, list(map(result, range(len(verdicts)), verdicts)))


@pytest.mark.parametrize(
    ("lost", "gained", "expected"),
    [(0, 0, 1.0), (5, 5, 1.0), (1, 9, 22 / 1024), (9, 1, 22 / 1024), (19_000, 20_000, 4.2168e-7)],
)
def test_mcnemar_is_the_exact_binomial_test(lost: int, gained: int, expected: float) -> None:
    assert mcnemar(lost, gained) == pytest.approx(expected, rel=1e-4)


def test_a_later_run_is_compared_question_by_question(tmp_path: Path) -> None:
    before = run(tmp_path / "a", [RIGHT, RIGHT, WRONG, MISSING] * 10)
    after = run(tmp_path / "b", [RIGHT, MISSING, MISSING, WRONG] * 10)
    comparison = compare([before, after, before])
    pair, same = comparison.pairs
    overall = pair.overall
    assert overall.before == 0.25
    assert overall.after == 0.0
    assert overall.difference == -0.25
    low, high = overall.ci95
    assert low < -0.25 < high < 0.25
    assert overall.lost == 10
    assert overall.gained == 0
    counts = {change: len(ids) for change, ids in pair.changes.items()}
    assert counts == {
        "newly wrong": 10,
        "newly missing": 20,
        "newly unscored": 0,
        "newly right": 0,
    }
    assert pair.slices["domain"]["movie"] == overall
    assert same.overall.difference == 0
    assert same.overall.ci95 == (0, 0)
    assert same.overall.p_value == 1
    text = as_text(comparison)
    assert "-25.0%" in text
    assert "newly wrong in B: 10\n  q3  who is 3?" in text


def test_the_page_of_a_comparison_has_a_column_per_run(tmp_path: Path) -> None:
    before = run(tmp_path / "a", [RIGHT, RIGHT, WRONG, MISSING] * 10)
    after = run(tmp_path / "b", [RIGHT, MISSING, MISSING, WRONG] * 10)
    comparison = compare([before, after, before])
    page = Blocks(write_compare_page(comparison, tmp_path / "compare.html"))
    question = page.unpacked("questions")[3]
    assert question["changes"] == ["newly wrong", SAME]
    assert len(question["runs"]) == 3
    assert [column["label"] for column in page.data()["runs"]] == ["A", "B", "C"]


def test_questions_that_a_run_lacks_are_left_out_and_differing_settings_listed(
    tmp_path: Path,
) -> None:
    three = write_run(tmp_path / "a", [result(0), result(1), result(2, query="who\x1b is 2?")])
    two = run(tmp_path / "b", [RIGHT] * 2)
    settings = {"system": "db3", "dataset": "some.jsonl", "where": "domain=movie"}
    write_json(two / "run.json", settings)
    comparison = compare([three, two])
    assert comparison.ids == ("q0", "q1")
    assert comparison.missing == {"B": ("q2",)}
    assert comparison.differing == {"system": ("offline", "db3"), "where": ("all", "domain=movie")}
    text = as_text(comparison)
    assert "left out, missing from B: 1\n  q2  who� is 2?" in text
    assert "Settings that differ" in text
    assert "db3" in text


def test_a_setting_in_a_table_is_named_beside_its_values(tmp_path: Path) -> None:
    before = run(tmp_path / "a", [RIGHT])
    after = run(tmp_path / "b", [RIGHT])
    write_json(before / "run.json", {"system": "db3", "llms.default.context": "1024"})
    write_json(after / "run.json", {"system": "db3", "llms.default.adapters.route": "lora:0"})
    comparison = compare([before, after])
    assert comparison.differing["llms.default.context"] == ("1024", "none")
    text = as_text(comparison)
    assert "llms.default.context" in text
    assert "lora:0" in text


def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    one = run(tmp_path / "a", [RIGHT])
    other = write_run(tmp_path / "b", [result(0, query="who else?")])
    elsewhere = write_run(tmp_path / "c", [result(1)])
    for folders, message in [
        ([one], "give 2 to 26"),
        ([one, other], "id q0 belongs to different questions"),
        ([one, elsewhere], "no question in common"),
        ([one, tmp_path / "none"], "not a run's folder"),
    ]:
        with pytest.raises(InputError, match=message):
            compare(folders)
