"""`crag runs`: other judges, other predictions, shards, lists of runs, marks."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from evaluation.judge.protocol import Verdict
from evaluation.rejudge import write_run as write_results
from evaluation.run_folder import PREDICTIONS
from tests.evaluation.run_files import (
    Command,
    figures_of,
    result,
    rows_of,
    without_times,
    write_rows,
)
from tests.models.llm.fake_server import fake_server, says


def tower_row(number: int) -> dict[str, Any]:
    """A question about a tower; the page of every third question answers it."""
    multiple = number - number % 3
    page = {
        "page_name": "Tower",
        "page_url": "https://example.org/tower",
        "page_result": f"<p>Tower {multiple} is {multiple} metres tall.</p>",
    }
    return {
        "interaction_id": f"q{number}",
        "query": f"how tall is tower {number}?",
        "answer": f"{number} metres",
        "domain": "open" if number % 2 else "movie",
        "question_type": "simple",
        "search_results": [page],
    }


ROWS = [tower_row(number) for number in range(1, 13)]

Evaluate = Callable[..., Path]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "towers.jsonl", ROWS)


@pytest.fixture
def evaluate(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)

    def go(name: str, *argv: str, status: int = 0) -> Path:
        out = tmp_path / name
        arguments = ["--dataset", str(dataset), "--out", str(out), "--system", "offline", *argv]
        assert local_evaluation.main(arguments) == status
        return out

    return go


def ids(run: Path) -> list[str]:
    return [row["interaction_id"] for row in rows_of(run / PREDICTIONS)]


def test_rejudging_gives_the_verdicts_of_a_run_with_that_judge(
    evaluate: Evaluate, command: Command
) -> None:
    run = evaluate("run")
    rows = rows_of(run / PREDICTIONS)
    write_rows(run / PREDICTIONS, ({**row, "verdict": "wrong"} for row in rows))
    assert "12 questions: score" in command("rejudge", run, "--judge", "rules")
    judged = without_times(run / "judged" / "rules" / PREDICTIONS)
    assert judged == without_times(evaluate("again") / PREDICTIONS)
    assert "not a run's folder" in command("rejudge", run / "absent", status=2)


def test_a_judge_that_is_down_does_not_replace_earlier_verdicts(
    evaluate: Evaluate, command: Command
) -> None:
    run = evaluate("run", "--limit", "3")
    rows = rows_of(run / PREDICTIONS)
    changed = [{**row, "prediction": f"{row['prediction']}, I think"} for row in rows]
    write_rows(run / PREDICTIONS, changed)
    with fake_server(says('{"verdict": "accurate"}')) as server:
        judge = f"openai:{server.url}#grader"
        command("rejudge", run, "--judge", judge)
        (run / "judge_cache").unlink()
    file = run / "judged" / "openai_grader" / PREDICTIONS
    before = file.read_text()
    assert "start it, or correct its URL" in command("rejudge", run, "--judge", judge, status=3)
    assert file.read_text() == before


@pytest.mark.parametrize("rules", ["", "rules+"])
def test_a_judge_that_fails_on_every_answer_that_it_is_asked_for_writes_nothing(
    evaluate: Evaluate, command: Command, rules: str
) -> None:
    run = evaluate("run", "--limit", "3")  # an exact match among them needs no judge
    rows = rows_of(run / PREDICTIONS)
    open_row = {**rows[0], "prediction": "neither of these, as far as the pages say"}
    write_rows(run / PREDICTIONS, [open_row, *rows[1:]])
    with fake_server(says("Hello!"), says("I would rather not.")) as server:
        judge = f"{rules}openai:{server.url}#grader"
        text = command("rejudge", run, "--judge", judge, status=3)
    assert "gave no verdict on any of" in text
    assert not (run / "judged").exists()


def test_failures_of_a_judge_stand_above_the_score(evaluate: Evaluate, command: Command) -> None:
    run = evaluate("run", "--limit", "3")
    rows = rows_of(run / PREDICTIONS)
    answers = ["neither of these, as far as the pages say", "none of them, say the pages"]
    changed = [{**row, "prediction": text} for row, text in zip(rows, answers, strict=False)]
    write_rows(run / PREDICTIONS, [*changed, rows[2]])
    replies = [says("Hello!"), says('{"verdict": "accurate"}'), says("I would rather not.")]
    with fake_server(*replies) as server:
        text = command("rejudge", run, "--judge", f"openai:{server.url}#grader")
    assert text.index("the judge gave no verdict on 1: the score may be") < text.index(
        "3 questions"
    )


def predictions(value: str | None) -> list[dict[str, Any]]:
    return [{"interaction_id": row["interaction_id"], "prediction": value} for row in ROWS]


def test_any_file_of_predictions_is_scored(dataset: Path, tmp_path: Path, command: Command) -> None:
    by_query = {"query": ROWS[0]["query"], "prediction": "1 metres"}
    idk = predictions("i don't know")
    none = predictions(None)
    empty = predictions("")
    rows = [by_query, *idk[1:4], *none[4:8], *empty[8:]]
    file = write_rows(tmp_path / PREDICTIONS, rows)
    command("score", file, "--dataset", dataset, "--out", tmp_path / "scored")
    figures = figures_of(tmp_path / "scored")
    assert figures["correct"] == 1
    assert figures["missing"] == 11


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (predictions("no")[1:2], "no prediction for 11 questions, as q1"),
        ([{}], "line 1: one text `prediction`"),
        ([*predictions("no")[:1], {"interaction_id": "q2", "prediction": 5}], "line 2: one text"),
        (predictions("no")[:1] + predictions("no"), "more predictions than questions are called"),
    ],
)
def test_a_file_without_one_prediction_for_each_question_is_refused(
    dataset: Path, tmp_path: Path, command: Command, rows: list[dict[str, Any]], error: str
) -> None:
    file = write_rows(tmp_path / PREDICTIONS, rows)
    out = tmp_path / "out"
    assert error in command("score", file, "--dataset", dataset, "--out", out, status=2)
    assert not out.exists()


def test_of_questions_with_one_id_each_has_its_own_prediction(
    tmp_path: Path, command: Command
) -> None:
    questions = [{**row, "interaction_id": "q"} for row in ROWS[:3]]
    dataset = write_rows(tmp_path / "questions.jsonl", questions)
    answers = [{"interaction_id": "q", "prediction": row["answer"]} for row in questions]
    file = write_rows(tmp_path / PREDICTIONS, answers)
    command("score", file, "--dataset", dataset, "--out", tmp_path / "scored")
    assert figures_of(tmp_path / "scored")["correct"] == 3


def test_shards_merge_to_the_whole_run(
    evaluate: Evaluate, command: Command, tmp_path: Path
) -> None:
    whole = evaluate("whole", "--batch-size", "1")
    shards = [
        evaluate(f"s{number}", "--shard", f"{number}/5", "--batch-size", "1")
        for number in range(1, 6)
    ]
    out = tmp_path / "merged"
    command("merge", *shards, "--out", out)
    assert without_times(out / PREDICTIONS) == without_times(whole / PREDICTIONS)
    assert (out / "run.json").read_text() == (whole / "run.json").read_text()
    assert [row["interaction_id"] for row in rows_of(out / "traces.jsonl")] == ids(whole)


def test_only_whole_shards_of_one_run_are_merged_and_nothing_is_replaced(
    evaluate: Evaluate, command: Command, tmp_path: Path
) -> None:
    first = evaluate("s1", "--shard", "1/2")
    second = evaluate("s2", "--shard", "2/2")
    less = evaluate("less", "--shard", "1/2", "--limit", "4")
    other_run = evaluate("other", "--limit", "1")

    def refused(*runs: Path, out: str = "out") -> str:
        return command("merge", *runs, "--out", tmp_path / out, status=2)

    assert "expected the shards 1/2, 2/2, got 1/2, 1/2" in refused(first, first)
    assert "different settings" in refused(less, second)
    assert "holds a run already" in refused(first, second, out="other")
    lines = (second / PREDICTIONS).read_text().splitlines(keepends=True)
    with (first / PREDICTIONS).open("a") as more:  # as a resumed run that goes on
        more.write(lines[0])
    assert "not finished" in refused(first, second)
    (first / PREDICTIONS).write_text("".join(lines))
    assert "a question is in two shards" in refused(first, second)
    assert ids(other_run) == ["q1"]
    assert not (tmp_path / "out").exists()


def test_a_subset_has_the_chosen_questions(evaluate: Evaluate, tmp_path: Path) -> None:
    even = [f"q{n}" for n in range(2, 13, 2)]
    assert ids(evaluate("where", "--where", "domain=movie")) == even
    sample = ids(evaluate("sample", "--sample", "6", "--seed", "1"))
    assert sum(name in even for name in sample) == 3  # half of each domain
    assert sample == ids(evaluate("again", "--sample", "6", "--seed", "1"))
    assert sample != ids(evaluate("other", "--sample", "6", "--seed", "2"))
    names = tmp_path / "ids.txt"
    names.write_text("q3\n\nq7\n")
    assert ids(evaluate("ids", "--ids", str(names))) == ["q3", "q7"]
    names.write_text("q4\n")
    evaluate("ids", "--ids", str(names), "--resume", status=2)
    evaluate("half", "--shard", "1/2")
    evaluate("half", "--shard", "1/2", "--resume", "--limit", "8", status=2)
    assert ids(evaluate("none", "--shard", "13/13")) == []


def test_questions_that_their_pages_answer_are_marked(
    evaluate: Evaluate, dataset: Path, tmp_path: Path, command: Command
) -> None:
    marks = tmp_path / "answerable.jsonl"
    assert "8 no, 4 yes" in command("answerable", dataset, marks)
    answerable = [row["id"] for row in rows_of(marks) if row["answerable"] == "yes"]
    assert answerable == ["q3", "q6", "q9", "q12"]
    run = evaluate("sliced", "--slices", str(marks))
    groups = figures_of(run)["slices"]["answerable"]
    assert {name: group["total"] for name, group in groups.items()} == {"no": 8, "yes": 4}


def test_runs_are_listed_and_compared(evaluate: Evaluate, tmp_path: Path, command: Command) -> None:
    run = evaluate("one")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "results.json").write_text("[]")
    listing = command("list", tmp_path)
    assert "one" in listing
    assert "towers.jsonl" in listing
    assert "cannot be read" in listing
    assert "system offline" in " ".join(listing.split()), (
        "what all runs have in common is in the title"
    )
    assert "no such folder" in command("list", tmp_path / "absent", status=2)
    assert "report.html" in command("report", run)
    page = tmp_path / "compare.html"
    assert "12 questions are in all runs" in command("compare", run, run, "--out", page)
    assert page.exists()


def test_a_list_of_runs_breaks_no_name_and_has_those_that_were_interrupted(
    evaluate: Evaluate, tmp_path: Path, command: Command
) -> None:
    whole = evaluate("a-run-with-a-name-that-says-what-was-changed-in-it")
    stopped = evaluate("stopped")
    (stopped / "results.json").unlink()
    listing = command("list", tmp_path)
    assert f" {whole.name} " in listing
    (row,) = [line for line in listing.splitlines() if " stopped " in line]
    assert row.split()[-1] == "12"
    assert "· not finished" in listing
    others = tmp_path / "others"
    for number, judge in enumerate(
        ("rules", "rules+openai:http://127.0.0.1:8000/v1#a-large-model")
    ):
        run = others / f"2026112{number}-101010-electricsheep"
        shutil.copytree(whole, run)
        figures = {**figures_of(run), "settings": {"system": f"s{number}", "judge": judge}}
        (run / "results.json").write_text(json.dumps(figures))
    lines = command("list", others).splitlines()
    assert max(map(len, lines)) <= 80
    assert "· s1, rules+openai:" in "\n".join(lines)
    failure = {"kind": "Boom", "step": "", "example": "boom"}
    write_results(
        tmp_path / "crashed",
        [result(number, Verdict.MISSING, failures=(failure,)) for number in range(2)],
        {"system": "offline"},
    )
    assert "· every question failed" in command("list", tmp_path)
    listed = json.loads(command("list", tmp_path, "--json"))
    (unfinished,) = [run for run in listed if not run["finished"]]
    assert unfinished["system"] and unfinished["state"] == "not finished"


def test_runs_comparisons_and_new_verdicts_are_printed_as_json(
    evaluate: Evaluate, command: Command
) -> None:
    one = evaluate("one", "--limit", "3")
    two = evaluate("two", "--limit", "3")
    listed = json.loads(command("list", one.parent, "--json"))
    assert [Path(run["run"]).name for run in listed] == ["one", "two"]
    assert listed[0]["total"] == 3
    compared = json.loads(command("compare", one, two, "--json"))
    assert compared["questions"] == 3
    assert compared["pairs"][0]["overall"]["difference"] == 0.0
    assert (two / "compare.html").is_file()
    judged = json.loads(command("rejudge", one, "--judge", "rules", "--json"))
    assert judged["total"] == 3
    assert Path(judged["run"]) == one / "judged" / "rules"
