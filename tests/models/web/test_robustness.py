"""Pages made to hurt: none raises, none hangs, whatever extractor reads it."""

import random
import resource
import time
from collections import Counter
from collections.abc import Callable

import pytest

from models.records import Page
from models.web.chunking import SentenceChunker
from models.web.extractors import Reader, make_reader
from models.web.page import PageText
from models.web.raw import MAX_HTML_CHARS
from models.web.settings import Extraction

SEED, FUZZED = 20240320, 200
_PIECES = (
    "<div>", "</div>", "<table>", "<tr>", "<td colspan=99999>", "</td>", "<table", "<th>",
    "<th rowspan=-1>",
    "<script>", "</script>", "<script type='application/ld+json'>{\"name\":", "<!--", "-->",
    "&amp;", "&#x110000;", "&#0;", "&lol;", "\0", "\ud800", "\x1e", "\x05", "\u00c3\u00a9", "<p",
    ">", "<title>", "</title>", "<form>", "<svg>", "<math>", "<template>", "<select><option>", "'",
    "A sentence. Another one? ", "\u202e\u4e2d\u6587 ", "<b><i></b></i>", "<a href=", "<frameset>",
    "<body>", "</body></html>", "<?php ?>", "<x:y z='", "\U0001f600", "<style>", "<noscript>", '"',
    "text ", "<![CDATA[",
)  # fmt: skip


def fuzzed(seed: int) -> str:
    draw = random.Random(seed)
    html = "".join(draw.choices(_PIECES, k=draw.randrange(1, 400)))
    return html[: draw.randrange(1, len(html) + 1)]


BIG: dict[str, Callable[[], str]] = {
    "10,000 deep": lambda: "<div>" * 10_000 + "deep" + "</div>" * 10_000,
    "30,000 deep, unclosed": lambda: "<b><i>" * 15_000 + "deep",
    "tables 3,000 deep": lambda: "<table><tr><td>" * 3_000 + "deep",
    "20 MB of text": lambda: "<p>" + "word " * 4_000_000,
    "20 MB of tags": lambda: "<p>x</p>" * 2_500_000,
    "20 MB in one word": lambda: "x" * 20_000_000,
    "20 MB of NULs": lambda: "\0" * 20_000_000,
    "a table of 500,000 cells": lambda: "<table>" + "<tr><td>1</td><td>b</td></tr>" * 250_000,
    "one row of 100,000 cells": lambda: "<table><tr>" + "<td>1</td>" * 100_000,
    "spans of a thousand": lambda: "<table>" + "<tr><td colspan=1000 rowspan=1000>x" * 2_000,
    "an entity bomb": lambda: (
        "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>" + "&b;" * 10**6
    ),
    "a million entities": lambda: "&amp;lt;" * 1_000_000,
    "scripts only": lambda: "<script>var a = '<p>';</script>" * 50_000,
    "an open comment": lambda: "<p>kept</p><!--" + "<div>" * 100_000,
    "angle brackets": lambda: "<" * 1_000_000,
    "attributes": lambda: "<p " + "a='b' " * 300_000 + ">x",
    "full stops": lambda: "<p>" + "A. " * 1_000_000,
    "utf-16 read as latin-1": lambda: "<p>text</p>".encode("utf-16").decode("latin-1") * 10_000,
}


def read(reader: Reader, html: str) -> PageText:
    page = reader.read(Page("name", "", "", html), Counter())
    for chunk in SentenceChunker().chunk(page, 0):
        assert len(chunk.passage.text) <= 20_000
        assert all(0 <= a <= b <= len(chunk.passage.text) + 1 for a, b in chunk.children)
    return page


@pytest.mark.parametrize("name", list(Extraction))
def test_fuzzed_pages_are_read(name: Extraction) -> None:
    pytest.importorskip(
        {"beautifulsoup": "bs4"}.get(name.value, name.value), reason=f"{name} is not installed"
    )
    reader = make_reader([name, Extraction.SELECTOLAX], MAX_HTML_CHARS, tables=True)
    for seed in range(FUZZED):
        read(reader, fuzzed(SEED + seed))


@pytest.mark.clock
@pytest.mark.parametrize("name", list(BIG))
def test_big_pages_neither_hang_nor_fill_the_memory(name: str) -> None:
    reader = make_reader([Extraction.SELECTOLAX], MAX_HTML_CHARS, tables=True)
    html = BIG[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()  # other processes may hold the processor
    read(reader, html)
    assert time.process_time() - start < 20  # tenfold slack: 2 s are wanted
    # what a process ever held, all tests before this one included
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 1_000_000
