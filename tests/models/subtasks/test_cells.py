"""A cell is copied where the question names its row and its column, and nothing else."""

import pytest

from models.records import Page, Question, Source, Task
from models.subtasks.answer_web import CarefulReader
from models.subtasks.reading.cells import CellReader
from models.web.retriever import Retriever
from utils.deadline import Deadline

TABLE = [
    ["Year", "Winner", "Boat", "Time"],
    ["2018", "Ann Lee", "Gannet", "3:10"],
    ["2019", "Bo Ek", "Petrel", "2:58"],
    ["2020", "Ann Lee", "Gannet II", "3:01"],
    ["2022", "TBD", "\u2014", "?"],
]
OTHER = [["Lighthouse", "Height", "Built in"], ["North Head", "41 m", "1881"]]


def html(title: str, *tables: list[list[str]]) -> str:
    body = ""
    for table in tables:
        head, *rows = table
        body += "<table><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"
        body += "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows
        )
        body += "</table>"
    return f"<title>{title}</title><p>Some words on the {title}.</p>{body}"


def ask(text: str, *pages: str) -> Question:
    found = tuple(Page("", "", "", page) for page in pages)
    return Question("q", text, None, Task.WEB, found)


def read(question: Question) -> str | None:
    found = Retriever().retrieve(question, Deadline(10.0, lambda: 0.0))
    answer = CellReader().answer(question, found.passages, found.texts)
    assert not answer.known or (answer.source is Source.WEB)
    return answer.text if answer.known else None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("who won the Harbour Cup in 2019?", "Bo Ek"),
        ("what was the time of Petrel at the Harbour Cup?", "2:58"),
        ("what was Bo Ek's boat in the Harbour Cup 2019?", "Petrel"),
        ("how tall is the North Head lighthouse?", "41 m"),
        ("when was the North Head lighthouse built?", "1881"),
        ("who built the North Head lighthouse?", None),
        # what is asked for is something else than the column holds
        ("how many winners did the Harbour Cup have in 2019?", None),
        ("what country won the Harbour Cup in 2019?", None),
        ("in what city was the boat of the 2019 Harbour Cup?", None),
        ("what date was the 2019 Harbour Cup won?", None),
        ("when was the winner of the Harbour Cup 2019?", None),
        ("where was the boat of the Harbour Cup 2019?", None),
        ("who won the Harbour Cup this year?", None),
        ("what was the boat of the Harbour Cup in 2022?", None),
        ("who was defeated by Ann Lee at the Harbour Cup?", None),
        # two rows fit, and say different things
        ("what was Ann Lee's time at the Harbour Cup?", None),
        # no such row, column, or cup; more is asked than the table says
        ("who won the Harbour Cup in 2021?", None),
        ("what was the weather at the Harbour Cup in 2019?", None),
        ("who won the River Cup in 2019?", None),
        ("who won the women's Harbour Cup in 2019?", None),
        ("what was the fastest time at the Harbour Cup?", None),
    ],
)
def test_a_question_over_tables(text: str, answer: str | None) -> None:
    pages = (html("Harbour Cup", TABLE), html("Lighthouses", OTHER))
    assert read(ask(text, *pages)) == answer


def test_tables_that_disagree_give_nothing() -> None:
    changed = [*TABLE[:2], ["2019", "Cy Orr", "Petrel", "2:58"]]
    question = "who won the Harbour Cup in 2019?"
    assert read(ask(question, html("Harbour Cup", TABLE), html("Harbour Cup!", changed))) is None


def test_a_caption_that_says_more_than_is_asked_is_another_race() -> None:
    page = html("Harbour Cup", TABLE).replace("<table>", "<table><caption>Junior race</caption>")
    assert read(ask("who won the Harbour Cup in 2019?", page)) is None
    assert read(ask("who won the junior race of the Harbour Cup in 2019?", page)) == "Bo Ek"


def test_a_column_of_deeds_does_not_say_who_did_it() -> None:
    fights = [["Winner", "Defeated", "Succeeded by"], ["Ann Lee", "Bo Ek", "Cy Orr"]]
    page = html("Boxing", fights)
    for text in ("who defeated Ann Lee in boxing?", "who did Ann Lee succeed in boxing?"):
        assert read(ask(text, page)) is None


def test_the_offline_reader_looks_into_tables() -> None:
    question = ask("who won the Harbour Cup in 2019?", html("Harbour Cup", TABLE))
    found = Retriever().retrieve(question, Deadline(10.0, lambda: 0.0))
    assert CarefulReader().answer(question, found.passages, found.texts).text == "Bo Ek"
