"""Spans are copied out of text that covers the question, and only when all of it agrees."""

import json
from pathlib import Path

import pytest

from models.records import Page, Passage, Question, Source, Task
from models.subtasks.answer_web import SpanAnswerer
from models.web.page import PageText
from models.web.retriever import Retriever
from utils.deadline import Deadline

CASES = json.loads((Path(__file__).parent / "web_cases.json").read_text(encoding="utf-8"))
SOON = Deadline(10.0, lambda: 0.0)


@pytest.mark.parametrize(("text", "pages", "answer"), CASES)
def test_a_question_over_pages(text: str, pages: list[list[str]], answer: str | None) -> None:
    found = tuple(
        Page(title, "", "", f"<title>{title}</title><p>" + body.replace("\n", "</p><p>"))
        for title, body in pages
    )
    question = Question("q", text, None, Task.WEB, found)
    retrieved = Retriever().retrieve(question, SOON)
    given = SpanAnswerer().answer(question, retrieved.passages, retrieved.texts)
    assert (given.text if given.known else None) == answer
    if given.known:
        assert given.source is Source.WEB
        assert given.text in given.grounds


def test_passages_with_scores_below_zero_are_read_too() -> None:
    asked = Question("q", "when was the north lighthouse built?", None, Task.WEB)
    passages = [
        Passage("It rains.", 0, 0, 9, -1.0),
        Passage("The north lighthouse was built in 1881.", 0, 10, 49, -8.0),
    ]
    assert SpanAnswerer().answer(asked, passages, {0: PageText("", "")}).text == "1881"
