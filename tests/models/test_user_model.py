"""`UserModel`: a failure of any part costs its own questions only, and is counted."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from models.records import IDK, Answer, Source, Task
from models.runtime.case import Case, Failure
from models.settings import Settings
from models.task import task_of_question, task_of_submission
from models.user_model import UserModel
from tests.models.systems.clocks import Clock
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.tokens import estimate_tokens

Behaviour = Callable[[Sequence[Case], Deadline], None]


class FakeSystem:
    """Behaves as a test says, and records its questions and deadlines."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self.calls: list[list[str]] = []
        self.deadlines: list[float] = []

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        self.calls.append([case.question.text for case in cases])
        self.deadlines.append(deadline.remaining())
        self._behaviour(cases, deadline)


def echo(cases: Sequence[Case], deadline: Deadline) -> None:
    for case in cases:
        case.settle(Answer(case.question.text, Source.WEB))


def says(text: Any) -> Behaviour:
    return lambda cases, deadline: cases[0].settle(Answer(text))


def ask(
    behaviour: Behaviour, *queries: Any, clock: Clock | None = None, **settings: Any
) -> tuple[list[str], UserModel, FakeSystem]:
    """The answers, the model and its system."""
    system = FakeSystem(behaviour)
    model = UserModel(Settings(**settings), system=system, clock=clock or Clock())
    return model.batch_generate_answer({"query": list(queries)}), model, system


def first_kinds(model: UserModel) -> list[str | None]:
    """The kind of the first failure of each question of the last batch."""
    return [failures[0].kind if failures else None for failures in model.last_failures]


def test_a_listener_hears_of_each_question_by_its_number_in_the_batch() -> None:
    heard: list[tuple[int, object]] = []

    def answers_the_first(cases: Sequence[Case], deadline: Deadline) -> None:
        echo(cases[:1], deadline)

    model = UserModel(Settings(), system=FakeSystem(answers_the_first), clock=Clock())
    model.listener = lambda number, event: heard.append((number, event))
    model.batch_generate_answer({"query": [7, "one", "two"]})
    answers = [(number, event.text) for number, event in heard if isinstance(event, Answer)]
    assert answers == [(1, "one"), (2, "two")]  # the second one is asked again by itself
    failures = [(number, event.kind) for number, event in heard if isinstance(event, Failure)]
    assert failures == [(0, "InputError"), (2, "Unanswered")]


def test_each_answer_has_its_own_time_and_a_question_without_one_that_of_the_batch() -> None:
    clock = Clock()

    def one_after_the_other(cases: Sequence[Case], deadline: Deadline) -> None:
        for case in cases:
            clock.now += 2
            if case.question.text != "hard":
                case.settle(Answer(case.question.text, Source.WEB))

    _, model, _ = ask(one_after_the_other, "one", 7, "two", "hard", clock=clock, retry_share=0.0)
    assert model.last_seconds == [2, 8, 4, 8]


def test_answers_are_in_order_and_an_unreadable_query_costs_only_its_own() -> None:
    answers, model, _ = ask(echo, "one", None, "three")
    assert answers == ["one", IDK, "three"]
    assert model.failures == {"InputError": 1}
    assert first_kinds(model) == [None, "InputError", None]
    answers, _, system = ask(echo)
    assert answers == system.calls == []


def refuse(error: BaseException) -> Behaviour:
    """Raises at the question "bad"."""

    def behaviour(cases: Sequence[Case], deadline: Deadline) -> None:
        for case in cases:
            if case.question.text == "bad":
                raise error
            case.settle(Answer(case.question.text))

    return behaviour


def leave_open(cases: Sequence[Case], deadline: Deadline) -> None:
    """Answers the first question, unless it is "bad", and no other."""
    if cases[0].question.text != "bad":
        echo(cases[:1], deadline)


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (refuse(ZeroDivisionError("boom")), "ZeroDivisionError"),
        (refuse(SystemExit(3)), "SystemExit"),
        (leave_open, "Unanswered"),
    ],
)
def test_recorded_answers_stand_and_the_others_are_retried(behaviour: Behaviour, kind: str) -> None:
    answers, model, system = ask(behaviour, "one", "bad", "three")
    assert answers == ["one", IDK, "three"]
    assert model.failures == {kind: 3}  # "bad" twice, "three" once
    assert first_kinds(model) == [None, kind, kind]
    assert system.calls == [["one", "bad", "three"], ["bad"], ["three"]]


def test_a_system_that_hangs_costs_one_question_and_its_late_answers_are_dropped() -> None:
    clock = Clock()
    stop = threading.Event()
    written = threading.Event()

    def hang(cases: Sequence[Case], deadline: Deadline) -> None:
        for case in cases:
            if case.question.text == "hang":
                case.propose(Answer("a first guess"))
                clock.now = deadline.at
                stop.wait(60)
            case.settle(Answer(case.question.text))
        written.set()

    try:
        answers, model, _ = ask(hang, "one", "hang", "three", clock=clock)
        assert first_kinds(model) == [None, "DeadlineExceeded", "DeadlineExceeded"]
    finally:
        written.clear()
        stop.set()
    assert written.wait(60), "a closed slot raises or blocks"
    assert answers == ["one", "a first guess", "three"]
    assert clock.now <= 30 * 3


def test_if_no_thread_can_be_started_no_answer_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    answers, model, system = ask(echo, "one", "two")
    assert answers == [IDK, IDK] and system.calls == []
    assert model.failures == {"RuntimeError": 4}  # both in the batch, and alone
    assert first_kinds(model) == ["RuntimeError"] * 2


def test_the_deadline_depends_on_the_size_of_the_batch_and_the_margin() -> None:
    for queries, seconds in (("a", 28.0), ("abcd", (120.0 - 2.0) * 0.75)):
        _, _, system = ask(echo, *queries, margin_s=2.0, retry_share=0.25)
        assert system.deadlines == [seconds]


def test_an_answer_is_one_line_of_encodable_text_of_at_most_75_tokens() -> None:
    expected = {" \n ": IDK, "Zo\u00eb \ud83d": "Zo\u00eb", "\ud83d\ude00 ok": "\U0001f600 ok"}
    for text, line in expected.items():
        (answer,), *_ = ask(says(text), "one")
        assert answer == line
    for length in (500, 20_000_000):
        (answer,), *_ = ask(says("word\n" * length), "one")
        assert set(answer.split(" ")) == {"word"} and len(answer.split()) >= 30
        assert estimate_tokens(answer) <= 75


def test_a_list_is_cut_after_a_whole_item_and_the_cut_is_reported() -> None:
    names = [f"Somebody Number{i}" for i in range(40)]
    (answer,), model, _ = ask(says(", ".join(names)), "who?")
    assert answer.split(", ") == names[: answer.count(",") + 1]
    assert [f.kind for f in model.last_failures[0]] == ["answer cut at 75 tokens"]
    assert model.last_traces[0][-1].output == answer


def test_the_task_follows_from_the_question_or_from_aicrowd_json(tmp_path: Path) -> None:
    assert task_of_question(5, has_api=False) is Task.WEB
    assert task_of_question(5, has_api=True) is Task.KG_WEB
    assert task_of_question(6, has_api=True) is Task.END_TO_END
    file = tmp_path / "aicrowd.json"
    assert task_of_submission(file) is None
    file.write_text('{"challenge_id": "meta-kdd-cup-24-crag-retrieval-summarization"}')
    assert task_of_submission(file) is Task.WEB
    for text in ("{", "[]", "{}", '{"challenge_id": "other"}'):
        file.write_text(text)
        with pytest.raises(SettingsError, match="challenge_id"):
            task_of_submission(file)


def test_an_unknown_system_is_named_at_once() -> None:
    with pytest.raises(SettingsError, match="nosuch.*offline"):
        UserModel(Settings(system="nosuch"))
