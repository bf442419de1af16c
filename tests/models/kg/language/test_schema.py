"""What the schema rules out, and how it is told to a model."""

from pathlib import Path
from typing import Any

import pytest

from models.kg.language.functions import functions
from models.kg.language.parser import parse
from models.kg.language.schema import check, schema_table, schema_text
from models.records import Domain
from tests.models.kg.cases import cases


@pytest.mark.parametrize("case", cases(Path(__file__).parent / "cases" / "schema.jsonl"))
def test_what_the_schema_rules_out_is_told(case: dict[str, Any]) -> None:
    found = check(parse(case["text"], strict=True).program)
    assert [str(error) for errors in found for error in errors] == case["complaints"]


def test_a_prompt_lists_every_function_and_every_key_that_is_not_hidden() -> None:
    text = schema_text()
    for row in functions().rows:
        shown = [f'"{key.name}"' in text for key in row.keys if not key.hidden]
        assert all(shown) and f"{row.name}(" in text
    assert '"movie_id"' not in text


def test_a_prompt_lists_its_own_domain_first() -> None:
    prices = schema_text(Domain.FINANCE).splitlines()[0]
    assert prices.startswith("get_stock_price(name, t1: date?, t2: date?)[")
    assert '["date" date | "open" $' in prices
    open_domain = schema_text(Domain.OPEN).splitlines()
    assert open_domain[0] == 'get_open(name)["summary_text" | any other key]'
    assert any(line.startswith("  person: ") and "birth_date" in line for line in open_domain[1:9])


def test_the_table_of_the_docs_is_made_from_the_schema() -> None:
    page = Path(__file__).resolve().parents[4] / "docs" / "kg_language.md"
    assert schema_table() in page.read_text(encoding="utf-8")
