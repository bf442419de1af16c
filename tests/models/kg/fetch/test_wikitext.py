"""Wikitext of infoboxes as plain text: each line of `wikitext.jsonl`, with and without bars."""

import json
import time
from pathlib import Path

import pytest

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


@pytest.mark.clock
@pytest.mark.parametrize("piece", ADVERSARIAL)
@pytest.mark.parametrize("times", [70, 20_000])
def test_adversarial_markup_is_read_in_time(piece: str, times: int) -> None:
    start = time.monotonic()
    plain(piece * times)
    assert time.monotonic() - start < 3
