"""Labels by hand: the sample, the questions asked, and the agreement of judges with them."""

import io
import json
import math
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

import crag
from evaluation.judge.protocol import Verdict
from evaluation.labels import (
    LABELS,
    Agreement,
    Label,
    agreement,
    agreement_table,
    agreements,
    kappa,
    read_labels,
    sample,
    wilson_interval,
    write_label,
)
from evaluation.run_folder import OTHER_JUDGES, PREDICTIONS
from evaluation.score import QuestionResult
from tests.evaluation.run_files import result, write_run
from utils.errors import InputError

RIGHT = Verdict.CORRECT
WRONG = Verdict.WRONG
MISSING = Verdict.MISSING
OPEN = Verdict.UNSCORED


def answers(counts: dict[Verdict, int]) -> list[QuestionResult]:
    """So many results of each verdict, whose answers no rule of the contest settles."""
    verdicts = Counter(counts).elements()
    return [result(number, each, prediction="Bo Lunt") for number, each in enumerate(verdicts)]


def test_a_sample_has_each_verdict_in_proportion() -> None:
    chosen = sample(answers({RIGHT: 60, WRONG: 30, OPEN: 10}), 20, seed=0)
    assert Counter(each.verdict for each in chosen) == {RIGHT: 12, WRONG: 6, OPEN: 2}


def test_a_sample_has_each_domain_in_proportion() -> None:
    results = [
        result(number, prediction="Bo", slices={"domain": "movie" if number % 4 else "sports"})
        for number in range(40)
    ]
    chosen = sample(results, 8, seed=0)
    assert Counter(each.slices["domain"] for each in chosen) == {"movie": 6, "sports": 2}


def test_a_sample_is_whole_where_it_may_be_larger_than_the_run() -> None:
    assert len(sample(answers({RIGHT: 3, WRONG: 2}), 200, seed=0)) == 5


def test_the_seed_decides_on_the_sample() -> None:
    results = answers({RIGHT: 60, WRONG: 40})
    first = sample(results, 20, seed=0)
    assert sample(results, 20, seed=0) == first
    assert sample(results, 20, seed=1) != first


def test_answers_that_the_rules_of_the_contest_settle_are_not_asked_for() -> None:
    settled = [result(0, prediction="i don't know"), result(1, prediction="ann")]
    assert sample([*settled, result(2, prediction="Bo")], 200, seed=0) == [
        result(2, prediction="Bo")
    ]


def run_of(folder: Path) -> Path:
    """A run of four answers: two called correct, one wrong, one unscored."""
    return write_run(folder, answers({RIGHT: 2, WRONG: 1, OPEN: 1}))


def label(run: Path, typed: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The status of `crag eval label` for what is typed."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return crag.main(["eval", "label", str(run)])


def test_verdicts_are_asked_for_and_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "run")
    assert label(run, "c\nW\nm\ns\n", monkeypatch) == 0
    assert Counter(each.verdict for each in read_labels(run).values()) == {
        RIGHT: 1,
        WRONG: 1,
        MISSING: 1,
    }
    printed = capsys.readouterr().out
    assert "right answer  Ann" in printed
    assert "answer  Bo Lunt" in printed
    assert "agreement with the labels" in printed


def test_what_is_no_verdict_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path / "run")
    label(run, "yes\n\nc\n", monkeypatch)
    assert [each.verdict for each in read_labels(run).values()] == [RIGHT]


def test_labelling_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(tmp_path / "run")
    label(run, "c\nc\nq\n", monkeypatch)
    first = read_labels(run)
    label(run, "w\nw\nw\n", monkeypatch)
    assert len(first) == 2
    assert Counter(each.verdict for each in read_labels(run).values()) == {RIGHT: 2, WRONG: 2}


def test_nothing_is_labelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "run")
    assert label(run, "", monkeypatch) == 0
    assert "nothing is labelled" in capsys.readouterr().out
    assert not (run / LABELS).exists()


def test_a_folder_without_a_run_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert label(tmp_path, "c\n", monkeypatch) == 2
    assert "not a run's folder" in capsys.readouterr().err


def test_a_later_label_replaces_an_earlier_one(tmp_path: Path) -> None:
    write_label(tmp_path, Label("q0", "Ann", RIGHT))
    write_label(tmp_path, Label("q0", "Ann", WRONG, "another person"))
    assert read_labels(tmp_path) == {"q0": Label("q0", "Ann", WRONG, "another person")}


@pytest.mark.parametrize("verdict", ["maybe", "unscored"])
def test_a_line_that_is_no_label_is_named(tmp_path: Path, verdict: str) -> None:
    line = json.dumps({"id": "q0", "prediction": "Ann", "verdict": verdict})
    (tmp_path / LABELS).write_text(line + "\n")
    with pytest.raises(InputError, match=r"labels\.jsonl, line 1"):
        read_labels(tmp_path)


def test_every_judge_of_a_run_is_compared_with_the_labels(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    (run / OTHER_JUDGES).mkdir()
    write_run(run / OTHER_JUDGES / "grader", answers({RIGHT: 4}))
    for number, verdict in enumerate((RIGHT, WRONG, WRONG, RIGHT)):
        write_label(run, Label(f"q{number}", "Bo Lunt", verdict))
    own, other = agreements(run)
    assert (own.decided, own.agreement) == (0.75, 2 / 3)
    assert (other.decided, other.agreement) == (1.0, 0.5)
    assert other.wrong_called_correct == 1.0


@pytest.mark.parametrize("label", [Label("other", "Bo Lunt", RIGHT), Label("q0", "Ann", RIGHT)])
def test_labels_of_another_run_are_an_error(tmp_path: Path, label: Label) -> None:
    run = run_of(tmp_path / "run")
    write_label(run, label)
    with pytest.raises(InputError, match="no label is of an answer of this run"):
        agreements(run)


def test_a_judge_that_has_judged_nothing_yet_hides_no_other(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    write_label(run, Label("q0", "Bo Lunt", RIGHT))
    grader = run / OTHER_JUDGES / "grader"
    grader.mkdir(parents=True)
    (grader / PREDICTIONS).touch()
    (grader.parent / "started").mkdir()
    own, other = agreements(run)
    assert (own.labels, other.labels) == (1, 0)
    assert "–" in shown([own, other])


def shown(rows: list[Agreement]) -> str:
    """The table of agreements on a terminal of 80 columns."""
    out = io.StringIO()
    Console(file=out, width=80).print(agreement_table(rows))
    return out.getvalue()


def test_the_table_fits_a_terminal() -> None:
    rows = [agreement(name, [(RIGHT, RIGHT), (WRONG, RIGHT)] * 9) for name in ("rules", "openai:m")]
    text = shown(rows)
    assert "rules" in text and "openai:m" in text
    assert "50.0%" in text and "29.0% to 71.0%" in text
    assert "…" not in text


def test_a_torn_last_label_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path / "run")
    (run / LABELS).write_text('{"id": "q0", "pred')
    assert label(run, "c\n", monkeypatch) == 0
    assert len(read_labels(run)) == 1


def test_ctrl_c_keeps_the_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["c"])

    def read(_: str = "") -> str:
        for line in typed:
            return line
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", read)
    run = run_of(tmp_path / "run")
    assert crag.main(["runs", "label", str(run)]) == 0
    assert len(read_labels(run)) == 1


def test_both_kinds_of_error_are_shares_of_all_with_that_label() -> None:
    pairs = [(RIGHT, RIGHT), (RIGHT, WRONG), (RIGHT, OPEN), (WRONG, RIGHT), (WRONG, WRONG)]
    figures = agreement("rules", pairs)
    assert figures.right_called_wrong == 1 / 3
    assert figures.wrong_called_correct == 1 / 2
    assert figures.decided == 4 / 5


def test_kappa_is_what_cohen_defined() -> None:
    """The table of 50 grant proposals that textbooks use: 0.4."""
    pairs = (
        [(RIGHT, RIGHT)] * 20 + [(RIGHT, WRONG)] * 5 + [(WRONG, RIGHT)] * 10 + [(WRONG, WRONG)] * 15
    )
    value, (low, high) = kappa(pairs)
    assert value == pytest.approx(0.4)
    assert 0.1 < low < value < high < 0.7


def test_kappa_is_not_defined_where_all_verdicts_are_one() -> None:
    value, interval = kappa([(RIGHT, RIGHT)] * 5)
    assert math.isnan(value)
    assert all(map(math.isnan, interval))


def test_the_interval_of_full_agreement_is_no_point() -> None:
    low, high = wilson_interval(20, 20)
    assert high == pytest.approx(1.0)
    assert 0.8 < low < 0.9
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_the_help_names_the_command_as_it_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert crag.main(["eval", "label", "--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: crag eval label ")
