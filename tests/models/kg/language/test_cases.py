"""Programs, repairs and errors, as data: a new case is one line of a file in `cases/`."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.language.schema import check

CASES = Path(__file__).parent / "cases"


def cases(name: str) -> list[Any]:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["text"][:60]) for case in map(json.loads, lines)]


@pytest.mark.parametrize("case", cases("programs"))
def test_a_program_is_read_and_printed(case: dict[str, Any]) -> None:
    parsed = parse(case["text"], strict=True)
    assert to_text(parsed.program) == case["printed"]
    assert parsed.repairs == ()
    assert parse(case["printed"], strict=True).program == parsed.program


@pytest.mark.parametrize("case", cases("repairs"))
def test_what_a_model_gets_wrong_is_repaired_and_reported(case: dict[str, Any]) -> None:
    parsed = parse(case["text"])
    assert to_text(parsed.program) == case["printed"]
    assert list(parsed.repairs) == case["repairs"]


@pytest.mark.parametrize("case", cases("repairs"))
def test_strict_reading_repairs_nothing(case: dict[str, Any]) -> None:
    try:
        program = parse(case["text"], strict=True).program
    except QuerySyntaxError:
        return
    assert any(check(program))


@pytest.mark.parametrize("case", cases("errors"))
def test_an_error_says_what_is_wrong_and_where(case: dict[str, Any]) -> None:
    with pytest.raises(QuerySyntaxError) as raised:
        parse(case["text"], strict=case.get("strict", False))
    error = raised.value
    assert (error.line, error.column) == (case["line"], case["column"])
    assert str(error) == (
        f"line {error.line}, column {error.column}: {case['message']}\n{case['excerpt']}"
    )


def test_a_long_line_is_shown_around_the_place() -> None:
    text = f'get_movie("{"x" * 200}")["titel"]; get_movie("{"y" * 200}")["title"]'
    with pytest.raises(QuerySyntaxError) as raised:
        parse(text, strict=True)
    shown, caret = raised.value.excerpt.split("\n")
    assert shown.startswith("...xxx") and shown.endswith("yyy...")
    assert shown[caret.index("^") :].startswith('"titel"')
