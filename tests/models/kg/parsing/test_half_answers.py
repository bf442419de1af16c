"""Answers that would be half of one, or about something that the question does not name."""

from datetime import datetime

import pytest

from mock_api.local import LocalClient
from models.kg.parsing.semantic_parser import SemanticParser
from tests.models.kg.cases import SOON

NOW = datetime(2024, 3, 5, 16)


@pytest.mark.parametrize(
    "question",
    [
        "who directed titanic and when was inception released?",
        "when was inception released and who directed titanic?",
        "who wrote the social network and what was the budget of la la land?",
        "what is apple's p/e ratio and who directed titanic?",
        "who sings rolling in the deep and who directed inception?",
        "how long is titanic and who is the ceo of apple?",
        "who is the ceo of apple and how long is titanic?",
        "what was the budget of la la land, and of which band is adele a member?",
    ],
)
def test_a_question_about_two_things_has_no_answer_about_one(
    question: str, example_kg: LocalClient
) -> None:
    assert SemanticParser(example_kg).parse(question, NOW, SOON).answer is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("did meta pay dividends quarterly in 2019?", None),
        ("did meta pay dividends monthly in 2019?", "no"),
        ("did apple pay a special dividend quarterly in 2023?", None),
        ("did apple pay dividends in 2023?", "yes"),
        ("did meta pay dividends in 2019?", "no"),
        ("has nvidia paid monthly dividends?", None),
    ],
)
def test_no_needs_rows_to_look_at_and_every_limit(
    question: str, answer: str | None, example_kg: LocalClient
) -> None:
    assert SemanticParser(example_kg).parse(question, NOW, SOON).answer == answer


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("who directed ttianicc?", "ttianicc"),
        ("when was titn released?", "titn"),
        ("what is the budget of zorvexia?", "zorvexia"),
        ("how old is xyrrha qwopp?", "xyrrha, qwopp"),
        ("what is blorptek's market cap?", "blorptek"),
    ],
)
def test_the_refusal_names_what_the_kg_lacks(
    question: str, name: str, example_kg: LocalClient
) -> None:
    parsed = SemanticParser(example_kg).parse(question, NOW, SOON)
    assert parsed.refusal == f"the KG has nothing of that name: {name}"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who directed titanc?", "James Cameron"),  # a letter is missing
        ("who directed tittanic?", "James Cameron"),  # one too many
        ("what is the budget of titanik?", "$200,000,000"),  # another
        ("when was incpetion released?", "2010-07-15"),  # two swapped
        ("when was inceptoin released?", "2010-07-15"),
        ("who directed incepion?", "Christopher Nolan"),
        ("who directed the film inceptoin?", "Christopher Nolan"),
        ("how old is adelle?", "35"),
        ("when was coldpaly formed?", "1996"),
        ("how many employees does microsfot have?", "221000"),
    ],
)
def test_a_name_with_one_slip_is_found(question: str, answer: str, example_kg: LocalClient) -> None:
    assert SemanticParser(example_kg).parse(question, NOW, SOON).answer == answer
