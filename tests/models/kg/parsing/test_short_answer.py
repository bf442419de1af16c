"""The short answers that programs give to questions whose parse is not known."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg import run
from models.kg.parsing.short_answer import short_answer
from tests.models.kg.cases import SOON, Answering, cases
from utils.errors import ApiUnavailable

NOW = datetime(2024, 3, 5, 16)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("short_answers.jsonl"), "question"))
def test_a_value_a_number_or_a_name_and_else_nothing(
    case: dict[str, Any], example_kg: LocalClient
) -> None:
    result = run(case["program"], example_kg, NOW, SOON)
    assert short_answer(case["question"], NOW, result) == case["answer"]


def test_no_answer_if_a_call_failed() -> None:
    client = Answering(lambda call: ApiUnavailable("down"))
    result = run('get_movie("titanic")["budget"]', client, NOW, SOON)
    assert short_answer("what was the budget of titanic?", NOW, result) is None
