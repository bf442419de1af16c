"""Programs, repairs and errors, as data: a new case is one line of a file in `cases/`."""

from pathlib import Path
from typing import Any

import pytest

from models.kg.language.ast import InvalidStatement
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parse import MAX_LENGTH, parse
from models.kg.language.printer import to_text
from models.kg.language.tokens import MAX_NESTING
from models.kg.lexicon.named_functions import functions
from models.kg.schema.operations import Reduce
from tests.models.kg.cases import cases

CASES = Path(__file__).parent / "cases"


@pytest.mark.parametrize("case", cases(CASES / "programs.jsonl"))
def test_a_program_is_parsed_and_printed(case: dict[str, Any]) -> None:
    parsed = parse(case["text"], strict=True)
    assert to_text(parsed.program) == case["printed"]
    assert parsed.repairs == ()
    assert parse(case["printed"], strict=True).program == parsed.program


@pytest.mark.parametrize("case", cases(CASES / "repairs.jsonl"))
def test_mistakes_of_models_are_repaired_and_reported(case: dict[str, Any]) -> None:
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


def test_a_statement_that_cannot_be_parsed_is_the_only_one_that_fails() -> None:
    program = parse('get_movie("a")["titel"] ; get_movie("b")["title"]').program
    invalid, valid = program.statements
    assert isinstance(invalid, InvalidStatement)
    assert "titel" in invalid.message
    assert not isinstance(valid, InvalidStatement)


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
        names: list[str] = []
        for key in row.keys:
            names += [key.name, *key.aliases]
        assert len({*names, *Reduce}) == len(names) + len(Reduce), row.name
