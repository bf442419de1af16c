"""The reader of pages copies what passages and tables state, and abstains elsewhere."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from models.ranking.span_encoder import SpanEncoder
from models.records import Passage, Question, Source, Task
from models.subtasks.answer_web import ExtractiveReader, WebChoice, shipped_weights
from models.web.page import PageText
from tests.models.kg.cases import SOON
from utils.deadline import Deadline
from utils.model_files import WeightsError

HOTEL = (
    (
        "Grand Hotel",
        "The Grand Hotel in Easton offers 212 rooms. It was opened by Ann Other on 4 May 1907.",
    ),
    ("Hotels of Easton", "Easton's Grand Hotel, with its 212 rooms, opened on May 4, 1907."),
    ("Inns", "An inn of Easton has 12 rooms."),
)
LIGHTHOUSE = (
    ("Northport lighthouse", "The lighthouse of Northport, 41 m tall, was built by Cy Fourth."),
    ("Coast", "It rains on the coast."),
)
CUPS = (
    "| Year | Winner | Venue |\n| --- | --- | --- |\n"
    "| 2018 | Ann Lee | Easton |\n| 2019 | Bo Ek | Northport |\n| 2020 | Di Fifth | Easton |"
)
TABLE = (("Harbour Cup", CUPS),)


def reader_answer(text: str, *pages: tuple[str, str]) -> str | None:
    """The reader's answer from pages (title, body), each of them one passage; None: it abstains."""
    texts = {i: PageText(title, body) for i, (title, body) in enumerate(pages)}
    passages = [Passage(page.text, i, 0, len(page.text), -i - 1.0) for i, page in texts.items()]
    question = Question("q", text, None, Task.WEB)
    reader = ExtractiveReader()
    answer = reader.answer_of(reader.choice(question, passages, texts, Deadline.after(60)))
    assert (answer.source is Source.WEB) is answer.known
    return answer.text if answer.known else None


def best_of(text: str, *pages: tuple[str, str]) -> WebChoice:
    """The likeliest answer from pages (title, body), whatever its probability."""
    texts = {i: PageText(title, body) for i, (title, body) in enumerate(pages)}
    passages = [Passage(page.text, i, 0, len(page.text), -i - 1.0) for i, page in texts.items()]
    question = Question("q", text, None, Task.WEB)
    best = ExtractiveReader().choice(question, passages, texts, SOON)
    assert best is not None
    return best


@pytest.mark.parametrize(
    ("question", "pages", "answers"),
    [
        ("how many rooms does the grand hotel in easton have?", HOTEL, {"212", "212 rooms"}),
        ("when was the grand hotel in easton opened?", HOTEL, {"4 May 1907", "May 4, 1907"}),
        ("who opened the grand hotel in easton?", HOTEL, {"Ann Other"}),
        ("how tall is the northport lighthouse?", LIGHTHOUSE, {"41 m", "41 m tall"}),
        ("who built the northport lighthouse?", LIGHTHOUSE, {"Cy Fourth"}),
        ("who was the winner of the harbour cup in 2019?", TABLE, {"Bo Ek"}),
        ("what was the venue of the harbour cup in 2020?", TABLE, {"Easton"}),
    ],
)
def test_the_likeliest_span_is_what_is_asked_for(
    question: str, pages: tuple[tuple[str, str], ...], answers: set[str]
) -> None:
    assert best_of(question, *pages).choice.answer in answers


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("how many rooms does the royal palace of westland have?", HOTEL),
        ("when will the grand hotel in southland close?", HOTEL),
        ("why was the northport lighthouse built?", LIGHTHOUSE),
        ("how heavy is the northport lighthouse?", LIGHTHOUSE),
        ("is the northport lighthouse tall?", LIGHTHOUSE),
        ("who has won more medals, cy fourth or di fifth?", LIGHTHOUSE),
        ("who sang at the harbour cup in 2030?", TABLE),
        ("how do you reach the northport lighthouse?", LIGHTHOUSE),
        ("how many rooms does the grand hotel have?", ()),
        ("how many rooms does the grand hotel have?", (("Grand Hotel", ""),)),
    ],
)
def test_the_reader_abstains(question: str, pages: tuple[tuple[str, str], ...]) -> None:
    assert reader_answer(question, *pages) is None


def test_without_time_nothing_is_read() -> None:
    question = Question("q", "how many rooms does the grand hotel have?", None, Task.WEB)
    passages = [Passage(HOTEL[0][1], 0, 0, 10)]
    texts = {0: PageText(*HOTEL[0])}
    reader = ExtractiveReader()
    best = reader.choice(question, passages, texts, Deadline.after(-1))
    assert best is None
    assert not reader.answer_of(best).known
    assert "no candidate" in reader.step(best, 0.0, {}).inputs["refused"]


def test_a_step_says_where_the_answer_stands() -> None:
    best = best_of("who built the northport lighthouse?", *LIGHTHOUSE)
    reader = ExtractiveReader(model=replace(shipped_weights(), threshold=0.0))
    step = reader.step(best, 0.5, {"pages": 2.0})
    assert step.output == "Cy Fourth"
    assert "built by «Cy Fourth»" in step.inputs["found in"]
    assert step.confidence.keys() == {"pages", "probability"}


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=re.escape("reader.onnx")):
        SpanEncoder(tmp_path)


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
    assert time.perf_counter() - start < 20
