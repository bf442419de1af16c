"""KG text from the semantic parser, and its division into passages."""

from typing import Any

import pytest

from mock_api.local import LocalClient
from models.records import Task
from models.runtime.case import Case
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.protocol import pieces
from tests.models.systems.papers import ON_KG
from tests.models.systems.scripted import SOON, question
from utils.deadline import Deadline


def kg_cases(*texts: str) -> list[Case]:
    return [Case(question(text, Task.KG_WEB, ())) for text in texts]


def test_the_text_states_the_results_of_the_parsers_programs(client: Any) -> None:
    cases = kg_cases("why is the sky blue?", ON_KG, "what is the market cap of acme widgets inc.?")
    texts = ParserKgText(client).gather(cases, SOON)
    assert texts[0] == ""
    assert "Aino Virta" in texts[1]
    assert "$1,234,567.50" in texts[2]
    outcomes = [case.slot.close() for case in cases]
    step = outcomes[1].steps[0]
    assert step.name == "kg_text"
    assert step.output == texts[1]
    assert not any(outcome.failures for outcome in outcomes)


def test_pieces_are_whole_lines_unless_a_line_is_too_long() -> None:
    assert pieces("") == []
    assert pieces("a\n\nb", 10) == ["a\nb"]
    assert pieces("aaaa\nbbbb\ncccc", 10) == ["aaaa\nbbbb", "cccc"]
    parts = pieces("word " * 50, 40)
    assert all(len(part) <= 40 for part in parts)
    assert " ".join(parts).split() == ["word"] * 50
    assert "".join(pieces("x" * 95, 40)) == "x" * 95


@pytest.mark.parametrize(("text", "sure"), [("who directed titanic?", True), ("titanic?", False)])
def test_an_option_leaves_out_programs_that_are_not_sure(
    text: str, sure: bool, example_kg: LocalClient
) -> None:
    (case,) = kg_cases(text)
    (facts,) = ParserKgText(example_kg, sure=True).gather([case], Deadline.after(60))
    assert bool(facts) is sure
    assert ("James Cameron" in facts) is sure
    (step,) = case.slot.close().steps
    assert ("get_movie" in step.inputs["programs"]) is sure
