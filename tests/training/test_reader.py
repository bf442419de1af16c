"""`crag training reader`: from questions with passages, or with pages, to weights."""

import json
from pathlib import Path

import pytest

from models.ranking.log_linear import read_model
from models.records import Passage, Question, Task
from models.subtasks.answer_web import ExtractiveReader
from models.web.page import PageText
from training.__main__ import main
from training.reader import gather
from utils.errors import InputError

TOWNS = [
    *("Ashham", "Ashford", "Ashby", "Belham", "Belford", "Belby"),
    *("Corham", "Corford", "Corby", "Dunham", "Dunford", "Dunby"),
]


def row(number: int, town: str) -> dict[str, object]:
    hotel = f"Hotel of {town}\n:\nThe hotel of {town} has {100 + number} **guest\nrooms**."
    inn = f"Inns\n:\nThe inn near {town} opened in 19{number:02} with {7 + number} tables."
    return {
        "interaction_id": f"id{number}",
        "query": f"how many rooms does the hotel of {town.lower()} have?",
        "answer": str(100 + number),
        "alt_ans": [],
        "passages": [{"text": inn}, {"text": hotel}],
    }


def test_weights_are_fitted_and_used(tmp_path: Path) -> None:
    passages = tmp_path / "passages.jsonl"
    passages.write_text("\n".join(json.dumps(row(n, town)) for n, town in enumerate(TOWNS)))
    html = "<title>Tower of Easton</title><p>The tower of Easton is 41 m tall.</p>"
    question = {
        "query": "how tall is the tower of easton?",
        "answer": "41 m",
        "search_results": [{"page_result": html}],
    }
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(question))
    out = tmp_path / "weights.json"
    files = ["--data", str(passages), str(questions), "--out", str(out)]
    assert main(["reader", *files, "--repeats", "1"]) == 0
    text = out.read_text(encoding="utf-8")
    card = json.loads(text)["card"]
    assert card["questions"] == len(TOWNS) + 1
    for file in ("passages.jsonl", "questions.jsonl"):
        figures = card["cross_validation"][file]
        assert figures["some right"] == 1.0 and figures["wrong"] == 0.0
    assert not any(town.lower() in text.lower() for town in TOWNS)

    passage = "The hotel of Elmton has 88 rooms."
    answer = ExtractiveReader(read_model(out)).answer(
        Question("q", "how many rooms does the hotel of elmton have?", None, Task.WEB),
        [Passage(passage, 0, 0, len(passage), 1.0)],
        {0: PageText("Hotel of Elmton", "")},
    )
    assert answer.text == "88"


def test_a_row_that_is_no_question_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"passages": []}\n', encoding="utf-8")
    with pytest.raises(InputError, match="row 1"):
        list(gather(file))
