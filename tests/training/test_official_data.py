"""`crag data build`, on a small stand-in for a clone of facebookresearch/CRAG."""

import bz2
import json
from pathlib import Path
from typing import Any

import pytest

from crag import main
from evaluation.dataset import read_examples, read_slices
from evaluation.subset import read_ids
from mock_api.local import LocalClient
from tests.evaluation.run_files import rows_of
from tests.mock_api.official_kg import write_official_kg
from utils.crag_api import ApiCall
from utils.deadline import Deadline

pytestmark = pytest.mark.first_week

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 123456789\n"


def question(id: str, query: str, answer: str, **fields: Any) -> dict[str, Any]:
    page = {"page_name": "a page", "page_url": "http://a", "page_result": "<p>a page</p>"}
    return {
        "interaction_id": id,
        "query_time": "03/10/2024, 23:19:21 PT",
        "domain": "movie",
        "question_type": "simple",
        "static_or_dynamic": "static",
        "query": query,
        "answer": answer,
        "search_results": [page] * 5,
        **fields,
    }


ROWS = [
    question("a", "when was the green kite released?", "march 1, 1999", split=0),
    question("b", "when was the green kite released?", "1998-01-01", split=1, alt_ans=["1998"]),
    question("c", "what is the rating of kite-flyers?", "7.5", split=1),
    question("d", "was kite-flyers ever released?", "yes", split=1),
]


def write_release(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(exist_ok=True)
    with bz2.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "CRAG"
    folder.mkdir()
    write_release(folder / "data" / "crag_task_1_and_2_dev_v4.jsonl.bz2", ROWS)
    write_release(folder / "example_data" / "dev_data.jsonl.bz2", ROWS[:1])
    write_official_kg(folder / "mock_api" / "cragkg")
    return folder


def test_questions_by_split_the_kg_and_which_questions_it_answers(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for _ in range(2):  # a second time, over what is there
        assert main(["data", "build", "--crag", str(clone), "--out", str(out)]) == 0
    assert "public_test" in capsys.readouterr().out
    assert [row["interaction_id"] for row in rows_of(out / "questions_public_test.jsonl")] == [
        *"bcd"
    ]
    (first,) = read_examples(out / "questions_validation.jsonl")
    assert (first.golds, first.domain, first.pages) == (("march 1, 1999",), "movie", ())
    (sample,) = read_examples(out / "dev_data.jsonl.bz2")
    assert len(sample.pages) == 5
    assert read_ids(out / "ids_public_test.txt") == {*"bcd"}
    marks = {id: row["gold_in_kg"] for id, row in read_slices(out / "gold_in_kg.jsonl").items()}
    assert marks == {"a": "yes", "b": "no", "c": "yes", "d": "no answer"}
    call = ApiCall("/movie/get_movie_info", {"query": "the green kite"})
    (movies,) = LocalClient(out / "kg.sqlite").call_many([call], deadline=Deadline.after(5))
    assert movies[0]["release_date"] == "1999-03-01"


def test_its_files_are_what_an_evaluation_takes(clone: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["data", "build", "--crag", str(clone), "--out", str(out)]) == 0
    argv = ["eval", "--dataset", str(out / "questions_validation.jsonl")]
    argv += ["--mock-api", str(out / "kg.sqlite"), "--slices", str(out / "gold_in_kg.jsonl")]
    assert main([*argv, "--out", str(tmp_path / "run")]) == 0
    (row,) = rows_of(tmp_path / "run" / "predictions.jsonl")
    assert row["verdict"] == "correct"
    assert row["slices"]["gold_in_kg"] == "yes"


def test_the_newest_release_is_read(clone: Path, tmp_path: Path) -> None:
    write_release(clone / "data" / "crag_task_1_and_2_dev_v5.jsonl.bz2", ROWS[:1])
    write_release(clone / "data" / "crag_task_1_and_2_dev_v10.jsonl.bz2", ROWS[:2])
    assert main(["data", "build", "--crag", str(clone), "--out", str(tmp_path / "out")]) == 0
    assert len(rows_of(tmp_path / "out" / "gold_in_kg.jsonl")) == 2


@pytest.mark.parametrize(
    ("spoilt", "content", "says"),
    [
        ("data/crag_task_1_and_2_dev_v4.jsonl.bz2", POINTER, "git lfs pull"),
        ("data/crag_task_1_and_2_dev_v4.jsonl.bz2", "garbage", "broken or cut short"),
        ("mock_api/cragkg/movie/movie_db.json", POINTER, "git lfs pull"),
        ("example_data/dev_data.jsonl.bz2", POINTER, "git lfs pull"),
        ("data/crag_task_1_and_2_dev_v4.jsonl.bz2", None, "is it a clone"),
    ],
)
def test_what_is_missing_in_the_clone_is_named(
    spoilt: str,
    content: str | None,
    says: str,
    clone: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (clone / spoilt).unlink()
    if content is not None:
        (clone / spoilt).write_text(content)
    assert main(["data", "build", "--crag", str(clone), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert says in error
    assert str(clone) in error
