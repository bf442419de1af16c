"""The examples of docs/kg_language.md run, and give what the page says."""

import re
from pathlib import Path

import pytest

from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import parse
from tests.models.kg.execution.test_execute import run

PAGE = Path(__file__).resolve().parents[3] / "docs" / "kg_language.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^(.+)\n> (.+)$", TEXT, re.M)


@pytest.mark.parametrize(("program", "result"), EXAMPLES)
def test_an_example(program: str, result: str) -> None:
    assert not parse(program, strict=True).repairs
    outcome = run(program)[-1]
    given = [f"error: {error}" for error in outcome.errors] or [", ".join(map(str, outcome.values))]
    assert (given[0] or "nothing") == result


def test_the_example_of_an_error() -> None:
    (shown,) = re.findall(r"```\nerror: (.+?)\n```", TEXT, re.S)
    with pytest.raises(QuerySyntaxError) as raised:
        parse('get_movi("x")["y"]')
    assert str(raised.value) == shown
