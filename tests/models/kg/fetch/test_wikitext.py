"""Wikitext of infoboxes as plain text: each line of `wikitext.jsonl`, with and without bars."""

import json
import time
from pathlib import Path

import pytest

from models.kg.fetch.open import facts
from models.kg.fetch.wikitext import plain

LINES = Path(__file__).with_name("wikitext.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]
ADVERSARIAL = (
    "[http://",
    "<sup>",
    "<!--",
    "<",
    " ",
    "{{",
    "[[",
    "{{a|",
    "{{[[<",
    "''",
    "<b>{{ubl\n*",
)


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:40] for case in CASES])
def test_markup_becomes_text(case: dict[str, str | list[str]]) -> None:
    assert plain(str(case["text"])) == case["plain"]


SLOWEST = ("<b a=" * 30 + "a " * 10_000, "{{ubl|" * 30 + "\n" * 20_000, "*" * 20_000, "<b " * 180)


@pytest.mark.clock
@pytest.mark.parametrize("value", SLOWEST, ids=[value[:6] for value in SLOWEST])
def test_a_value_of_any_length_is_read_in_time(value: str) -> None:
    start = time.monotonic()
    plain(value)
    assert time.monotonic() - start < 2  # 0.1 s, and more


def test_an_infobox_is_read_so_far() -> None:
    box = {f"key {index}": "x" * 4_000 for index in range(100)}
    assert 10 < len(facts({"summary_structured": box})) < 20


@pytest.mark.clock
@pytest.mark.parametrize("piece", ADVERSARIAL)
@pytest.mark.parametrize("times", [70, 20_000])
def test_adversarial_markup_is_read_in_time(piece: str, times: int) -> None:
    start = time.monotonic()
    plain(piece * times)
    assert time.monotonic() - start < 3
