"""Adversarial pages through every extractor and every chunker: seconds and memory.

Each page goes from its HTML to passages, ranked by words, and to the answers of the offline reader.
The status is 1 where a page raises, costs this process more than 2 s of CPU time, or takes more
than 10 s in all, or where this process or a worker holds over 2 GB. A page that a worker's limits
end is counted as skipped.
"""

import random
import resource
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
from models.web.factory import make_retriever
from models.web.settings import Chunking, Extraction, WebSettings
from utils.deadline import Deadline
from utils.errors import InputError

FUZZED = 200
QUESTIONS = ("how many words are on the page?", "how tall is the page?", "who built the page?")
SECONDS, SECONDS_IN_ALL, MEGABYTES = 2.0, 10.0, 2000
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
    draw = random.Random(20240320 + seed)
    html = "".join(draw.choices(_PIECES, k=draw.randrange(1, 400)))
    return html[: draw.randrange(1, len(html) + 1)]


PAGES: dict[str, Callable[[], str]] = {
    # the parser: depth, breadth, and things that it looks up again and again
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
    # the tree, where each element is looked at with what is in it
    "notices in each other": lambda: "<div class=cookie>" * 4_000 + "words " * 300_000,
    "hidden in each other": lambda: "<div hidden>" * 2_400 + "<p></p>" * 110_000 + "<table>",
    "preformatted in each other": lambda: "<pre>" * 4_900 + "words " * 160_000,
    "tables deep down": lambda: (
        "<div>" * 4_900 + "<table><tr><td>1<td>b</table>" * 30_000 + "</div>" * 4_900
    ),
    # tables: many cells, and few that stand for many
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


def measure(way: str) -> dict[str, Any]:
    """The slowest pages of one way, the memory that was held, and what was skipped."""
    retriever = make_retriever(WAYS[way])
    made = {f"fuzzed {seed}": fuzzed(seed) for seed in range(FUZZED)}
    made |= {name: make() for name, make in PAGES.items()}
    here: dict[str, float] = {}
    in_all: dict[str, float] = {}
    skipped: Counter[str] = Counter()
    for name, html in made.items():
        page = Page("name", "", "a snippet", html)
        asked = Question("id", QUESTIONS[0], None, Task.WEB, (page,))
        start, began = time.process_time(), time.perf_counter()
        found = retriever.retrieve(asked, Deadline.after(60))
        for text in QUESTIONS:
            ExtractiveReader().answer(replace(asked, text=text), found.passages, found.texts)
        here[name], in_all[name] = time.process_time() - start, time.perf_counter() - began
        skipped.update(found.broke)
    peak = max(
        resource.getrusage(whose).ru_maxrss // 1024
        for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "pages": len(made),
        "skipped": dict(skipped),
        "peak MB": peak,
        "CPU s here": max(here.values()),
        "seconds": max(in_all.values()),
        "slowest": max(in_all, key=lambda name: in_all[name]),
    }


@command
def main(
    way: Annotated[list[str] | None, typer.Option(help="only this; default: all")] = None,
) -> int:
    if unknown := set(way or ()) - WAYS.keys():
        raise InputError(f"--way {min(unknown)}: no such way; there are: {', '.join(WAYS)}")
    figures = {name: measure(name) for name in way or WAYS}
    names = list(next(iter(figures.values())))
    show("", ["way", *names], ([way, *row.values()] for way, row in figures.items()))
    limits = {"CPU s here": SECONDS, "seconds": SECONDS_IN_ALL, "peak MB": MEGABYTES}
    return int(any(row[name] > most for row in figures.values() for name, most in limits.items()))


if __name__ == "__main__":
    sys.exit(main())
