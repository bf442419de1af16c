from typing import Any

import pytest

from mock_api.local import LocalClient
from models.records import Question, Task
from models.runtime.ledger import Ledger
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.protocol import pieces
from tests.models.systems.papers import ON_KG
from tests.models.systems.scripted import SOON, question
from utils.deadline import Deadline


def asked(*texts: str) -> list[Question]:
    return [question(text, Task.KG_WEB, ()) for text in texts]


def test_it_says_what_the_readings_find(client: Any) -> None:
    ledger = Ledger(3)
    texts = ("why is the sky blue?", ON_KG, "what is the market cap of acme widgets inc.?")
    found = ParserKgText(client).gather(asked(*texts), range(3), SOON, ledger)
    assert sorted(found) == [1, 2]
    assert "Aino Virta" in found[1]
    assert "$1,234,568" in found[2]
    outcomes = ledger.close()
    assert outcomes[1].steps[0].name == "kg_text"
    assert outcomes[1].steps[0].output == found[1]
    assert not any(outcome.failures for outcome in outcomes)


def test_pieces_are_whole_lines_and_cut_only_what_is_too_long() -> None:
    assert pieces("") == []
    assert pieces("a\n\nb", 10) == ["a\nb"]
    assert pieces("aaaa\nbbbb\ncccc", 10) == ["aaaa\nbbbb", "cccc"]
    cut = pieces("word " * 50, 40)
    assert all(len(piece) <= 40 for piece in cut)
    assert " ".join(cut).split() == ["word"] * 50
    assert "".join(pieces("x" * 95, 40)) == "x" * 95


@pytest.mark.parametrize(("text", "told"), [("who directed titanic?", True), ("titanic?", False)])
def test_only_what_the_parser_is_sure_of(text: str, told: bool, example_kg: LocalClient) -> None:
    ledger = Ledger(1)
    parser = ParserKgText(example_kg, sure=True)
    found = parser.gather(asked(text), [0], Deadline.after(60), ledger)
    assert ("James Cameron" in found.get(0, "")) is told is bool(found)
    (step,) = ledger.close()[0].steps
    assert ("get_movie" in step.inputs["programs"]) is told
