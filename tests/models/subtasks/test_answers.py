"""The answer in a model's text."""

import pytest

from models.llm.protocol import Completion, FinishReason
from models.records import IDK, INVALID, Answer, Source
from models.subtasks.answers import answer_of, read_answer

ANSWERS = {
    "Paris": "Paris",
    "Answer: Paris\nbecause it is.": "Paris",
    '\n"Paris"\n': "Paris",
    "Final answer: 41 m": "41 m",
    "None.": "None.",
    "Don't Say a Word": "Don't Say a Word",
    "Don't Know Why by Norah Jones": "Don't Know Why by Norah Jones",
    "Can't Find My Way Home": "Can't Find My Way Home",
    "Not Available": "Not Available",
    "I Don't Want to Miss a Thing": "I Don't Want to Miss a Thing",
    "No, it is not available on Netflix.": "No, it is not available on Netflix.",
    "It was not given an Oscar": "It was not given an Oscar",
    "The game isn't available in Japan": "The game isn't available in Japan",
}
UNKNOWN = [
    "",
    "  \n ",
    "I don't know",
    "i don\u2019t know.",
    "I do not know the answer.",
    "Unknown",
    "I'm not sure, but maybe Paris",
    "There is no information on it.",
    "It is not mentioned.",
    "n/a",
    "I don't have access to real-time data.",
    "Unfortunately, I was unable to find her date of birth.",
    "The director is not mentioned in the given context.",
    "The requested information isn't available.",
    "It is not explicitly stated in the references.",
]


@pytest.mark.parametrize(("text", "answer"), ANSWERS.items())
def test_an_answer_is_the_first_line_without_label_and_quotes(text: str, answer: str) -> None:
    truncated = Completion(text, FinishReason.LENGTH, 9)
    assert answer_of(truncated, Source.WEB) == Answer(answer, Source.WEB)


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_text_that_does_not_know_is_no_answer(text: str) -> None:
    assert read_answer(text, Source.KG) == Answer(IDK, Source.NONE)


@pytest.mark.parametrize("text", ["invalid question.", "The question is invalid: no."])
def test_an_invalid_question_is_recognised(text: str) -> None:
    assert read_answer(text, Source.KG).text == INVALID
