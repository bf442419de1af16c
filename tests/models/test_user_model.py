"""`UserModel`: whatever fails below costs its own questions only, and is counted."""

import json
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from models.records import IDK, Answer, Question, Source, Task
from models.runtime.ledger import Ledger
from models.settings import Settings
from models.task import CHALLENGES, task_of_submission
from models.user_model import UserModel
from tests.models.systems.clocks import Clock
from utils.deadline import Deadline
from utils.errors import ApiUnavailable, InputError, SettingsError

Behaviour = Callable[[Sequence[Question], Deadline, Ledger], None]


def first_kinds(model: UserModel) -> list[str | None]:
    """What failed first for each question of the last batch."""
    return [failures[0].kind if failures else None for failures in model.last_failures]


class FakeSystem:
    """Does what it is told and remembers what it was asked."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self.calls: list[list[Question]] = []
        self.deadlines: list[float] = []

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        self.calls.append(list(questions))
        self.deadlines.append(deadline.remaining())
        self._behaviour(questions, deadline, answers)


def echo(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
    for index, question in enumerate(questions):
        answers.record(index, Answer(f"answer to {question.text}", Source.WEB))


def batch(*queries: Any, **columns: Any) -> dict[str, Any]:
    return {
        "interaction_id": [f"id{i}" for i in range(len(queries))],
        "query": list(queries),
        "query_time": ["03/10/2024, 23:19:21 PT"] * len(queries),
        "search_results": [[] for _ in queries],
        **columns,
    }


def model(behaviour: Behaviour = echo, clock: Clock | None = None, **settings: Any) -> UserModel:
    return UserModel(Settings(**settings), system=FakeSystem(behaviour), clock=clock or Clock())


def asked(user_model: UserModel) -> list[Question]:
    system = user_model._system
    assert isinstance(system, FakeSystem)
    return system.calls[0]


def test_one_answer_a_question_in_order() -> None:
    user_model = model()
    answers = user_model.batch_generate_answer(batch("one", "two", "three"))
    assert answers == ["answer to one", "answer to two", "answer to three"]
    assert not user_model.failures
    assert first_kinds(user_model) == [None, None, None]


def test_arrays_are_lists_and_odd_ids_are_positions() -> None:
    user_model = model()
    numpy = pytest.importorskip("numpy")
    odd = batch("one", "two", "three", interaction_id=numpy.array([10**30, 7, 8], dtype=object))
    odd["query"] = numpy.array(odd["query"])
    assert len(user_model.batch_generate_answer(odd)) == 3
    assert [question.id for question in asked(user_model)] == ["0", "7", "8"]


def test_an_answer_of_a_hundred_megabytes_is_cut_like_any_other() -> None:
    long = "word " * 20_000_000
    user_model = model(lambda questions, deadline, answers: answers.record(0, Answer(long)))
    assert 30 <= len(user_model.batch_generate_answer(batch("one"))[0].split()) <= 75


def test_a_system_that_records_no_answer_costs_that_question_only() -> None:
    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        for index, question in enumerate(questions):
            broken: Any = None if question.text == "bad" else Answer(question.text)
            answers.record(index, broken)

    user_model = model(behaviour)
    assert user_model.batch_generate_answer(batch("one", "bad", "three")) == ["one", IDK, "three"]
    assert first_kinds(user_model) == [None, "TypeError", "TypeError"]


def test_an_empty_batch_gives_an_empty_list_and_calls_no_system() -> None:
    user_model = model()
    assert user_model.batch_generate_answer(batch()) == []
    assert isinstance(user_model._system, FakeSystem)
    assert user_model._system.calls == []


@pytest.mark.parametrize("bad", [{}, {"query": "one text"}, {"query": None}, [], None])
def test_a_batch_without_a_list_of_queries_is_an_error(bad: Any) -> None:
    with pytest.raises(InputError, match="query"):
        model().batch_generate_answer(bad)


@pytest.mark.parametrize("bad", [None, 7, "", "  ", b"bytes", ["x"]])
def test_a_query_that_is_no_text_costs_itself_only(bad: Any) -> None:
    user_model = model()
    assert user_model.batch_generate_answer(batch("one", bad, "three")) == [
        "answer to one",
        IDK,
        "answer to three",
    ]
    assert user_model.failures == {"InputError": 1}
    assert first_kinds(user_model) == [None, "InputError", None]


def test_missing_columns_have_defaults() -> None:
    user_model = model()
    assert user_model.batch_generate_answer({"query": ["one", "two"]}) == [
        "answer to one",
        "answer to two",
    ]
    first, second = asked(user_model)
    assert (first.id, second.id) == ("0", "1")
    assert first.asked_at is None
    assert first.pages == ()


def test_columns_that_are_too_short_leave_the_rest_without() -> None:
    user_model = model()
    short = batch("one", "two", interaction_id=["a"], query_time=[], search_results=[[{}]])
    user_model.batch_generate_answer(short)
    first, second = asked(user_model)
    assert (first.id, second.id) == ("a", "1")
    assert len(first.pages) == 1 and second.pages == ()


@pytest.mark.parametrize("bad", ["yesterday", "", None, 5, "2024-03-10", "13/40/2024, 1:1:1 PT"])
def test_a_bad_query_time_is_none_and_is_logged(bad: Any, caplog: pytest.LogCaptureFixture) -> None:
    user_model = model()
    with caplog.at_level(logging.WARNING):
        user_model.batch_generate_answer(batch("one", query_time=[bad]))
    assert asked(user_model)[0].asked_at is None
    assert "query_time cannot be read" in caplog.text


def test_query_time_is_pacific() -> None:
    user_model = model()
    user_model.batch_generate_answer(batch("one"))
    at = asked(user_model)[0].asked_at
    assert at is not None
    assert at.isoformat() == "2024-03-10T23:19:21-07:00"


def test_pages_without_html_and_pages_that_are_no_pages() -> None:
    user_model = model()
    pages = [
        {"page_name": "n", "page_url": "u", "page_snippet": "s", "page_result": None},
        "not a page",
        {"page_result": "<p>x</p>", "page_last_modified": " today "},
    ]
    user_model.batch_generate_answer(batch("one", search_results=[pages]))
    first, second = asked(user_model)[0].pages
    assert (first.name, first.snippet, first.html) == ("n", "s", "")
    assert (second.html, second.last_modified) == ("<p>x</p>", "today")


def test_a_system_that_raises_keeps_what_it_recorded_and_retries_the_rest() -> None:
    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        for index, question in enumerate(questions):
            if question.text == "bad":
                raise ZeroDivisionError("boom")
            answers.record(index, Answer(question.text))

    user_model = model(behaviour)
    assert user_model.batch_generate_answer(batch("one", "bad", "three")) == ["one", IDK, "three"]
    assert first_kinds(user_model) == [None, "ZeroDivisionError", "ZeroDivisionError"]
    assert user_model.failures == {"ZeroDivisionError": 3}  # "bad" twice, "three" once
    assert isinstance(user_model._system, FakeSystem)
    assert [len(call) for call in user_model._system.calls] == [3, 1, 1]


def test_a_system_that_answers_too_few_is_asked_for_the_rest_one_by_one() -> None:
    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        answers.record(0, Answer(f"answer to {questions[0].text}"))

    user_model = model(behaviour)
    assert user_model.batch_generate_answer(batch("one", "two")) == [
        "answer to one",
        "answer to two",
    ]
    assert user_model.failures == {"Unanswered": 1}


def test_a_system_that_hangs_costs_only_the_question_it_hangs_on() -> None:
    clock = Clock()
    stop = threading.Event()

    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        for index, question in enumerate(questions):
            if question.text == "hang":
                clock.now = deadline.at
                stop.wait(60)
            answers.record(index, Answer(question.text))

    user_model = model(behaviour, clock)
    try:
        answers = user_model.batch_generate_answer(batch("one", "hang", "three"))
    finally:
        stop.set()
    assert answers == ["one", IDK, "three"]
    assert clock.now <= 30 * 3
    assert first_kinds(user_model) == [None, "DeadlineExceeded", "DeadlineExceeded"]


def test_what_a_hung_system_writes_afterwards_changes_nothing() -> None:
    clock = Clock()
    stop, written = threading.Event(), threading.Event()

    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        answers.record(0, Answer("a first guess"), final=False)
        clock.now = deadline.at
        stop.wait(60)
        answers.record(0, Answer("too late"))
        written.set()

    user_model = model(behaviour, clock)
    answers = user_model.batch_generate_answer(batch("one"))
    stop.set()
    assert written.wait(60)
    assert answers == ["a first guess"]


def test_the_deadline_follows_the_size_of_the_batch_with_a_margin() -> None:
    user_model = model(margin_s=2.0, retry_share=0.25)
    user_model.batch_generate_answer(batch("one"))
    user_model.batch_generate_answer(batch(*"abcd"))
    assert isinstance(user_model._system, FakeSystem)
    assert user_model._system.deadlines == [28.0, (120.0 - 2.0) * 0.75]


def test_failures_that_a_system_survives_are_counted() -> None:
    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        answers.failed(1, ApiUnavailable("down"))
        for index in range(len(questions)):
            answers.record(index, Answer("from the web"))

    user_model = model(behaviour)
    assert user_model.batch_generate_answer(batch("one", "two")) == ["from the web"] * 2
    assert user_model.failures == {"ApiUnavailable": 1}
    assert first_kinds(user_model) == [None, "ApiUnavailable"]


def test_a_system_that_ends_its_thread_is_survived() -> None:
    def behaviour(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        raise SystemExit(3)

    user_model = model(behaviour)
    assert user_model.batch_generate_answer(batch("one")) == [IDK]
    assert user_model.failures == {"SystemExit": 2}


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_answer_is_i_dont_know(text: str) -> None:
    user_model = model(lambda questions, deadline, answers: answers.record(0, Answer(text)))
    assert user_model.batch_generate_answer(batch("one")) == [IDK]


def test_answers_are_one_line_and_cut_at_75_tokens() -> None:
    long = "word\n" * 500
    user_model = model(lambda questions, deadline, answers: answers.record(0, Answer(long)))
    answer = user_model.batch_generate_answer(batch("one"))[0]
    assert set(answer.split(" ")) == {"word"}
    assert 30 <= len(answer.split()) <= 75


@pytest.mark.parametrize(
    ("api_url", "pages", "task"),
    [(None, 5, Task.WEB), ("http://h", 5, Task.KG_WEB), ("http://h", 6, Task.END_TO_END)],
)
def test_the_task_of_what_is_there(api_url: str | None, pages: int, task: Task) -> None:
    user_model = model(api_url=api_url)
    user_model._task = None  # as where no aicrowd.json is
    user_model.batch_generate_answer(batch("one", search_results=[[{}] * pages]))
    assert asked(user_model)[0].task is task


@pytest.mark.parametrize(("challenge", "task"), CHALLENGES.items())
def test_the_task_of_aicrowd_json(challenge: str, task: Task, tmp_path: Path) -> None:
    file = tmp_path / "aicrowd.json"
    file.write_text(json.dumps({"challenge_id": challenge}))
    assert task_of_submission(file) is task
    assert task_of_submission(tmp_path / "none.json") is None


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"challenge_id": "other"}'])
def test_an_aicrowd_json_that_names_no_task_is_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "aicrowd.json"
    file.write_text(text)
    with pytest.raises(SettingsError, match="challenge_id"):
        task_of_submission(file)


def test_an_unknown_system_is_named_at_once() -> None:
    with pytest.raises(SettingsError, match="nosuch.*offline"):
        UserModel(Settings(system="nosuch"))


def test_a_list_is_cut_at_a_whole_item_and_that_is_told() -> None:
    names = [f"Somebody Number{i}" for i in range(40)]

    def list_all(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        answers.record(0, Answer(", ".join(names), Source.KG))

    user_model = model(list_all)
    (answer,) = user_model.batch_generate_answer(batch("who?"))
    assert answer.split(", ") == names[: answer.count(",") + 1]
    assert [f.kind for f in user_model.last_failures[0]] == ["answer cut at 75 tokens"]
    assert user_model.last_traces[0][-1].output == answer


def test_what_cannot_be_written_costs_its_own_character_only() -> None:
    def odd(questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        answers.record(0, Answer("Zoë \ud83d", Source.KG))
        answers.record(1, Answer("\ud83d\ude00 fine", Source.KG))

    assert model(odd).batch_generate_answer(batch("a", "b")) == ["Zoë", "\U0001f600 fine"]
