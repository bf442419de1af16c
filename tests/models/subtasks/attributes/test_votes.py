"""Attributes by vote: what is asked, and which category the samples settle on."""

from dataclasses import replace

import pytest

from models.llm.protocol import Constraint, ConstraintKind, FinishReason
from models.records import Domain
from models.subtasks.attributes.votes import DOMAIN, DYNAMIC, category, requests
from tests.models.systems.scripted import completion


def test_two_prompts_a_question_each_with_five_demonstrations_and_its_choices() -> None:
    assert {r.temperature for r in requests(0, "?", samples=1, temperature=0.7, seed=0)} == {0.0}
    asked = requests(3, "who?", samples=5, temperature=0.7, seed=1)
    assert [(r.index, r.subtask, r.seed) for r in asked] == [(3, DOMAIN, 1), (3, DYNAMIC, 1)]
    for request, choices in zip(asked, (Domain, ("dynamic", "static")), strict=True):
        assert request.constraint == Constraint(ConstraintKind.CHOICE, "\n".join(choices))
        turns = request.template.render({"question": "who?"})
        assert sum(turn.text.count("Question: ") for turn in turns) == 6


@pytest.mark.parametrize(
    ("subtask", "words", "most"),
    [
        (DYNAMIC, ["dynamic", "static", "static"], "static"),
        (DYNAMIC, ["dynamic", "static", "Dynamic "], "dynamic"),
        (DYNAMIC, ["static", "dynamic"], "dynamic"),  # a refusal costs less than a wrong answer
        (DYNAMIC, ["slow", "both", "static"], "static"),
        (DYNAMIC, ["slow", ""], None),
        (DOMAIN, ["poetry", "music"], "music"),
    ],
)
def test_the_category_most_often_named(subtask: str, words: list[str], most: str | None) -> None:
    assert category(subtask, completion(*words)) == most
    late = replace(completion(words[-1]), finish_reason=FinishReason.DEADLINE)
    assert category(subtask, late) is None
