"""The offline system: the KG first, the pages where it does not know, each task by its rules."""

from typing import Any

import pytest

from models.batch import read_query_time
from models.records import IDK, Answer, Page, Question, Source, Task
from models.runtime.ledger import Ledger
from models.settings import Settings
from models.systems.factory import make_system
from models.systems.offline import OfflineSystem
from utils.deadline import Deadline
from utils.errors import ApiUnavailable

SOON = Deadline(10.0, lambda: 0.0)
PAGES = (
    Page("", "", "", "<title>The Glass Harbour</title><p>Directed by: Bo Third</p>"),
    Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>"),
)
ON_KG = "who directed the movie the glass harbour?"
ON_WEB = "how tall is the lighthouse?"


def question(text: str, task: Task = Task.KG_WEB) -> Question:
    return Question("q", text, read_query_time("03/10/2024, 23:19:21 PT"), task, PAGES)


def ask(system: OfflineSystem, *questions: Question) -> list[Answer]:
    ledger = Ledger(len(questions))
    system.answer(questions, SOON, ledger)
    outcomes = ledger.close()
    assert all(outcome.final for outcome in outcomes)
    return [outcome.answer for outcome in outcomes]


def test_the_kg_comes_before_the_pages(client: Any) -> None:
    answer = ask(OfflineSystem(client), question(ON_KG))[0]
    assert (answer.text, answer.source) == ("Aino Virta", Source.KG)
    assert "Aino Virta" in answer.grounds


@pytest.mark.parametrize("task", Task)
def test_the_pages_answer_what_the_kg_does_not(client: Any, task: Task) -> None:
    answer = ask(OfflineSystem(client), question(ON_WEB, task))[0]
    assert (answer.text, answer.source) == ("41 m", Source.WEB)


def test_task_1_never_asks_the_kg(client: Any) -> None:
    answer = ask(OfflineSystem(client), question(ON_KG, Task.WEB))[0]
    assert answer.source is not Source.KG
    assert client.calls == []


def test_without_grounds_it_does_not_know(client: Any) -> None:
    answers = ask(OfflineSystem(client), question("why is the sky blue?"))
    assert answers == [Answer(IDK, Source.NONE)]


def test_a_dead_kg_is_noted_and_the_pages_answer(dead_client: Any) -> None:
    ledger = Ledger(2)
    asked = [question(ON_KG), question(ON_WEB)]
    OfflineSystem(dead_client).answer(asked, SOON, ledger)
    first, second = ledger.close()
    assert [type(error) for error in first.failures] == [ApiUnavailable]
    assert second.answer.text == "41 m"


def test_a_question_that_breaks_a_subtask_leaves_those_before_it_their_answers(client: Any) -> None:
    class Picky:
        def answer(self, question: Question, *found: Any) -> None:
            if "sky" in question.text:
                raise ZeroDivisionError

    ledger = Ledger(3)
    asked = [question(ON_KG), question("why is the sky blue?"), question(ON_WEB)]
    with pytest.raises(ZeroDivisionError):
        OfflineSystem(client, web_answerer=Picky()).answer(asked, SOON, ledger)
    assert [outcome.final for outcome in ledger.close()] == [True, False, False]


def test_the_factory_builds_it_with_and_without_an_api() -> None:
    without = make_system(Settings())
    assert isinstance(without, OfflineSystem) and without.client is None
    with_api = make_system(Settings(api_url="http://127.0.0.1:1"))
    assert isinstance(with_api, OfflineSystem) and with_api.client is not None
