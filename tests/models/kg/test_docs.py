"""The examples of docs/kg_language.md run, and give what the page says."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from models.kg import run
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import parse
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError

PAGE = Path(__file__).resolve().parents[3] / "docs" / "kg_language.md"
KG = json.loads((Path(__file__).parent / "kg.json").read_text(encoding="utf-8"))
NOW = datetime(2024, 2, 28, 8, 0)
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^(.+)\n> (.+)$", TEXT, re.M)


class Client:
    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        first = [next(iter(call.params.values()), None) for call in calls]
        return [_known(c.endpoint, str(f)) for c, f in zip(calls, first, strict=True)]


def _known(endpoint: str, name: str) -> Any:
    return KG[endpoint].get(name, KG[endpoint].get(name.lower()))


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize(("program", "result"), EXAMPLES)
def test_an_example(program: str, result: str) -> None:
    parsed = parse(program, strict=True)
    outcome = run(parsed.program, Client(), NOW, Deadline(10.0, lambda: 0.0)).outcomes[-1]
    given = [f"error: {error}" for error in outcome.errors] or [", ".join(map(str, outcome.values))]
    assert (given[0] or "nothing") == result


def test_the_example_of_an_error() -> None:
    (shown,) = re.findall(r"```\nerror: (.+?)\n```", TEXT, re.S)
    with pytest.raises(QuerySyntaxError) as raised:
        parse('get_movi("x")["y"]')
    assert str(raised.value) == shown
