"""The offline reader copies a value that passages state, and abstains elsewhere."""

import time

import pytest

from models.ranking.log_linear import LogLinearModel
from models.records import Passage, Question, Source, Task
from models.subtasks.answer_web import ExtractiveReader
from models.web.page import PageText

HOTEL = (
    ("Grand Hotel", "The Grand Hotel in Easton offers 212 rooms. It was opened on 4 May 1907."),
    ("Hotels of Easton", "Easton's Grand Hotel, with its 212 rooms, opened on May 4, 1907."),
    ("Inns", "An inn of Easton has 12 rooms."),
)
TOWER = "Height: 41 m\nArchitect: Ann Other\nLocation: north pier (Northport)\nIt is white."
LIGHTHOUSE = (("Northport lighthouse", TOWER), ("Coast", "It rains on the coast."))
MEDALS = (
    ("Medals", "Ann Other won 7 medals. Ann Other won medals at sea. Ann Other has most medals."),
    ("Sea", "Ann Other has won more medals than others. Bo Third won a medal."),
    ("Games", "At the games Ann Other won medals."),
)
CUPS = "| Year | Winner |\n| --- | --- |\n| 2018 | Ann Lee |\n| 2019 | Bo Ek |"
TABLE = (("Harbour Cup", CUPS),)


def reader_answer(
    text: str, *pages: tuple[str, str], reader: ExtractiveReader | None = None
) -> str | None:
    """The reader's answer from pages (title, body), each of them one passage; None: it abstains."""
    texts = {i: PageText(title, body) for i, (title, body) in enumerate(pages)}
    passages = [Passage(page.text, i, 0, len(page.text), -i - 1.0) for i, page in texts.items()]
    question = Question("q", text, None, Task.WEB)
    if reader is None:
        reader = ExtractiveReader()
    answer = reader.answer(question, passages, texts)
    assert (answer.source is Source.WEB) is answer.known
    return answer.text if answer.known else None


@pytest.mark.parametrize(
    ("question", "pages", "answer"),
    [
        ("how many rooms does the grand hotel in easton have?", HOTEL, "212"),
        ("when was the grand hotel in easton opened?", HOTEL, "May 4, 1907"),
        ("how tall is the northport lighthouse?", LIGHTHOUSE, "41 m"),
        ("who was the architect of the northport lighthouse?", LIGHTHOUSE, "Ann Other"),
        ("who has won more medals, ann other or bo third?", MEDALS, "ann other"),
    ],
)
def test_a_stated_value_is_the_answer(
    question: str, pages: tuple[tuple[str, str], ...], answer: str
) -> None:
    assert reader_answer(question, *pages) == answer


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("how many rooms does the royal palace of westland have?", HOTEL),
        ("when will the grand hotel in southland close?", HOTEL),
        ("why was the northport lighthouse built?", LIGHTHOUSE),
        ("how heavy is the northport lighthouse?", LIGHTHOUSE),
        ("who has won more medals, cy fourth or di fifth?", MEDALS),
        ("who sang at the harbour cup in 2030?", TABLE),
        (
            "when did ann other of easton die?",
            (("Ann Other", "Ann Other of Easton did not die in 1990."),),
        ),
        ("how many rooms does the grand hotel have?", ()),
    ],
)
def test_the_reader_abstains(question: str, pages: tuple[tuple[str, str], ...]) -> None:
    assert reader_answer(question, *pages) is None


@pytest.mark.parametrize(
    ("question", "allowed"),
    [
        ("how many rooms does the grand hotel in easton have?", {"212", "12"}),
        ("when was the grand hotel in easton opened?", {"4 May 1907", "May 4, 1907"}),
        ("who won the harbour cup in 2019?", {"Bo Ek", "Ann Lee"}),
        ("where does the northport lighthouse stand?", {"north pier"}),
    ],
)
def test_an_answer_has_the_type_that_the_question_wants(question: str, allowed: set[str]) -> None:
    """For any weights: the threshold is 0."""
    eager = ExtractiveReader(LogLinearModel({"log agree": 1.0}, {}, 0.0))
    assert reader_answer(question, *HOTEL, *LIGHTHOUSE, *TABLE, reader=eager) in allowed


HOSTILE = {
    "long": "The tower of Easton is " + "1,1" * 40_000,
    "words": " ".join(f"Tower{n}" for n in range(20_000)),
    "capitals": "A. " * 40_000,
    "name": "Easton of the " * 10_000,
    "cells": ("| easton tower " * 4_000 + "|\n") * 3,
    "rows": "| a | b |\n| --- | --- |\n" + "| easton | tower 1 |\n" * 10_000,
    "labels": "tower of easton: 12 m\n" * 10_000,
    "blanks": "tower easton" + " " * 100_000 + "12 m",
    "numbers": "tower " + "12 m 3 " * 20_000,
    "odd": "\x00\ud7ff\u202e{{7*7}}__import__('os')" * 4_000,
}


HOSTILE_QUESTIONS = ("is " + "a or " * 20_000, "who " * 20_000, "which, " * 5_000 + "more or less")


@pytest.mark.clock
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_and_questions_are_read_quickly(text: str) -> None:
    start = time.perf_counter()
    for question in ("how tall is the tower of easton?", "who built the tower of easton?"):
        reader_answer(question, *[(text[:5_000], text)] * 20)
    for question in HOSTILE_QUESTIONS:
        reader_answer(question, *HOTEL)
    assert time.perf_counter() - start < 10
