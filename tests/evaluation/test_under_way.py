"""What is shown of a batch while it is being answered."""

import io
import time
from functools import partial

import pytest
from rich.console import Console

from evaluation.under_way import UnderWay
from models.records import Answer, Source, Task
from models.runtime.case import Case, Slot
from models.runtime.request import RoundProgress
from models.runtime.trace import Step
from models.systems.db3 import Db3System
from models.web.retriever import Retriever
from tests.models.systems.papers import question
from tests.models.systems.scripted import SOON, ScriptedLLMs, saying
from utils.progress import Progress, shown_on

pytestmark = pytest.mark.first_week


def test_it_counts_answers_and_the_requests_of_a_round() -> None:
    shown: list[str] = []
    under_way = UnderWay()
    under_way.on_change = lambda: shown.append(str(under_way))
    under_way.start(3)
    under_way.hear(0, RoundProgress("route", 1, 3))
    under_way.hear(0, Step("route"))  # is not shown
    under_way.hear(2, Answer("a", Source.KG))
    under_way.hear(2, Answer("b", Source.KG))  # a better answer to the same question
    under_way.end(3)
    assert shown == [
        "3 under way",
        "3 under way (route 1/3)",
        "3 under way (1 answered, route 1/3)",
        "3 under way (1 answered, route 1/3)",
        "",
    ]


def test_a_batch_that_another_process_has_begun_is_only_counted() -> None:
    under_way = UnderWay()
    under_way.start(8)
    under_way.start(8)
    assert str(under_way) == "16 under way"
    under_way.end(8)
    assert str(under_way) == "8 under way"


def test_a_system_with_an_llm_tells_each_round_and_answer() -> None:
    llms = ScriptedLLMs({"answer_web": saying("Bo Third")})
    shown: list[str] = []
    under_way = UnderWay()
    under_way.on_change = lambda: shown.append(str(under_way))
    under_way.start(2)
    questions = [question(task=Task.WEB), question("who wrote it?", task=Task.WEB)]
    cases = [
        Case(each, Slot(listener=partial(under_way.hear, number)))
        for number, each in enumerate(questions)
    ]
    Db3System(llms, None, Retriever()).answer(cases, SOON)
    assert shown[1:4] == [f"2 under way (answer_web {done}/2)" for done in range(3)]
    assert shown[-1] == "2 under way (2 answered, answer_web 2/2)"


@pytest.mark.clock
def test_a_log_is_not_silent_while_nothing_happens() -> None:
    console = Console(file=io.StringIO(), width=100)
    with shown_on(console, every_s=0.05) as show:
        show(Progress(2, "pairs", total=4, under_way="2 under way"))
        time.sleep(0.5)
        written = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        assert len(written) > 2
        assert "2 under way, 0:00:00 so far" in written[-1]
        show(Progress(4, "pairs", total=4))
        time.sleep(0.2)
    assert console.file.getvalue().splitlines()[-1].startswith("4/4")  # type: ignore[attr-defined]
