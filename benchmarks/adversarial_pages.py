"""Adversarial pages through every extractor and every chunker: seconds and memory.

Each page goes from its HTML to passages, ranked by words, and to the answers of the offline reader.
The status is 1 if a page raises, costs this process more than 2 s of CPU time or takes more than
10 s in all, or if this process or a worker holds over 2 GB. A page is counted as skipped if its
worker was killed at a limit.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer

from benchmarks._command import command, show
from models.records import Page, Question, Task
from models.subtasks.answer_web import ExtractiveReader
from models.web.make_retriever import make_retriever
from models.web.retriever import Retriever
from models.web.settings import Chunking, Extraction, WebSettings
from utils.deadline import Deadline
from utils.errors import InputError
from utils.posix import resource

FUZZED = 200
WayFigures = dict[str, Any]  # by column of the table
QUESTIONS = ("how many words are on the page?", "how tall is the page?", "who built the page?")
LIMITS = {"CPU s here": 2.0, "seconds": 10.0, "peak MB": 2000}
WAYS: dict[str, WebSettings] = {
    "default": WebSettings(),
    **{name.value: WebSettings(extractors=(name, Extraction.SELECTOLAX)) for name in Extraction},
    **{name.value: WebSettings(chunking=name) for name in Chunking},
}
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
    """A page of random pieces of HTML, cut off at a random place."""
    draw = random.Random(20240320 + seed)
    html = "".join(draw.choices(_PIECES, k=draw.randrange(1, 400)))
    return html[: draw.randrange(1, len(html) + 1)]


PAGES: dict[str, Callable[[], str]] = {
    # the parser: depth, breadth, repeated look-ups
    "30,000 deep, unclosed": lambda: "<b><i>" * 15_000 + "deep",
    "10,000 deep": lambda: "<div>" * 10_000 + "deep" + "</div>" * 10_000,
    "end tags that end nothing": lambda: "<div></x>" * 110_000,
    "formatting left open": lambda: (
        "<p>" + "".join(f"<b id={i}>" for i in range(2_000)) + "</p>" + "<p>x</p>" * 200_000
    ),
    "many attributes": lambda: "<p " + " ".join(f"a{i}" for i in range(60_000)) + ">x",
    "many options": lambda: "<select>" + "<option value=1>x</option>" * 38_000,
    "many documents": lambda: "".join(f"<html a{i}></html>" for i in range(45_000)),
    "open comments": lambda: "<!--" * 375_000,
    "empty comments, unclosed": lambda: "<!---->" + "<!--x" * 200_000,
    "open tags": lambda: "<p>kept</p>" + "<a b='" * 250_000,
    "angle brackets": lambda: "<" * 1_000_000,
    "an entity bomb": lambda: (
        "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>" + "&b;" * 10**6
    ),
    # the tree: elements with all that they contain are read again for each element around them
    "nested notices": lambda: "<div class=cookie>" * 4_000 + "words " * 300_000,
    "nested hidden elements": lambda: "<div hidden>" * 2_400 + "<p></p>" * 110_000 + "<table>",
    "nested preformatted text": lambda: "<pre>" * 4_900 + "words " * 160_000,
    "tables deep down": lambda: (
        "<div>" * 4_900 + "<table><tr><td>1<td>b</table>" * 30_000 + "</div>" * 4_900
    ),
    "superscripts": lambda: "<p>" + "<sup>1</sup>" * 83_000,
    "empty superscripts": lambda: "<p>" + "<sup></sup>" * 90_000,
    "superscripts left open": lambda: "<sup>" * 100_000,
    "scripts that end nowhere": lambda: "<script>" + "</script " * 110_000,
    "spaces in facts": lambda: f'<script type="application/ld+json">{{{" " * 290_000}</script>',
    # tables: many cells, and few cells that span many
    "one row of 100,000 cells": lambda: "<table><tr>" + "<td>1</td>" * 100_000,
    "spans of a thousand": lambda: "<table>" + "<tr><td colspan=1000 rowspan=1000>x" * 2_000,
    "wide rows and long columns": lambda: (
        "<table><tr>" + "<td>1" * 30_000 + "<tr><td rowspan=50>1" * 30_000
    ),
    "a long header over many rows": lambda: (
        f"<table><tr><th>{'h' * 900}<th>b" + "<tr><td>1<td>2" * 60_000
    ),
    # the text, which this process ranks and reads
    "20 MB of tags": lambda: "<p>x</p>" * 2_500_000,
    "20 MB in one word": lambda: "x" * 20_000_000,
    "20 MB of NULs": lambda: "\0" * 20_000_000,
    "a number of 5,000 digits": lambda: (
        f"<p>Kept.</p><p>&amp;amp; &amp;#{'1' * 5_000}; &#{'1' * 5_000};"
    ),
    "digits and commas": lambda: ("<p>" + "1," * 300 + "</p>") * 1_600,
    "cells of digits": lambda: "<table>" + ("<tr>" + "<td>" + "1," * 400) * 1_100,
    "cells of capitals": lambda: "<table>" + ("<tr>" + "<td>" + "A" * 800) * 1_100,
    "spaces": lambda: "<p>" + "a  b" * 400_000,
    "empty lines": lambda: "<p>kept</p>" + "\n" * 900_000,
    "lines": lambda: "".join(f"<p>the {i}</p>" for i in range(70_000)),
    "number signs": lambda: "<h2># the #</h2><p># the #1</p>" * 30_000,
    "full stops": lambda: "<p>" + "A. " * 1_000_000,
}


def measure(way: str) -> WayFigures:
    """The slowest page of one way, the memory that was held, and what was skipped."""
    retriever = make_retriever(WAYS[way])
    own_seconds: dict[str, float] = {}  # CPU time of this process
    all_seconds: dict[str, float] = {}
    skipped: Counter[str] = Counter()
    pages = adversarial_pages()
    for name, html in pages.items():
        cpu_start = time.process_time()
        start = time.perf_counter()
        skipped.update(retrieve_and_answer(retriever, html))
        own_seconds[name] = time.process_time() - cpu_start
        all_seconds[name] = time.perf_counter() - start
    return {
        "pages": len(pages),
        "skipped": dict(skipped),
        "peak MB": max(peak_mb_of(resource.RUSAGE_SELF), peak_mb_of(resource.RUSAGE_CHILDREN)),
        "CPU s here": max(own_seconds.values()),
        "seconds": max(all_seconds.values()),
        "slowest": max(all_seconds, key=lambda name: all_seconds[name]),
    }


def adversarial_pages() -> dict[str, str]:
    """The HTML of all pages by their names: the fuzzed ones first."""
    pages = {f"fuzzed {seed}": fuzzed(seed) for seed in range(FUZZED)}
    for name, make_html in PAGES.items():
        pages[name] = make_html()
    return pages


def retrieve_and_answer(retriever: Retriever, html: str) -> dict[str, int]:
    """The failures by part, after the page was retrieved and the reader asked each question."""
    page = Page("name", "", "a snippet", html)
    question = Question("id", QUESTIONS[0], None, Task.WEB, (page,))
    result = retriever.retrieve(question, Deadline.after(60))
    for text in QUESTIONS:
        deadline = Deadline.after(60)
        question = replace(question, text=text)
        ExtractiveReader().choice(question, result.passages, result.texts, deadline)
    return result.broke


def peak_mb_of(processes: int) -> int:
    """The peak memory of this process or of a child of it, in MB."""
    return resource.getrusage(processes).ru_maxrss // 1024


@command
def main(
    way: Annotated[list[str] | None, typer.Option(help="only this; default: all")] = None,
) -> int:
    unknown = set(way or ()) - WAYS.keys()
    if unknown:
        raise InputError(f"--way {min(unknown)}: no such way; there are: {', '.join(WAYS)}")
    figures = {name: measure(name) for name in way or WAYS}
    columns = list(next(iter(figures.values())))
    show("", ["way", *columns], ([name, *row.values()] for name, row in figures.items()))
    return int(any(exceeds_limits(row) for row in figures.values()))


def exceeds_limits(row: WayFigures) -> bool:
    """Whether a way took too long or too much memory."""
    return any(row[column] > limit for column, limit in LIMITS.items())


if __name__ == "__main__":
    sys.exit(main())
