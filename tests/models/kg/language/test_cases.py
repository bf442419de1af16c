"""Programs, repairs and errors, as data: a new case is one line of a file in `cases/`."""

from pathlib import Path
from typing import Any

import pytest

from models.kg.language.ast import InvalidStatement
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import MAX_LENGTH, parse
from models.kg.language.printer import to_text
from models.kg.language.tokens import MAX_NESTING
from models.kg.lexicon.named_functions import functions
from models.kg.schema.operations import Reduce
from tests.models.kg.cases import cases

CASES = Path(__file__).parent / "cases"


@pytest.mark.parametrize("case", cases(CASES / "programs.jsonl"))
def test_a_program_is_read_and_printed(case: dict[str, Any]) -> None:
    parsed = parse(case["text"], strict=True)
    assert to_text(parsed.program) == case["printed"]
    assert parsed.repairs == ()
    assert parse(case["printed"], strict=True).program == parsed.program


@pytest.mark.parametrize("case", cases(CASES / "repairs.jsonl"))
def test_what_a_model_gets_wrong_is_repaired_and_reported(case: dict[str, Any]) -> None:
    parsed = parse(case["text"])
    assert to_text(parsed.program) == case["printed"]
    assert list(parsed.repairs) == case["repairs"]
    with pytest.raises(QuerySyntaxError, match="needs a repair: "):
        parse(case["text"], strict=True)


@pytest.mark.parametrize("case", cases(CASES / "errors.jsonl"))
def test_an_error_says_what_is_wrong_and_where(case: dict[str, Any]) -> None:
    with pytest.raises(QuerySyntaxError) as raised:
        parse(case["text"], strict=case.get("strict", False))
    assert str(raised.value) == case["error"]


def test_a_statement_that_cannot_be_read_costs_only_itself() -> None:
    wrong, right = parse('get_movie("a")["titel"] ; get_movie("b")["title"]').program.statements
    assert isinstance(wrong, InvalidStatement) and "titel" in wrong.message
    assert not isinstance(right, InvalidStatement)


def test_a_text_that_is_too_long_or_too_deep_is_refused() -> None:
    with pytest.raises(QuerySyntaxError, match=f"longer than {MAX_LENGTH}"):
        parse(" " * (MAX_LENGTH + 1))
    with pytest.raises(QuerySyntaxError, match="nested too deep"):
        parse("get_movie(" * (MAX_NESTING + 1))


def test_every_name_and_synonym_has_one_meaning() -> None:
    table = functions()
    for row in table.rows:
        assert {table.guess(synonym) for synonym in row.synonyms} <= {row.name}
        keys = table.keys_of(row.name)
        for key in row.keys:
            assert {keys.find(name) for name in (key.name, *key.aliases)} == {key.name}
            assert {keys.guess(synonym) for synonym in key.synonyms} <= {key.name}
        names = [name for key in row.keys for name in (key.name, *key.aliases)]
        assert len({*names, *Reduce}) == len(names) + len(Reduce), row.name
