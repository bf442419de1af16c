"""Questions are read from the evaluator's batch dict: only queries are required."""

from typing import Any

import numpy as np
import pytest

from models.batch_input import read_batch
from models.records import Question, Task
from utils.errors import InputError


def questions_of(*queries: Any, **columns: Any) -> list[Any]:
    return read_batch({"query": list(queries), **columns}, lambda pages: Task(min(pages, 2) + 1))


@pytest.mark.parametrize("bad", [{}, {"query": "one text"}, {"query": None}, [], None])
def test_a_batch_without_a_list_of_queries_is_an_error(bad: Any) -> None:
    with pytest.raises(InputError, match="query"):
        read_batch(bad, lambda pages: Task.WEB)


@pytest.mark.parametrize("bad", [None, 7, "", "  ", b"bytes", ["x"]])
def test_a_query_that_is_not_a_text_is_the_error_of_its_entry(bad: Any) -> None:
    first, error, third = questions_of("one", bad, "  three\n words ")
    assert isinstance(error, InputError)
    assert (first.text, third.text) == ("one", "three words")


def test_missing_short_and_unreadable_columns_have_defaults() -> None:
    assert questions_of("one") == [Question("0", "one", None, Task.WEB, ())]
    ids = ["a", 7, "", None, [], 0, 10**5000]
    questions = questions_of(*["one"] * 8, interaction_id=ids, search_results=[[{}]])
    assert [question.id for question in questions] == ["a", "7", "2", "3", "4", "0", "6", "7"]
    assert [question.task for question in questions] == [Task.KG_WEB, *[Task.WEB] * 7]


@pytest.mark.parametrize(
    "bad",
    [
        "yesterday",
        "",
        None,
        [],
        "10.3.2024",
        "13/40/2024, 1:1:1 PT",
        "0024-03-10",
        "2024-03-10T25:00",
    ],
)
def test_a_time_is_in_the_pacific_zone_and_an_unreadable_one_is_none_and_logged(
    bad: Any, caplog: pytest.LogCaptureFixture
) -> None:
    times = np.array(["03/10/2024, 23:19:21 PT", bad], dtype=object)  # an array is a list
    good, none = questions_of("one", "two", query_time=times)
    assert good.asked_at.isoformat() == "2024-03-10T23:19:21-07:00"
    assert none.asked_at is None
    assert "query_time" in caplog.text


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("03/10/2024, 23:19:21 PT", "2024-03-10T23:19:21-07:00"),
        ("03/01/2024, 23:19:21 PST", "2024-03-01T23:19:21-08:00"),
        ("03/10/2024, 23:19:21 pdt", "2024-03-10T23:19:21-07:00"),
        (" 3/1/2024, 1:02:03 pt ", "2024-03-01T01:02:03-08:00"),
        ("03/10/2024 23:19", "2024-03-10T23:19:00-07:00"),
        ("2024-03-01", "2024-03-01T00:00:00-08:00"),
        ("2024-03-01T16:00", "2024-03-01T16:00:00-08:00"),
        ("2024-03-01 16:00:05", "2024-03-01T16:00:05-08:00"),
        ("2024-03-01T16:00:05Z", "2024-03-01T08:00:05-08:00"),
        ("2024-03-01t16:00z", "2024-03-01T08:00:00-08:00"),
        ("2024-03-01T05:00:00+09:00", "2024-02-29T12:00:00-08:00"),
        ("2024-07-01T00:00:00-04:00", "2024-06-30T21:00:00-07:00"),
    ],
)
def test_a_time_is_read_in_each_form(text: str, time: str) -> None:
    [question] = questions_of("one", query_time=[text])
    assert question.asked_at.isoformat() == time


def test_a_page_may_lack_fields_and_what_is_not_a_page_is_left_out() -> None:
    snippet = {"page_name": "n", "page_url": "u", "page_snippet": "s", "page_result": None}
    pages = [snippet, "not a page", {"page_result": "<p>x</p>"}]
    first, second = questions_of("one", search_results=[pages])[0].pages
    assert (first.name, first.snippet, first.html) == ("n", "s", "")
    assert (second.name, second.html) == ("", "<p>x</p>")
