"""What the schema rules out, and how it is told to a model."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from models.kg.language.functions import functions
from models.kg.language.parser import parse
from models.kg.language.schema import Misuse, check, schema_text
from models.records import Domain

LINES = (Path(__file__).parent / "cases" / "schema.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:60] for case in CASES])
def test_what_the_schema_rules_out_is_told(case: dict[str, Any]) -> None:
    found = check(parse(case["text"], strict=True).program)
    assert [str(error) for errors in found for error in errors] == case["complaints"]


@pytest.mark.parametrize("misuse", Misuse)
def test_every_complaint_has_a_case(misuse: Misuse) -> None:
    pattern = re.escape(misuse).replace(r"\{\}", ".*")
    assert any(re.fullmatch(pattern, told) for case in CASES for told in case["complaints"])


def test_a_complaint_belongs_to_its_statement() -> None:
    program = parse('get_movie("a")["title"]; AVG get_movie("a")["title"]').program
    assert [len(errors) for errors in check(program)] == [0, 1]


def test_the_prompt_is_told_every_function_and_key() -> None:
    lines = schema_text().splitlines()
    assert len(lines) == len(functions().rows)
    for line, row in zip(lines, functions().rows, strict=True):
        assert line.startswith(f"{row.name}(")
        assert all(f'"{key.name}"' in line for key in row.keys)
        assert row.complete in line


def test_a_prompt_may_be_told_of_one_domain() -> None:
    assert schema_text(Domain.OPEN) == "get_open(name)[any key]"
    prices = schema_text(Domain.FINANCE).splitlines()[0]
    assert prices.startswith('get_stock_price(name, t1: date, t2: date?)["date" date | "open" $')
    assert schema_text(Domain.MUSIC).count("# complete: the Grammys") == 3
