"""Attributes by vote: what is asked, and which category the samples settle on."""

import pytest

from models.llm.protocol import Completion, ConstraintKind, FinishReason
from models.records import Domain
from models.subtasks.attributes.votes import DOMAIN, DYNAMIC, domain_of, dynamic_of, requests
from tests.models.systems.scripted import completion


def votes(*words: str) -> Completion:
    first, *others = map(completion, words)
    return Completion(first.text, first.finish_reason, first.tokens, others=tuple(others))


def test_two_prompts_a_question_each_with_five_demonstrations_and_its_choices() -> None:
    asked = requests(3, "who?", samples=5, temperature=0.7, seed=1)
    assert [(r.index, r.subtask, r.n, r.temperature, r.seed) for r in asked] == [
        (3, DOMAIN, 5, 0.7, 1),
        (3, DYNAMIC, 5, 0.7, 1),
    ]
    assert all(r.constraint and r.constraint.kind is ConstraintKind.CHOICE for r in asked)
    domains, paces = (r.constraint.text.split("\n") for r in asked if r.constraint)
    assert sorted(domains) == sorted(Domain) and sorted(paces) == ["dynamic", "static"]
    for request in asked:
        text = "\n".join(message.text for message in request.template.render({"question": "who?"}))
        assert text.count("Question: ") == 6


def test_one_sample_is_the_likeliest() -> None:
    assert {r.temperature for r in requests(0, "?", samples=1, temperature=0.7, seed=0)} == {0.0}


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (["static"], False),
        (["dynamic", "static", "static"], False),
        (["dynamic", "static", "Dynamic "], True),
        (["static", "dynamic"], True),  # a refusal costs less than a wrong answer
        (["slow", "both", "static"], False),
        (["slow", ""], None),
    ],
)
def test_the_pace_that_most_samples_name(words: list[str], verdict: bool | None) -> None:
    assert dynamic_of(votes(*words)) is verdict


def test_the_domain_that_most_samples_name() -> None:
    assert domain_of(votes("open", "music", "music")) is Domain.MUSIC
    assert domain_of(votes("poetry")) is None


def test_what_was_cut_off_does_not_vote() -> None:
    assert dynamic_of(Completion("dynamic", FinishReason.DEADLINE, 1)) is None
