"""The examples of the documents of the language and of docstrings run, and give what they say."""

import doctest
import re
from datetime import datetime
from importlib import import_module
from pathlib import Path

import pytest

from models.batch_input import PACIFIC
from models.kg import make_client
from models.kg import run as run_over_kg
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.grammar import constraint_text
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.llm.constraints import accepts
from models.llm.protocol import Constraint, ConstraintKind
from models.settings import EXAMPLE_KG
from tests.models.kg.execution.test_execute import run
from utils.deadline import Deadline

DOCS = Path(__file__).resolve().parents[3] / "docs"
TUTORIAL = re.findall(
    r"^(.+)\n((?:> .+\n)+)", (DOCS / "kg_language.md").read_text(encoding="utf-8"), re.M
)
TUTORIAL_TIME = datetime(2024, 3, 10, 16, tzinfo=PACIFIC)  # as the page says
TEXT = (DOCS / "kg_reference.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^(.+)\n> (.+)$", TEXT, re.M)
MODULES_WITH_EXAMPLES = (
    "models.kg.execution.arithmetic",
    "models.kg.execution.decimals",
    "models.kg.execution.fetch.infobox",
    "models.kg.execution.known_facts",
    "models.kg.execution.row_operations",
    "models.kg.language.parse",
    "models.kg.language.printer",
    "models.kg.run",
    "models.kg.wording.value_text",
    "models.llm.adapters",
    "submission.image_files",
    "utils.plain_question",
)


@pytest.mark.first_week
@pytest.mark.parametrize(("program", "answer"), TUTORIAL)
def test_a_line_of_the_tutorial_gives_what_the_page_says(program: str, answer: str) -> None:
    assert to_text(parse(program, strict=True).program) == program
    result = run_over_kg(program, make_client(EXAMPLE_KG), TUTORIAL_TIME, Deadline.after(10))
    assert not result.errors
    assert " ".join(result.sentences) == answer.replace("\n> ", " ").removeprefix("> ").strip()


@pytest.mark.parametrize(("program", "result"), EXAMPLES)
def test_an_example_gives_what_the_page_says(program: str, result: str) -> None:
    assert not parse(program, strict=True).repairs
    outcome = run(program)[-1]
    if outcome.errors:
        assert [f"error: {error}" for error in outcome.errors][0] == result
    else:
        assert (", ".join(map(str, outcome.values)) or "nothing") == result


@pytest.mark.parametrize("text", [program for program, result in EXAMPLES])
def test_an_example_is_as_the_printer_writes_it_and_the_constraint_accepts_it(text: str) -> None:
    assert to_text(parse(text, strict=True).program) == text
    assert accepts(Constraint(ConstraintKind.GRAMMAR, constraint_text()), text)


def test_the_example_of_an_error_is_what_a_reader_sees() -> None:
    (error,) = re.findall(r"```\nerror: (.+?)\n```", TEXT, re.S)
    with pytest.raises(QuerySyntaxError) as raised:
        parse('get_movi("x")["y"]')
    assert str(raised.value) == error


@pytest.mark.parametrize("name", MODULES_WITH_EXAMPLES)
def test_the_examples_of_docstrings_run(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
