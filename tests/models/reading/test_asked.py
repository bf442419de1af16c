"""What a question asks for, and spans that are no such thing."""

import pytest

from models.reading.asked import (
    asks_for_several,
    can_be_asked_for,
    features_of_question,
    has_no_span,
)


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("when did the tower open?", "May 1881", True),
        ("how many rooms does it have?", "twelve", True),
        ("how many rooms does it have?", "twenty-one", True),
        ("which year did it open?", "1881", True),
        ("when did the tower open?", "a small town", False),
        ("when did the tower open?", "Marvel Studios", False),
        ("when does the tower open?", "on Sundays at noon", True),
        ("when was the tower built?", "in the Middle Ages, a century later", True),
        ("how many rooms does it have?", "the grand hotel", False),
        ("which town has the largest number of rooms?", "Easton", True),
        ("how heavy is the tower?", "41 m", False),
        ("how heavy is the tower?", "41 tons", True),
        ("how heavy is the tower?", "in 1881", True),
        ("how tall is the tower?", "$5 million", False),
        ("what percentage is it?", "$5", False),
        ("what percentage is it?", "5 %", True),
        ("which is taller, the tower or the mast?", "the church", False),
        ("which is taller, the tower or the mast?", "The Mast", True),
        ("which is longest, the nile, the amazon or the congo?", "Nile", True),
        ("who scored more goals than pele?", "Ann Other", True),
        ("who built the tower?", "the tower", False),
        ("who built the tower?", "Ann Tower", True),
    ],
)
def test_a_span_is_what_the_question_asks_for(question: str, answer: str, expected: bool) -> None:
    text = f"{answer}; the tower, the mast, the Nile, the Amazon, the Congo"
    assert can_be_asked_for(question, answer, text) is expected


def test_a_text_that_names_one_side_compares_nothing() -> None:
    question = "which is taller, the tower or the mast?"
    assert not can_be_asked_for(question, "the tower", "The tower is 41 m tall.")
    assert can_be_asked_for(question, "the tower", "The tower is taller than the mast.")


@pytest.mark.parametrize(
    ("feature", "question", "answer", "expected"),
    [
        ("odd type", "what was the population of the town?", "the grand hotel", True),
        ("odd type", "who built the tower?", "1881", True),
        ("odd type", "which town has the tower?", "1,212", True),
        ("odd type", "how many rooms does it have?", "twenty-one", False),
        ("one of several", "who were the hosts of the show?", "Ann Other", True),
        ("one of several", "who were the hosts of the show?", "Ann Other and Bo Third", False),
        ("one of several", "who was the host of the show?", "Ann Other", False),
        ("no name", "who built it?", "a builder", True),
        ("no name", "who built it?", "Ann Other", False),
    ],
)
def test_spans_that_are_seldom_answers(
    feature: str, question: str, answer: str, expected: bool
) -> None:
    assert features_of_question(question, answer)[feature] == float(expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what are the four houses?", True),
        ("name the five rivers of the country", True),
        ("names of the sons of the king", True),
        ("how many two dollar bills are there?", False),
        ("who won the 2019 games?", False),
        ("what did he do in the last two years?", False),
    ],
)
def test_some_questions_ask_for_several_things(question: str, expected: bool) -> None:
    assert asks_for_several(question) is expected


@pytest.mark.parametrize("question", ["Is it tall?", "Why is it tall?", "How do you reach it?"])
def test_some_questions_have_no_span(question: str) -> None:
    assert has_no_span(question)


@pytest.mark.parametrize(
    "question",
    [
        "How tall is it?",
        "Will Smith was born in which city?",
        "How to train a dragon was released when?",
        "in what year was 'why do fools fall in love' released?",
    ],
)
def test_others_have_one(question: str) -> None:
    assert not has_no_span(question)
