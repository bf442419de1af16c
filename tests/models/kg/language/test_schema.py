"""What the schema rules out, and how it is told to a model."""

from pathlib import Path
from typing import Any

import pytest

from models.kg.language.check import check
from models.kg.language.parser import parse
from models.kg.lexicon.named_functions import functions
from models.kg.schema.prompt_text import schema_table, schema_text
from models.records import Domain
from tests.models.kg.cases import cases


@pytest.mark.parametrize("case", cases(Path(__file__).parent / "cases" / "schema.jsonl"))
def test_what_the_schema_rules_out_is_told(case: dict[str, Any]) -> None:
    found = check(parse(case["text"], strict=True).program)
    assert [str(error) for errors in found for error in errors] == case["complaints"]


def test_a_prompt_lists_every_function_and_key_that_is_not_hidden_its_own_domain_first() -> None:
    text = schema_text()
    for row in functions().rows:
        shown = [f'"{key.name}"' in text for key in row.keys if not key.hidden]
        assert all(shown) and f"{row.name}(" in text
    assert '"movie_id"' not in text
    assert schema_text(Domain.FINANCE).startswith("get_stock_price(name, t1: date?, t2: date?)[")
    assert "\n  person: " in schema_text(Domain.OPEN)


def test_the_table_of_the_docs_is_made_from_the_schema() -> None:
    page = Path(__file__).resolve().parents[4] / "docs" / "kg_language.md"
    assert schema_table() in page.read_text(encoding="utf-8")
