"""Attributes by vote: the prompts, and the category that most samples name."""

from dataclasses import replace

import pytest

from models.llm.protocol import Constraint, ConstraintKind, FinishReason
from models.records import Domain, Task
from models.runtime.case import Case
from models.subtasks.attributes.votes import DOMAIN, DYNAMIC, category, requests
from tests.models.systems.scripted import completion, question

CASE = Case(question("who?", Task.WEB, ()))


def test_each_question_has_two_prompts_with_demonstrations_and_choices() -> None:
    both = requests(CASE)
    assert [(r.case, r.subtask, r.n) for r in both] == [(CASE, DOMAIN, 5), (CASE, DYNAMIC, 5)]
    for request, choices in zip(both, (Domain, ("dynamic", "static")), strict=True):
        assert request.constraint == Constraint(ConstraintKind.CHOICE, "\n".join(choices))
        turns = request.template.render(request.values)
        count = sum(turn.text.count("Question: ") for turn in turns)
        assert count == 6  # five demonstrations and the question


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
def test_the_category_that_most_samples_name_wins(
    subtask: str, words: list[str], most: str | None
) -> None:
    assert category(subtask, completion(*words)) == most


@pytest.mark.parametrize(
    ("subtask", "word"), [(DYNAMIC, "static"), (DYNAMIC, "dynamic"), (DOMAIN, "music")]
)
def test_a_sample_that_was_cut_off_names_no_category(subtask: str, word: str) -> None:
    late = replace(completion(word), finish_reason=FinishReason.DEADLINE)
    assert category(subtask, late) is None
