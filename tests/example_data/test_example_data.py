"""The example data has CRAG's form, is complete, and copies no text of CRAG."""

import html
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from evaluation.dataset import SLICES, read_examples
from evaluation.streams import ReadNotes
from models.batch_input import read_query_time
from tests.evaluation.run_files import rows_of

FOLDER = Path(__file__).resolve().parents[2] / "example_data"
GROUPS = {
    "domain": "finance movie music sports open",
    "question_type": "simple simple_w_condition set comparison aggregation multi-hop"
    " post-processing false_premise",
    "static_or_dynamic": "static slow-changing fast-changing real-time",
    "popularity": "unknown",
}
RUN = 12  # words in a row that must not be found in the real data


FILES = [FOLDER / "questions.jsonl", FOLDER / "task3.jsonl"]
ROWS = [row for file in FILES for row in rows_of(file)]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.name))
def test_every_question_has_crags_form(file: Path) -> None:
    """Reading them also checks that each page's file is there."""
    notes = ReadNotes()
    for example in read_examples(file, notes=notes):
        assert all(example.slices[name] in GROUPS[name].split() for name in SLICES)
        asked = read_query_time(example.query_time)
        assert asked and datetime(2024, 2, 1) < asked.replace(tzinfo=None) < datetime(2024, 4, 1)
        no_answer = example.golds[0] == "invalid question"
        assert no_answer == (example.question_type == "false_premise")
        for page in example.pages:
            assert re.match(r"https://([\w-]+\.)+example[./]", page["page_url"])
    assert notes.renamed_ids == 0


def test_questions_are_unique_and_every_page_is_used() -> None:
    assert len({tuple(words(row["query"])) for row in ROWS}) == len(ROWS)
    assert len({row["interaction_id"] for row in ROWS}) == len(ROWS)
    named = {page["page_file"] for row in ROWS for page in row["search_results"]} - {None}
    assert named == {f"pages/{path.name}" for path in (FOLDER / "pages").iterdir()}


def our_texts() -> Iterator[tuple[str, str]]:
    """Where a text of ours stands, and the text."""
    for row in ROWS:
        yield row["query"], row["query"]
        for page in row["search_results"]:
            yield page["page_url"], page["page_snippet"]
    for path in sorted((FOLDER / "pages").iterdir()):
        text = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", path.read_text(encoding="utf-8"))
        yield path.name, html.unescape(re.sub(r"<[^>]+>", " ", text))
    for row in rows_of(FOLDER / "kg" / "open.jsonl"):
        yield row["name"], row["summary_text"] + " " + row["raw_mediawiki"]


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[i : i + RUN]) for i in range(len(found) - RUN + 1)}


@pytest.mark.crag_data
def test_no_question_or_text_is_taken_from_the_real_data(crag_data: Path) -> None:
    real = {tuple(words(row["query"])) for row in rows_of(crag_data / "questions_validation.jsonl")}
    assert [row["query"] for row in ROWS if tuple(words(row["query"])) in real] == []
    ours = {run: where for where, text in our_texts() for run in runs(text)}
    taken = set()
    for name in ("questions_validation.jsonl", "passages_validation.jsonl", "kg/open.jsonl"):
        for row in rows_of(crag_data / name):
            text = re.sub(r"\\.", " ", json.dumps(row, ensure_ascii=False))
            taken |= {(ours[run], " ".join(run)) for run in runs(text) & ours.keys()}
    assert sorted(taken) == []
