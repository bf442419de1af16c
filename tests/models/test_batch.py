"""The evaluator's batch dict as questions: only queries are required, the rest has defaults."""

from typing import Any

import numpy as np
import pytest

from models.batch import read_batch
from models.records import Question, Task
from utils.errors import InputError

TIME = "03/10/2024, 23:19:21 PT"


def read(*queries: Any, **columns: Any) -> list[Question | InputError]:
    return read_batch({"query": list(queries), **columns}, lambda pages: Task(min(pages, 2) + 1))


def one(**columns: Any) -> Question:
    (question,) = read("one", **columns)
    assert isinstance(question, Question)
    return question


@pytest.mark.parametrize("bad", [{}, {"query": "one text"}, {"query": None}, [], None])
def test_a_batch_without_a_list_of_queries_is_an_error(bad: Any) -> None:
    with pytest.raises(InputError, match="query"):
        read_batch(bad, lambda pages: Task.WEB)


@pytest.mark.parametrize("bad", [None, 7, "", "  ", b"bytes", ["x"]])
def test_a_query_that_is_no_text_is_the_error_of_its_entry(bad: Any) -> None:
    first, error, third = read("one", bad, "  three\n words ")
    assert isinstance(error, InputError) and isinstance(first, Question)
    assert isinstance(third, Question) and third.text == "three words"


def test_missing_and_short_columns_have_defaults() -> None:
    assert one() == Question("0", "one", None, Task.WEB, ())
    short: dict[str, list[Any]] = {"interaction_id": ["a"], "search_results": [[{}]]}
    assert [(q.id, len(q.pages), q.task) for q in read("one", "two", **short)] == [  # type: ignore[union-attr]
        ("a", 1, Task.KG_WEB),
        ("1", 0, Task.WEB),
    ]


def test_arrays_are_lists_and_a_time_is_pacific() -> None:
    at = one(query_time=np.array([TIME])).asked_at
    assert at is not None and at.isoformat() == "2024-03-10T23:19:21-07:00"


@pytest.mark.parametrize("bad", ["yesterday", "", None, [], "2024-03-10", "13/40/2024, 1:1:1 PT"])
def test_a_bad_query_time_is_none_and_is_logged(bad: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert one(query_time=[bad]).asked_at is None
    assert "query_time cannot be read" in caplog.text


def test_an_id_is_a_text_and_an_odd_one_the_position() -> None:
    ids = ["a", 7, "", None, [], 0, 10**5000]
    found = read(*["one"] * len(ids), interaction_id=ids)
    assert [question.id for question in found] == ["a", "7", "2", "3", "4", "0", "6"]  # type: ignore[union-attr]


def test_pages_without_html_and_pages_that_are_no_pages() -> None:
    pages = [
        {"page_name": "n", "page_url": "u", "page_snippet": "s", "page_result": None},
        "not a page",
        {"page_result": "<p>x</p>"},
    ]
    first, second = one(search_results=[pages]).pages
    assert (first.name, first.snippet, first.html) == ("n", "s", "")
    assert (second.name, second.html) == ("", "<p>x</p>")
