"""`crag training reader`: from questions with texts, pages or passages to an encoder that reads."""

import json
from pathlib import Path

import pytest

from models.reading.windows import windows_of
from models.records import Passage
from models.web.page import PageText
from tests.evaluation.run_files import write_rows
from training.reading.examples import invented_lookups, of_pages, of_retrieved, of_texts, spans_of
from training.reading.questions import read_questions, read_texts
from utils.errors import InputError

TEXTS = [
    {
        "id": "1",
        "query": "who directed lantern bay",
        "answers": ["Ines Vidal", "Vidal"],
        "title": "Lantern Bay",
        "text": "Lantern Bay is a film by Ines Vidal. Vidal wrote it, too.",
    },
    {
        "id": "2",
        "query": "who directed cinder lake",
        "answers": ["Otto Brandt"],
        "title": "Cinder Lake",
        "text": "Cinder Lake is a film that Otto Brandt directed.",
    },
    {
        "id": "3",
        "query": "how many rooms does the hotel of ashham have",
        "answers": ["88"],
        "text": "The hotel of Ashham has 88 rooms and no lake.",
    },
]
TABLE = """<title>Harbour Cup</title><table><tr><th>Year</th><th>Winner</th></tr>
<tr><td>2018</td><td>Ann Lee</td></tr><tr><td>2019</td><td>Bo Ek</td></tr>
<tr><td>2020</td><td>Cy Fourth</td></tr></table>"""


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "texts.jsonl", TEXTS)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "cup.html").write_text(TABLE, encoding="utf-8")
    pages = [{"page_name": "Harbour Cup", "page_file": "cup.html"}]
    rows = [
        {"query": "who won the harbour cup in 2019?", "answer": "Bo Ek"},
        {"query": "who was the first winner of the harbour cup?", "answer": "Ann Lee"},
    ]
    more = {"gold_page": "cup.html", "search_results": pages}
    asked = [{**row, **more, "interaction_id": str(i)} for i, row in enumerate(rows)]
    return write_rows(tmp_path / "pages.jsonl", asked)


def test_a_question_learns_its_own_text_and_to_abstain_from_near_ones(texts: Path) -> None:
    examples = [each for each in of_texts(read_texts(texts)) if each.id == "1"]
    own, nearest, other = examples
    assert [own.text[start:end] for start, end in own.spans] == ["Ines Vidal", "Vidal", "Vidal"]
    assert "Cinder Lake" in nearest.text
    assert not nearest.spans and not other.spans


def test_a_question_is_asked_with_near_texts(texts: Path) -> None:
    for question in read_questions(texts):
        assert len(question.passages) == len(TEXTS)
        first = question.passages[0]
        assert question.golds[0] in first.text


def test_rows_of_tables_teach_lookups_and_no_first_ones(pages: Path) -> None:
    examples = list(of_pages(read_questions(pages, gold_only=True)))
    right = [example for example in examples if example.spans]
    assert [(each.id, each.text) for each in right] == [
        ("0", "Harbour Cup. Year: 2019; Winner: Bo Ek")
    ]
    assert all(each.is_row for each in right)
    assert {"0", "1"} == {example.id for example in examples if not example.spans}


def test_lookups_are_invented_from_tables(pages: Path) -> None:
    examples = list(invented_lookups(pages, lambda _: True))
    right = [example for example in examples if example.spans]
    assert right
    for example in right:
        ((start, end),) = example.spans
        answer = example.text[start:end]
        assert answer in ("2018", "2019", "2020", "Ann Lee", "Bo Ek", "Cy Fourth")
        assert answer.lower() not in example.question
    assert not list(invented_lookups(pages, lambda _: False))


def test_a_retrieved_passage_without_the_words_of_the_answer_has_none(tmp_path: Path) -> None:
    passages = [{"text": "Lantern Bay\n:\nA film by Ines Vidal."}, {"text": "A film.\n"}]
    rows = [
        {"query": "who directed lantern bay?", "answer": "Ines Vidal", "passages": passages},
        {"query": "who sang in it?", "answer": "invalid question", "passages": passages},
        {"query": "was it shown?", "answer": "yes", "passages": passages},
    ]
    asked = [{**row, "interaction_id": str(i)} for i, row in enumerate(rows)]
    examples = list(of_retrieved(read_questions(write_rows(tmp_path / "file.jsonl", asked))))
    assert [(each.id, bool(each.spans)) for each in examples] == [
        ("0", True),
        ("0", False),
        ("1", False),
        ("1", False),
    ]


@pytest.mark.parametrize(
    ("answers", "text", "found"),
    [
        (["88"], "It has 88 rooms, 188 windows and 88.", ["88", "88"]),
        (["ines vidal"], "By Ines Vidal.", ["Ines Vidal"]),
        (["the film"], "Lantern Bay", []),
        (["Bo Ek"], "| Year | Winner |\n| --- | --- |\n| 2019 | Bo Ek |", ["Bo Ek"]),
        (["Bo"], "| Year | Winner |\n| --- | --- |\n| 2019 | Bo Ek |", []),
    ],
)
def test_answers_are_whole_words_or_whole_cells(
    answers: list[str], text: str, found: list[str]
) -> None:
    of_text, rows = windows_of([Passage(text, 0, 0, 0)], {0: PageText("The film", "")})
    (window,) = [*of_text, *rows]
    assert [window.text[start:end] for start, end in spans_of(answers, window)] == found


@pytest.mark.parametrize("row", [{"passages": []}, {"text": "no query", "answers": ["a"]}])
def test_a_row_that_is_no_question_is_named(tmp_path: Path, row: dict[str, object]) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 1"):
        list(read_questions(file))
