"""KG facts in a bounded prompt are shortened; none of a few is dropped, and what is missing is
said."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg import run
from models.prompts import load_prompt
from models.records import Task
from models.runtime.case import Case
from models.runtime.rounds import written_prompt
from models.subtasks.kg_text import bounded as module
from models.subtasks.kg_text.bounded import KG_CHARS, bounded, shortened
from models.subtasks.kg_text.protocol import kg_pieces
from models.systems.db3 import Db3Options, reading_request
from tests.models.kg.cases import SOON
from tests.models.systems.scripted import ScriptedLLMs, question, saying
from utils.text import stems

FILE = Path(__file__).with_name("bounded.jsonl")
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['facts'][:1]}{case['limit']}")
def test_facts_are_shortened_to_the_limit(case: dict[str, Any]) -> None:
    texts = bounded(case["facts"], case["limit"])
    assert texts == case["gives"]
    assert len("\n".join(texts)) <= case["limit"]


def test_no_limit_is_exceeded() -> None:
    facts = [fact for case in CASES for fact in case["facts"]] * 3
    for limit in range(0, 2500, 7):
        texts = bounded(facts, limit)
        assert len("\n".join(texts)) <= limit
        for fact in facts:
            assert len(shortened(fact, limit)) <= limit


def test_the_examples_of_the_docstrings_run() -> None:
    assert doctest.testmod(module) == (0, 2)


@pytest.mark.parametrize(
    "unknown",
    [
        'get_movie("the unheard-of film")["budget"]',
        'get_stock_price("apple", "no time")["close"]',
        'minus(get_movie("the unheard-of film")["budget"], 5)',
    ],
)
def test_what_is_unknown_comes_after_what_is_known(unknown: str, example_kg: LocalClient) -> None:
    result = run(f'{unknown}; get_movie("inception")["budget"]', example_kg, None, SOON)
    assert result.known == [result.sentences[1], result.sentences[0]]


def test_a_narrow_list_keeps_its_winner_beside_wide_ones() -> None:
    names = [f"Nominee {number} (nominated)" for number in range(12)]
    names[9] = "Ada Nil (winner)"
    narrow = f"The nominees for best actress in 2001 are {', '.join(names)}."
    everyone = [
        f"The winners of {year} are {', '.join(f'Winner {n} ({year})' for n in range(60))}."
        for year in (1999, 2000, 2001)
    ]
    for facts in ([narrow, *everyone], [*everyone, narrow]):
        text = "\n".join(bounded(facts, 1200, "who won best actress in 2001?"))
        assert len(text) <= 1200
        assert narrow in text


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("who won the oscar for best actor?", "Ada Nil (winner)"),
        ("which of her films came out in 1987?", "South (1987)"),
        ("when did salt come out?", "Salt (1950)"),
    ],
)
def test_of_a_list_the_items_stay_that_the_question_names(question: str, item: str) -> None:
    items = [f"Film {number} ({1900 + number % 40})" for number in range(200)]
    items[150] = item
    text = shortened(f"The list is {', '.join(items)}.", 200, stems(question) | {"winner"})
    assert len(text) <= 200
    assert text.startswith("The list is Film 0 (1900)")
    assert item in text


def long_halves() -> list[str]:
    """The two long halves of a comparison, each alone longer than a prompt's share for the KG."""
    halves = []
    for name in ("Aino Virta", "Bo Third"):
        films = ", ".join(f"Film {number} of {name} (in 1999)" for number in range(600))
        halves.append(f"The films of {name} are {films}.")
    return halves


def test_passages_of_kg_text_have_both_halves_of_a_comparison() -> None:
    text = "\n".join(kg_pieces("\n".join(long_halves())))
    assert len(text) <= KG_CHARS
    assert "Film 20 of Aino Virta" in text
    assert "Film 20 of Bo Third" in text


@pytest.mark.parametrize("subtask", ["answer_kg", "answer_web"])
def test_db3s_prompts_have_both_halves_of_a_comparison(subtask: str) -> None:
    llms = ScriptedLLMs({subtask: saying("x")})
    llm, adapter = llms.of(subtask)
    one = question("who made more?", Task.KG_WEB, ())
    facts = bounded(long_halves(), KG_CHARS)
    request = reading_request(subtask, Case(one), facts, Db3Options())
    prompt, passages = written_prompt(request, llm, adapter)
    assert passages == (0, 1)
    assert "Film 20 of Bo Third" in prompt.messages[-1].text
    assert load_prompt(f"db3/{subtask}_ctrl") is request.template
