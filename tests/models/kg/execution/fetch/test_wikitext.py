"""Wikitext of infoboxes as plain text: the cases of `wikitext.jsonl`, with and without bars."""

import time
from pathlib import Path

import pytest

from models.kg.execution.fetch.wikitext import plain
from tests.models.kg.cases import cases


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("wikitext.jsonl")))
def test_markup_becomes_text(case: dict[str, str | list[str]]) -> None:
    assert plain(str(case["text"])) == case["plain"]


PIECES = [" ", *"[http:// <sup> <!-- < {{ [[ {{a| {{[[< '' *".split(), "<b>{{ubl\n*"]
SLOWEST = ["<b a=" * 30 + "a " * 10_000, "{{ubl|" * 30 + "\n" * 20_000, "<b " * 180]
ADVERSARIAL = [
    *SLOWEST,
    *(piece * 70 for piece in PIECES),
    *(piece * 20_000 for piece in PIECES),
]


@pytest.mark.clock
@pytest.mark.parametrize("value", ADVERSARIAL)
def test_adversarial_markup_is_parsed_in_time(value: str) -> None:
    start = time.monotonic()
    plain(value)
    assert time.monotonic() - start < 3  # it takes about 0.1 s
