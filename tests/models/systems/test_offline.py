"""The offline system: the KG first, the pages where it does not know, each task by its rules."""

from typing import Any

import pytest

from models.records import IDK, Answer, Page, Question, Source, Task
from models.runtime.ledger import Ledger
from models.systems.offline import OfflineSystem
from tests.models.systems import scripted as shared
from tests.models.systems.scripted import SOON, ask
from utils.errors import ApiUnavailable

PAGES = (
    Page("", "", "", "<title>The Glass Harbour</title><p>Directed by: Bo Third</p>"),
    Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>"),
)
ON_KG = "who directed the movie the glass harbour?"
ON_WEB = "how tall is the lighthouse?"


def question(text: str, task: Task = Task.KG_WEB) -> Question:
    return shared.question(text, task, PAGES)


def test_the_kg_comes_before_the_pages(client: Any) -> None:
    answer = ask(OfflineSystem(client), question(ON_KG))[0].answer
    assert (answer.text, answer.source) == ("Aino Virta", Source.KG)
    assert "Aino Virta" in answer.grounds


def test_a_dead_kg_is_noted_and_the_pages_answer(dead_client: Any) -> None:
    first, second = ask(OfflineSystem(dead_client), question(ON_KG), question(ON_WEB))
    assert [type(error) for error in first.failures] == [ApiUnavailable]
    assert second.answer.text == "41 m"


@pytest.mark.parametrize("task", Task)
def test_the_pages_answer_what_the_kg_does_not(client: Any, task: Task) -> None:
    answer = ask(OfflineSystem(client), question(ON_WEB, task))[0].answer
    assert (answer.text, answer.source) == ("41 m", Source.WEB)


def test_task_1_never_asks_the_kg(client: Any) -> None:
    answer = ask(OfflineSystem(client), question(ON_KG, Task.WEB))[0].answer
    assert answer.source is not Source.KG
    assert client.calls == []


def test_without_grounds_it_does_not_know(client: Any) -> None:
    (outcome,) = ask(OfflineSystem(client), question("why is the sky blue?"))
    assert outcome.answer == Answer(IDK, Source.NONE)


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
