"""`python -m training parser`: the same weights each time, of questions about the example KG."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.judge.protocol import Verdict
from models.ranking.log_linear import choose, read_model
from training.__main__ import main
from training.kg import EXAMPLE_KG
from training.weak_supervision import RankedQuestion, best_threshold, cross_validate, fit, share
from utils.errors import SettingsError

CASES = Path(__file__).parents[1] / "models" / "kg" / "parsing"


def example(n: int, *, right: str = "a") -> RankedQuestion:
    """A question whose candidate with the feature "good" is right."""
    candidates = (("a", {"bias": 1.0, "good": 1.0}), ("b", {"bias": 1.0, "left": 2.0}))
    verdicts = tuple(Verdict.CORRECT if text == right else Verdict.WRONG for text, _ in candidates)
    return RankedQuestion(str(n), str(n), "movie", True, candidates, verdicts)


def test_it_learns_which_candidate_is_right() -> None:
    """Candidates that are ruled out are negatives."""
    examples = [replace(example(n), ruled_out=({"bias": 1.0, "odd": 1.0},)) for n in range(40)]
    model = fit(examples)
    assert model.ranker["good"] > 0 >= model.ranker["left"] and model.ranker["odd"] < 0
    outcomes = cross_validate(examples)
    assert share(outcomes, 0.0).right == 1.0
    choice = choose(examples[0].candidates, model)
    assert choice is not None and choice.answer == "a" and choice.probability > 0.5


def test_the_threshold_keeps_to_its_bound() -> None:
    outcomes = cross_validate([example(n, right="a" if n % 4 else "b") for n in range(40)])
    threshold = best_threshold([outcomes], 0.05, [outcomes])
    assert share(outcomes, threshold).wrong <= 0.05


def test_it_writes_the_same_bytes_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = map(json.loads, (CASES / "movie.jsonl").read_text(encoding="utf-8").splitlines()[:24])
    rows = [
        {"query": case["question"], "domain": "movie", "query_time": "02/28/2024, 08:25:51 PT",
         "answer": case["answer"] or "i don't know", "answerable": case["answer"] is not None}
        for case in cases
    ]  # fmt: skip
    data, *files = (tmp_path / name for name in ("questions.jsonl", "one.json", "two.json"))
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for file in files:
        arguments = ["--data", str(data), "--kg", str(EXAMPLE_KG), "--out", str(file)]
        assert main(["parser", *arguments, "--workers", "1", "--folds", "2"]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    told = json.loads(files[0].read_text(encoding="utf-8"))
    assert told["card"]["questions"] == len(rows) and read_model(files[0]).ranker
    assert not any(row["query"] in files[0].read_text(encoding="utf-8") for row in rows)
    assert "some candidate is right" in capsys.readouterr().out


def test_a_file_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SettingsError, match="no weights"):
        read_model(tmp_path / "x.json")
