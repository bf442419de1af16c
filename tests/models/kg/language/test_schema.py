"""What the schema rules out, and how prompts and docs present it."""

from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from models.kg.language.check import check
from models.kg.language.parse import parse
from models.kg.lexicon.named_functions import functions
from models.kg.schema.prompt_text import schema_table, schema_text
from models.records import Domain
from tests.models.kg.cases import cases


@pytest.mark.parametrize("case", cases(Path(__file__).parent / "cases" / "schema.jsonl"))
def test_violations_of_the_schema_are_reported(case: dict[str, Any]) -> None:
    errors = chain.from_iterable(check(parse(case["text"], strict=True).program))
    assert list(map(str, errors)) == case["complaints"]


def test_a_prompt_lists_all_functions_and_keys_with_its_domain_first() -> None:
    text = schema_text()
    for row in functions().rows:
        assert f"{row.name}(" in text
        for key in row.keys:
            assert key.hidden or f'"{key.name}"' in text
    assert '"movie_id"' not in text
    assert schema_text(Domain.FINANCE).startswith("get_stock_price(name, t1: date?, t2: date?)[")
    assert "\n  person: " in schema_text(Domain.OPEN)


def test_the_table_of_the_docs_is_generated_from_the_schema() -> None:
    page = Path(__file__).resolve().parents[4] / "docs" / "kg_reference.md"
    assert schema_table() in page.read_text(encoding="utf-8")
