"""Questions about the example KG, read by the reader of their domain: what is answered.

Cases are data (`cases/DOMAIN.jsonl`): `question`, `answer` (null: "i don't know"), and `now` where
it is not the usual time.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from models.kg import run
from models.kg.english.names import Names
from models.kg.language.parser import parse
from models.kg.linking.question import Asked
from models.records import Answer, Domain, Question, Task
from models.subtasks.answer_kg import ComposedAnswer
from models.subtasks.write_query import READERS
from tests.models.example_kg import StoreClient
from utils.deadline import Deadline

HERE = Path(__file__).parent
NOW = "2024-02-28T08:25:51"
SOON = Deadline(10.0, lambda: 0.0)
CASES = [
    (path.stem, json.loads(line))
    for path in sorted((HERE / "cases").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("domain", "case"), CASES, ids=[f"{d}: {c['question']}" for d, c in CASES])
def test_case(domain: str, case: dict[str, Any], example_kg: StoreClient) -> None:
    now = datetime.fromisoformat(case.get("now", NOW))
    question = Question("q", case["question"], now, Task.KG_WEB)
    answer = Answer()
    for reading in READERS[Domain(domain)](Asked.of(question.text, now), Names(example_kg, SOON)):
        assert not parse(reading.program, strict=True).repairs
        result = run(reading.program, example_kg, now, SOON, whole_rows=True)
        answer = ComposedAnswer().answer(question, reading, result)
        if answer.known:
            break
    assert (answer.text if answer.known else None) == case["answer"]


def test_every_domain_has_cases() -> None:
    assert {domain for domain, _ in CASES} == {str(domain) for domain in Domain}
