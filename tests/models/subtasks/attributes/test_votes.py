"""Attributes by vote: what is asked, and which category the samples settle on."""

from dataclasses import replace

import pytest

from models.llm.protocol import ConstraintKind, FinishReason
from models.records import Domain
from models.subtasks.attributes.votes import DOMAIN, DYNAMIC, category, requests
from tests.models.systems.scripted import completion


def test_two_prompts_a_question_each_with_five_demonstrations_and_its_choices() -> None:
    assert {r.temperature for r in requests(0, "?", samples=1, temperature=0.7, seed=0)} == {0.0}
    asked = requests(3, "who?", samples=5, temperature=0.7, seed=1)
    assert [(r.index, r.subtask, r.n, r.temperature, r.seed) for r in asked] == [
        (3, DOMAIN, 5, 0.7, 1),
        (3, DYNAMIC, 5, 0.7, 1),
    ]
    assert all(r.constraint and r.constraint.kind is ConstraintKind.CHOICE for r in asked)
    domains, dynamisms = (r.constraint.text.split("\n") for r in asked if r.constraint)
    assert sorted(domains) == sorted(Domain) and sorted(dynamisms) == ["dynamic", "static"]
    for request in asked:
        text = "\n".join(message.text for message in request.template.render({"question": "who?"}))
        assert text.count("Question: ") == 6


@pytest.mark.parametrize(
    ("subtask", "words", "category_of_most"),
    [
        (DYNAMIC, ["static"], "static"),
        (DYNAMIC, ["dynamic", "static", "static"], "static"),
        (DYNAMIC, ["dynamic", "static", "Dynamic "], "dynamic"),
        (DYNAMIC, ["static", "dynamic"], "dynamic"),  # a refusal costs less than a wrong answer
        (DYNAMIC, ["slow", "both", "static"], "static"),
        (DYNAMIC, ["slow", ""], None),
        (DOMAIN, ["open", "music", "music"], "music"),
        (DOMAIN, ["poetry"], None),
    ],
)
def test_the_category_that_most_samples_name(
    subtask: str, words: list[str], category_of_most: str | None
) -> None:
    assert category(subtask, completion(*words)) == category_of_most
    assert (
        category(subtask, replace(completion(words[0]), finish_reason=FinishReason.DEADLINE))
        is None
    )
