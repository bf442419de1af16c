"""The query prompt teaches only what its constraint accepts, and its examples give their answers.

`rule_forms.jsonl` has a program for each form that a rule of the prompt names.
"""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg import run
from models.kg.language.check import check
from models.kg.language.grammar import Bounds, constraint_text
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.lexicon.named_functions import functions
from models.kg.schema.prompt_text import schema_text
from models.llm.constraints import accepts
from models.llm.protocol import Constraint, ConstraintKind
from models.prompts import load_prompt
from models.subtasks.kg_text.query_prompt import FILE
from tests.models.kg.cases import SOON

ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
FORMS_FILE = Path(__file__).with_name("rule_forms.jsonl")
FORMS = [json.loads(line) for line in FORMS_FILE.read_text(encoding="utf-8").splitlines()]
GRAMMAR = Constraint(ConstraintKind.GRAMMAR, constraint_text())


@pytest.mark.parametrize("row", ROWS, ids=[row["question"] for row in ROWS])
def test_each_example_gives_its_answer(row: dict[str, Any], example_kg: LocalClient) -> None:
    program = parse(row["program"], strict=True).program
    assert not any(check(program))
    now = datetime.fromisoformat(row.get("now", "2024-03-15T16:00:00"))
    result = run(program, example_kg, now, SOON)
    values = [
        [value for value in outcome.values if not isinstance(value, dict)]
        for outcome in result.outcomes
    ]
    assert values == row["answer"]
    assert bool(result.known) is (row["program"] != "None")


@pytest.mark.parametrize("text", [row["program"] for row in (*ROWS, *FORMS)])
def test_the_constraint_accepts_each_example_and_each_form_of_a_rule(text: str) -> None:
    program = parse(text, strict=True).program
    assert not any(check(program))
    assert to_text(program) == text  # as the printer writes it, which the constraint is made of
    assert accepts(GRAMMAR, text)


def test_each_form_that_the_prompt_names_has_a_program_with_it() -> None:
    _, prompt = load_prompt("db3/write_query").turns[1]
    named = re.findall(r"`(.+?)`", prompt)
    assert {row["form"] for row in FORMS} == set(named)
    for row in FORMS:
        assert row["form"] == "?" or row["form"] in row["program"]


@pytest.mark.parametrize("name", functions().names)
def test_the_constraint_accepts_each_call_as_the_schema_of_the_prompt_shows_it(name: str) -> None:
    """The arguments without `?` alone, then one more at a time; and each key that is listed."""
    shown = re.search(rf"\b{name}\((.*?)\).*", schema_text())
    assert shown is not None
    parameters = shown[1].split(", ") if shown[1] else []
    required = sum(not parameter.endswith("?") for parameter in parameters)
    calls = []
    for count in range(required, len(parameters) + 1):
        calls.append(f"{name}({', '.join(['None'] * count)})")
    keys = re.findall(r'"(\w+)"', shown[0].partition("[")[2].rpartition("]")[0])
    texts = [*calls, *(f'{calls[-1]}["{key}"]' for key in keys)]
    for first in range(0, len(texts), Bounds().statements):
        assert accepts(GRAMMAR, "; ".join(texts[first : first + Bounds().statements]))
