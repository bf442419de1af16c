"""The examples are programs of the language, and the ones chosen ask as the question does."""

from pathlib import Path

import pytest

from models.kg.language.parser import parse
from models.kg.language.schema import check
from models.records import Domain
from models.subtasks.examples import Example, load_examples, most_alike
from utils.errors import SettingsError

EXAMPLES = load_examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.question)
def test_an_example_is_a_right_program(example: Example) -> None:
    program = parse(example.program, strict=True).program
    assert not any(check(program))


def test_each_domain_has_ten() -> None:
    for domain in Domain:
        assert sum(example.domain is domain for example in EXAMPLES) >= 10


def test_how_it_is_asked_counts_and_not_the_name() -> None:
    asked = "who directed the glass meadow?"  # the name stands in another example
    assert most_alike(asked, Domain.MOVIE, EXAMPLES, 1)[0].program.startswith(
        "ALL get_movie_person_crew"
    )


def test_the_likest_comes_last() -> None:
    asked = "which has the higher p/e ratio, aaa or bbb?"
    chosen = most_alike(asked, None, EXAMPLES, 4)
    assert len(chosen) == 4 and "get_stock_pe_ratio" in chosen[-1].program


def test_no_question_alike_still_gives_examples() -> None:
    assert len(most_alike("", Domain.OPEN, EXAMPLES, 3)) == 3


@pytest.mark.parametrize("text", ["{", '{"domain": "x", "question": "", "program": ""}', "{}"])
def test_a_broken_file_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "examples.jsonl"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"examples\.jsonl"):
        load_examples(file)
