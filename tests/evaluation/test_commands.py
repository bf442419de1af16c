"""`python -m evaluation`: other judges, other predictions, shards, lists of runs, the corpus."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import local_evaluation
from evaluation.__main__ import main
from tests.models.llm.fake_server import fake_server, says

ROWS = [
    {"interaction_id": f"q{n}", "query": f"how tall is tower {n}?", "answer": f"{n} metres",
     "domain": "open" if n % 2 else "movie", "question_type": "simple",
     "search_results": [{"page_name": "Tower", "page_url": "https://example.org/tower",
                         "page_result": f"<p>Tower {n - n % 3} is {n - n % 3} metres tall.</p>"}]}
    for n in range(1, 13)
]  # fmt: skip

Evaluate = Callable[..., Path]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    file = tmp_path / "towers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


@pytest.fixture
def evaluate(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)

    def go(name: str, *argv: str) -> Path:
        out = tmp_path / name
        arguments = ["--dataset", str(dataset), "--out", str(out), "--system", "offline", *argv]
        assert local_evaluation.main(arguments) == 0
        return out

    return go


def ids(run: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (run / "predictions.jsonl").read_text().splitlines()]


def without_times(run: Path) -> list[dict[str, object]]:
    lines = (run / "predictions.jsonl").read_text().splitlines()
    return [{**json.loads(line), "seconds": 0} for line in lines]


def test_another_judge_gives_the_verdicts_of_a_run_with_it(
    evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    run = evaluate("run")
    lines = (run / "predictions.jsonl").read_text()
    (run / "predictions.jsonl").write_text(lines.replace('"correct"', '"wrong"'))
    assert main(["rejudge", str(run), "--judge", "rules"]) == 0
    assert "12 questions: score" in capsys.readouterr().out
    assert without_times(run / "judged" / "rules") == without_times(evaluate("again"))
    assert main(["rejudge", str(run / "absent")]) == 2


def test_any_file_of_predictions_is_scored(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "predictions.jsonl", tmp_path / "scored"
    rows = [{"query": ROWS[0]["query"], "prediction": "1 metres"}] + [
        {"interaction_id": row["interaction_id"], "prediction": "i don't know"} for row in ROWS[1:]
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    argv = ["score", str(file), "--dataset", str(dataset), "--out", str(out)]
    assert main(argv) == 0
    figures = json.loads((out / "results.json").read_text())
    assert (figures["correct"], figures["missing"]) == (1, 11)
    file.write_text(json.dumps(rows[1]) + "\n")
    assert main(argv) == 2
    assert "no prediction for 11 questions, as q1" in capsys.readouterr().err
    file.write_text("{}\n")
    assert main(argv) == 2
    assert "line 1" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["null", '""', '"i don\'t know"'])
def test_a_prediction_of_nothing_is_missing(dataset: Path, tmp_path: Path, value: str) -> None:
    file = tmp_path / "predictions.jsonl"
    lines = [f'{{"interaction_id": "q{n}", "prediction": {value}}}\n' for n in range(1, 13)]
    file.write_text("".join(lines))
    argv = ["score", str(file), "--dataset", str(dataset), "--out"]
    assert main([*argv, str(tmp_path / "out")]) == 0
    figures = json.loads((tmp_path / "out" / "results.json").read_text())
    assert figures["missing"] == 12
    for bad in (lines[0], '{"interaction_id": "q2", "prediction": 5}\n'):
        file.write_text("".join(lines[:1]) + bad)
        assert main([*argv, str(tmp_path / "bad")]) == 2
    assert not (tmp_path / "bad").exists()


def test_shards_merged_are_the_whole_run(evaluate: Evaluate, tmp_path: Path) -> None:
    whole = evaluate("whole", "--batch-size", "1")
    shards = [evaluate(f"s{i}", "--shard", f"{i}/3", "--batch-size", "1") for i in (1, 2, 3)]
    out = tmp_path / "merged"
    assert main(["merge", *map(str, shards), "--out", str(out)]) == 0
    assert without_times(out) == without_times(whole)
    assert json.loads((out / "run.json").read_text()) == json.loads(
        (whole / "run.json").read_text()
    )
    traces = [json.loads(line)["id"] for line in (out / "traces.jsonl").read_text().splitlines()]
    assert traces == ids(whole)
    assert main(["merge", str(shards[0]), str(shards[0]), "--out", str(out)]) == 2


def test_only_whole_shards_of_one_run_are_merged_and_nothing_is_replaced(
    evaluate: Evaluate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (evaluate(f"s{i}", "--shard", f"{i}/2") for i in (1, 2))
    less = evaluate("less", "--shard", "1/2", "--limit", "4")
    kept = evaluate("kept", "--limit", "1")
    for runs, out, error in (
        ((less, second), "out", "different settings"),
        ((first, second), "kept", "holds a run already"),
    ):
        assert main(["merge", *map(str, runs), "--out", str(tmp_path / out)]) == 2
        assert error in capsys.readouterr().err
    assert ids(kept) == ["q1"] and not (tmp_path / "out").exists()
    with (first / "predictions.jsonl").open("a") as more:  # as a resumed run that goes on
        more.write((second / "predictions.jsonl").read_text().splitlines(keepends=True)[0])
    assert main(["merge", str(first), str(second), "--out", str(tmp_path / "out")]) == 2
    assert "not finished" in capsys.readouterr().err


def test_more_shards_than_questions(evaluate: Evaluate, tmp_path: Path) -> None:
    shards = [evaluate(f"s{i}", "--shard", f"{i}/13") for i in range(1, 14)]
    assert ids(shards[-1]) == []
    assert main(["merge", *map(str, shards), "--out", str(tmp_path / "out")]) == 0
    assert ids(tmp_path / "out") == [f"q{n}" for n in range(1, 13)]


def test_a_judge_that_is_down_leaves_earlier_verdicts(
    evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    run = evaluate("run", "--limit", "3")
    rows = [json.loads(line) for line in (run / "predictions.jsonl").read_text().splitlines()]
    changed = [{**row, "prediction": f"{row['prediction']}, I think"} for row in rows]
    (run / "predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed))
    with fake_server(says('{"verdict": "accurate"}')) as server:
        judge = f"openai:{server.url}#grader"
        assert main(["rejudge", str(run), "--judge", judge]) == 0
        (run / "judge_cache").unlink()
    before = without_times(run / "judged" / "openai_grader")
    assert main(["rejudge", str(run), "--judge", judge]) == 2
    assert "judged nothing" in capsys.readouterr().err
    assert without_times(run / "judged" / "openai_grader") == before


def test_a_resumed_run_with_other_ids_or_a_smaller_limit_is_refused(
    evaluate: Evaluate, tmp_path: Path, dataset: Path
) -> None:
    names = tmp_path / "ids.txt"
    names.write_text("q3\nq7\n")
    out = evaluate("ids", "--ids", str(names))
    names.write_text("q4\n")
    again = ["--dataset", str(dataset), "--system", "offline", "--resume"]
    assert local_evaluation.main([*again, "--ids", str(names), "--out", str(out)]) == 2
    out = evaluate("half", "--shard", "1/2")
    limited = ["--shard", "1/2", "--limit", "8", "--out", str(out)]
    assert local_evaluation.main([*again, *limited]) == 2


def test_subsets(evaluate: Evaluate, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ids(evaluate("where", "--where", "domain=movie")) == [
        "q2",
        "q4",
        "q6",
        "q8",
        "q10",
        "q12",
    ]
    sample = ids(evaluate("sample", "--sample", "6", "--seed", "1"))
    assert sum(int(name[1:]) % 2 for name in sample) == 3  # half of each domain
    assert sample == ids(evaluate("again", "--sample", "6", "--seed", "1"))
    assert sample != ids(evaluate("other", "--sample", "6", "--seed", "2"))
    names = tmp_path / "ids.txt"
    names.write_text("q3\n\nq7\n")
    assert ids(evaluate("ids", "--ids", str(names))) == ["q3", "q7"]
    unknown = tmp_path / "unknown.txt"
    unknown.write_text("q3\nq99\n")
    for bad in (
        ["--where", "colour=red"],
        ["--where", "domain=none"],
        ["--shard", "4/3"],
        ["--ids", str(tmp_path / "absent")],
        ["--ids", str(unknown)],
        ["--resume", "--out", str(tmp_path / "sample")],  # of another subset
    ):
        capsys.readouterr()
        argv = ["--dataset", str(tmp_path / "towers.jsonl"), "--system", "offline"]
        assert local_evaluation.main([*argv, *bad]) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_the_corpus_says_which_questions_their_pages_answer(
    evaluate: Evaluate, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "corpus"
    assert main(["corpus", str(dataset), str(out)]) == 0
    assert "5 distinct pages" in capsys.readouterr().out
    rows = [json.loads(line) for line in (out / "answerable.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows if row["answerable"] == "yes"] == ["q3", "q6", "q9", "q12"]
    run = evaluate("sliced", "--slices", str(out / "answerable.jsonl"))
    groups = json.loads((run / "results.json").read_text())["slices"]["answerable"]
    assert {name: figures["total"] for name, figures in groups.items()} == {"no": 8, "yes": 4}


def test_runs_are_listed(
    evaluate: Evaluate, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", "160")
    evaluate("one")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "results.json").write_text("[]")
    capsys.readouterr()
    assert main(["runs", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "one" in shown and "towers.jsonl" in shown and "cannot be read" in shown
    assert main(["runs", str(tmp_path / "absent")]) == 2
