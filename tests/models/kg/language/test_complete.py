"""Nothing in the language is without a case: rules, words, names, repairs and errors."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from models.kg.language.ast import Reduce
from models.kg.language.errors import Problem, Repair
from models.kg.language.functions import functions
from models.kg.language.parser import MAX_LENGTH, MAX_NESTING, parse
from models.kg.language.printer import quoted, to_text

CASES = Path(__file__).parent / "cases"
# What a line of a file cannot show: the text would be too long.
SHOWN_HERE = {Problem.LONG, Problem.DEEP}


def cases(*names: str) -> Iterator[dict[str, Any]]:
    for name in names:
        lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        yield from map(json.loads, lines)


def test_every_key_is_read_by_all_its_names_and_printed_by_its_own() -> None:
    for row in functions().rows:
        for key in row.keys:
            for name in (key.name, *key.aliases):
                parsed = parse(f'{row.name}("x")["{name}"]', strict=True)
                assert to_text(parsed.program).endswith(f'["{key.name}"]'), (row.name, name)


def fits(template: str, sentence: str) -> bool:
    return re.fullmatch(re.escape(template).replace(r"\{\}", ".*"), sentence) is not None


@pytest.mark.parametrize("repair", Repair)
def test_every_repair_has_a_case(repair: Repair) -> None:
    told = {sentence for case in cases("repairs") for sentence in case["repairs"]}
    assert any(fits(repair, sentence) for sentence in told)


def sentences(problem: StrEnum) -> bool:
    told = {case["message"].split("; expected")[0] for case in cases("errors")}
    return any(fits(problem, sentence) for sentence in told)


@pytest.mark.parametrize("problem", sorted(set(Problem) - SHOWN_HERE))
def test_every_error_has_a_case(problem: Problem) -> None:
    assert sentences(problem)


def test_a_text_that_is_too_long_or_too_deep_is_refused() -> None:
    for text, problem in (
        (" " * (MAX_LENGTH + 1), Problem.LONG.format(MAX_LENGTH)),
        ("get_movie(" * (MAX_NESTING + 1), Problem.DEEP),
    ):
        with pytest.raises(Exception, match=re.escape(problem)):
            parse(text)


def test_brackets_within_a_text_are_not_nested() -> None:
    text = f"get_movie({quoted('(' * 2 * MAX_NESTING)})"
    assert to_text(parse(text, strict=True).program) == text


def test_every_synonym_is_understood_and_every_name_has_one_meaning() -> None:
    table = functions()
    for row in table.rows:
        assert {table.guess(synonym) for synonym in row.synonyms} <= {row.name}
        keys = table.keys_of(row.name)
        for key in row.keys:
            assert {keys.guess(synonym) for synonym in key.synonyms} <= {key.name}
        names = [name for key in row.keys for name in (key.name, *key.aliases)]
        assert len({*names, *Reduce}) == len(names) + len(Reduce), row.name
