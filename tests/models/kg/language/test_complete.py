"""Nothing in the language is without a case: rules, words, names, repairs and errors."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from lark import Lark

from models.kg.language.ast import Reduce
from models.kg.language.errors import Problem, Repair
from models.kg.language.functions import Function, Functions, functions
from models.kg.language.grammar import grammar_text
from models.kg.language.parser import MAX_LENGTH, MAX_NESTING, TERMINALS, parse
from models.kg.language.printer import quoted, to_text
from models.kg.language.words import OPERATOR_SYNONYMS

CASES = Path(__file__).parent / "cases"
# What a line of a file cannot show: the text would be too long.
SHOWN_HERE = {Problem.LONG, Problem.DEEP}


def cases(*names: str) -> Iterator[dict[str, Any]]:
    for name in names:
        lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        yield from map(json.loads, lines)


def test_every_terminal_has_plain_words() -> None:
    parser = Lark(grammar_text(), parser="lalr")
    terminals = {t.name for t in parser.terminals} - set(parser.ignore_tokens)
    assert terminals == TERMINALS.keys() - {"$END"}


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


@pytest.mark.parametrize("row", functions().rows, ids=lambda row: f"{row.domain}:{row.name}")
def test_every_synonym_is_understood(row: Function) -> None:
    table = functions()
    assert {table.guess(synonym) for synonym in row.synonyms} <= {row.name}
    keys = table.keys_of(row.name)
    wrong = {
        s: keys.guess(s) for key in row.keys for s in key.synonyms if keys.guess(s) != key.name
    }
    assert not wrong


@pytest.mark.parametrize("row", functions().rows, ids=lambda row: f"{row.domain}:{row.name}")
def test_a_name_has_one_meaning(row: Function) -> None:
    names = [name for key in row.keys for name in (key.name, *key.aliases)]
    assert len(set(names)) == len(names)
    assert not set(names) & {*Reduce}


def test_rows_of_one_name_take_the_same() -> None:
    table = functions()
    for name in table.names:
        rows = table.rows_of(name)
        shapes = {(tuple(p.type for p in row.parameters), row.any_key) for row in rows}
        assert len(shapes) == 1
        keys = [key.name for row in rows for key in row.keys if not key.hidden]
        assert len(set(keys)) == len(keys)


def test_the_key_tells_the_domain_of_a_function_that_serves_two() -> None:
    table: Functions = functions()
    for key, domains in (
        ("birthday", ["movie", "music"]),
        ("birth_date", ["music", "movie"]),
        ("birth_place", ["music"]),
        ("?", ["movie", "music"]),
    ):
        assert [row.domain for row in table.rows_with("get_person", [key])] == domains


def test_every_operator_synonym_is_understood() -> None:
    for synonym, op in OPERATOR_SYNONYMS.items():
        text = (
            f"get_movie(None, {synonym}(year, 2012))"
            if synonym.isidentifier()
            else f"get_movie(None, year {synonym} 2012)"
        )
        assert to_text(parse(text).program) == f"get_movie(None, {op}(year, 2012))"
