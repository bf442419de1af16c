"""The arbiter: one candidate where system and parser agree, else two, and its choice."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from mock_api.local import LocalClient
from models.kg.parsing.parser import SemanticParser
from models.ranking.log_linear import LogLinearModel
from models.records import IDK, Answer, Question, Source, Task
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from models.systems.arbiter import (
    STEP,
    ArbitratedSystem,
    ParserAnswer,
    SystemAnswer,
    candidates,
)
from tests.models.systems.scripted import ask, question
from utils.deadline import Deadline

LIKELY = {"program": 0.9, "likely": 0.8, "from_kg": 1.0}
ASKED = "who directed inception?"
RIGHT = "Christopher Nolan"


@pytest.mark.parametrize(
    ("system", "parser", "expected"),
    [
        (None, None, []),
        ("1997", None, [("1997", "alone")]),
        (None, "1997", [("1997", "alone")]),
        ("The Matrix.", "the matrix", [("the matrix", "agree")]),
        ("Up, Salt", "Salt and Up", [("Salt and Up", "agree")]),
        ("1997", "1998", [("1997", "differ"), ("1998", "differ")]),
    ],
)
def test_equal_answers_are_one_candidate(
    system: str | None, parser: str | None, expected: list[tuple[str, str]]
) -> None:
    given = SystemAnswer(system, LIKELY) if system else None
    rows = candidates(given, ParserAnswer(parser, 0.7))
    assert [text for text, _ in rows] == [text for text, _ in expected]
    for (_, features), (_, relation) in zip(rows, expected, strict=True):
        assert features[relation] == 1.0
        assert all(-6 <= value <= 1 for value in features.values())


@dataclass
class Scripted:
    """A system that always gives one answer, or fails before its second question."""

    text: str
    fails: bool = False

    def answer(self, questions: Sequence[Question], deadline: Deadline, ledger: Ledger) -> None:
        for index in range(len(questions)):
            if self.fails and index:
                raise RuntimeError("no more")
            step = Step("answer_kg", output=self.text, confidence={"likely": 0.9})
            ledger.note_step(index, step)
            ledger.record(index, Answer() if self.text == IDK else Answer(self.text, Source.WEB))


def model(threshold: float = 0.5, **weights: float) -> LogLinearModel:
    return LogLinearModel(ranker=weights, confidence=weights, threshold=threshold)


def arbitrated(client: LocalClient, system: Scripted, **weights: float) -> ArbitratedSystem:
    return ArbitratedSystem(system, SemanticParser(client), model(**weights))


def test_the_likelier_answer_is_given(example_kg: LocalClient) -> None:
    asked = question(ASKED, Task.KG_WEB, ())
    (outcome,) = ask(arbitrated(example_kg, Scripted("Bob"), by_parser=3.0), asked)
    assert outcome.answer == Answer(RIGHT, Source.KG)
    (outcome,) = ask(arbitrated(example_kg, Scripted("Bob"), by_system=3.0), asked)
    assert outcome.answer == Answer("Bob", Source.WEB)
    (step,) = [step for step in outcome.steps if step.name == STEP]
    assert step.inputs == {"system": "Bob", "parser": RIGHT}
    assert step.confidence["probability"] > 0.9


def test_an_unlikely_answer_is_not_given(example_kg: LocalClient) -> None:
    asked = question(ASKED, Task.KG_WEB, ())
    (outcome,) = ask(arbitrated(example_kg, Scripted("Bob"), differ=-3.0), asked)
    assert not outcome.answer.known
    (outcome,) = ask(arbitrated(example_kg, Scripted(RIGHT), differ=-3.0, agree=3.0), asked)
    assert outcome.answer.text == RIGHT


def test_without_a_kg_the_system_answers_alone(example_kg: LocalClient) -> None:
    asked = question(ASKED, Task.WEB, ())
    (outcome,) = ask(arbitrated(example_kg, Scripted("Bob"), by_system=-9.0), asked)
    assert outcome.answer.text == "Bob"
    assert not [step for step in outcome.steps if step.name == STEP]


def test_a_failing_system_leaves_the_parsers_answers(example_kg: LocalClient) -> None:
    asked = [question(ASKED, Task.KG_WEB, ())] * 2
    ledger = Ledger(2)
    system = arbitrated(example_kg, Scripted("Bob", fails=True), by_parser=3.0)
    with pytest.raises(RuntimeError, match="no more"):
        system.answer(asked, Deadline.after(60), ledger)
    first, second = ledger.close()
    assert first.answer.text == second.answer.text == RIGHT
    assert first.final and not second.final
