"""The example data is whole, consistent, varied, and nobody else's text."""

import html
import json
import re
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "example_data"
DOMAINS = {"finance", "movie", "music", "sports", "open"}
TYPES = {
    "simple",
    "simple_w_condition",
    "set",
    "comparison",
    "aggregation",
    "multi-hop",
    "post-processing",
    "false_premise",
}
DYNAMISM = {"static", "slow-changing", "fast-changing", "real-time"}
QUESTION_KEYS = [
    "interaction_id",
    "query_time",
    "domain",
    "question_type",
    "static_or_dynamic",
    "query",
    "answer",
    "alt_ans",
    "split",
    "search_results",
]
PAGE_KEYS = {"page_name", "page_url", "page_snippet", "page_file", "page_last_modified"}
RUN = 12  # words in a row that must not be found in the real data


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def kg(name: str) -> list[dict[str, Any]]:
    return rows(FOLDER / "kg" / f"{name}.jsonl")


QUESTIONS = rows(FOLDER / "questions.jsonl")
TASK3 = rows(FOLDER / "task3.jsonl")
EVERY = QUESTIONS + TASK3


def results(question: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = question["search_results"]
    return found


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@pytest.mark.parametrize("row", EVERY, ids=lambda row: str(row["query"]))
def test_a_question_has_crags_schema(row: dict[str, Any]) -> None:
    assert list(row) == QUESTION_KEYS
    uuid.UUID(row["interaction_id"])
    assert re.fullmatch(r"\d\d/\d\d/\d{4}, \d\d:\d\d:\d\d PT", row["query_time"])
    asked = datetime.strptime(row["query_time"], "%m/%d/%Y, %H:%M:%S PT")
    assert datetime(2024, 2, 1) < asked < datetime(2024, 4, 1)
    assert row["domain"] in DOMAINS
    assert row["question_type"] in TYPES
    assert row["static_or_dynamic"] in DYNAMISM
    assert row["split"] == 0
    assert row["query"].strip()
    assert row["answer"].strip()
    assert all(isinstance(other, str) and other for other in row["alt_ans"])
    assert row["answer"] not in row["alt_ans"]
    assert (row["answer"] == "invalid question") == (row["question_type"] == "false_premise")
    for page in results(row):
        assert set(page) == PAGE_KEYS
        assert re.match(r"https://([\w-]+\.)+example\.|https://[\w-]+\.example\.", page["page_url"])
        assert all(isinstance(page[key], str) for key in PAGE_KEYS - {"page_file"})


def test_ids_and_questions_are_unique() -> None:
    assert len({row["interaction_id"] for row in EVERY}) == len(EVERY)
    assert len({tuple(words(row["query"])) for row in EVERY}) == len(EVERY)


def test_page_files_exist_stay_inside_and_are_all_used() -> None:
    named = {page["page_file"] for row in EVERY for page in results(row)} - {None}
    for name in named:
        path = (FOLDER / name).resolve()
        assert path.is_relative_to(FOLDER), name
        assert path.is_file(), name
    assert named == {f"pages/{path.name}" for path in (FOLDER / "pages").iterdir()}


def our_texts() -> Iterator[tuple[str, str]]:
    """Where a text of ours stands, and the text."""
    for row in EVERY:
        yield row["query"], row["query"]
        for page in results(row):
            yield page["page_url"], page["page_snippet"]
    for path in sorted((FOLDER / "pages").iterdir()):
        text = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", path.read_text(encoding="utf-8"))
        yield path.name, html.unescape(re.sub(r"<[^>]+>", " ", text))
    for row in kg("open"):
        yield row["name"], row["summary_text"] + " " + row["raw_mediawiki"]


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[i : i + RUN]) for i in range(len(found) - RUN + 1)}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


@pytest.mark.crag_data
def test_no_question_is_a_real_one(crag_data: Path) -> None:
    real = {tuple(words(row["query"])) for row in rows(crag_data / "questions_validation.jsonl")}
    assert [row["query"] for row in EVERY if tuple(words(row["query"])) in real] == []


@pytest.mark.crag_data
def test_no_text_is_taken_from_the_real_data(crag_data: Path) -> None:
    ours: dict[tuple[str, ...], str] = {}
    for where, text in our_texts():
        for run in runs(text):
            ours[run] = where
    taken = set()
    for name in ("questions_validation.jsonl", "passages_validation.jsonl", "kg/open.jsonl"):
        for row in rows(crag_data / name):
            for text in strings(row):
                taken |= {(ours[run], " ".join(run)) for run in runs(text) & ours.keys()}
    assert sorted(taken) == []
