"""Pages made to hurt, by every extractor and every way to cut a text: seconds and memory.

    python -m benchmarks.nasty_pages [--way NAME] [--json FILE]

Each way runs in a process of its own, over 200 fuzzed pages and the big ones of `BIG`; a page goes
from its HTML to passages, ranked by words, and to the answers of the offline reader. Wanted: no
page raises, takes 2 s, or brings the process to 1 GB; else the status is 1.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from rich.console import Console
from rich.table import Table

from benchmarks._memory import peak_mb
from models.records import Page, Question, Task
from models.subtasks.answer_web import CarefulReader
from models.web.factory import make_retriever
from models.web.settings import Chunking, Extraction, WebSettings
from utils.deadline import Deadline
from utils.errors import CragError

SEED, FUZZED = 20240320, 200
QUESTIONS = ("how many words are on the page?", "how tall is the page?", "who built the page?")
SECONDS, MEGABYTES = 2.0, 1000
_ADDRESS_SPACE = 8 << 30  # bytes: what runs away ends here, and not the machine
WAYS: dict[str, WebSettings] = {
    "default": WebSettings(),
    **{name.value: WebSettings(extractors=(name, Extraction.SELECTOLAX)) for name in Extraction},
    **{name.value: replace(WebSettings(), chunking=name) for name in Chunking},
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
    "tables 5,000 deep, closed": lambda: (
        "<table><tr><td>x" * 4_000 + "</td></tr></table>" * 4_000 + "words " * 300_000
    ),
    "tables deep down": lambda: (
        "<div>" * 4_900 + "<table><tr><td>1<td>b</table>" * 30_000 + "</div>" * 4_900
    ),
    "cells in formulas": lambda: "<table><tr><td><math>" + "<td>x" * 190_000,
    "preformatted in each other": lambda: "<pre>" * 4_900 + "words " * 160_000,
    "end tags that end nothing": lambda: "<div></x>" * 110_000,
    "end tags in attributes": lambda: "<div a='</x'>" * 75_000,
    "slashes that end nothing": lambda: "<div/>" * 160_000,
    "end tags of long names": lambda: "<blockquote></blockquotx>" * 40_000,
    "a tag of letters": lambda: "<div>" * 6_000 + "<" + "a" * 900_000 + "<b>",
    "10,000 small tables": lambda: "text <table><tr><td>1<td>b</table>" * 10_000,
    "notices in each other": lambda: "<div class=cookie>" * 4_000 + "words " * 300_000,
    "open marks of a type face": lambda: (
        "<p>" + "".join(f"<b id={i}>" for i in range(2_000)) + "</p>" + "<p>x</p>" * 200_000
    ),
    "wide rows and long columns": lambda: (
        "<table><tr>" + "<td>1" * 30_000 + "<tr><td rowspan=50>1" * 30_000
    ),
    "a long header over many rows": lambda: (
        f"<table><tr><th>{'h' * 900}<th>b" + "<tr><td>1<td>2" * 60_000
    ),
    "many attributes": lambda: "<p " + " ".join(f"a{i}" for i in range(60_000)) + ">x",
    "pages in a page": lambda: "".join(f"<html a{i}></html>" for i in range(45_000)),
    "much to select from": lambda: "<select>" + "<option value=1>x</option>" * 38_000,
    "a caption in each row": lambda: (
        "<table>" + "<tr><td colspan=2>x" * 20_000 + "<tr><td>1<td>2</table>"
    ),
    "long cells in formulas": lambda: "<table><tr><td><math>" + "<td>" * 1_200 + "x " * 450_000,
    "marks around many blocks": lambda: "<span>" * 2_400 + "<p>x" * 200_000,
    "hidden in each other": lambda: "<div hidden>" * 2_400 + "<p></p>" * 110_000 + "<table>",
    "lists in each other": lambda: "<ul><li>" * 2_400 + "<li>x" * 150_000,
    "shapes in each other": lambda: "<svg>" + "<g>" * 2_400 + "</x>" * 240_000,
    "just deep enough": lambda: "<span>" * 190 + "<p>x" * 200_000,
    "a number of 5,000 digits": lambda: (
        f"<p>Kept.</p><p>&amp;amp; &amp;#{'1' * 5_000}; &#{'1' * 5_000};"
    ),
    "digits and commas": lambda: ("<p>" + "1," * 300 + "</p>") * 1_600,
    "cells of digits": lambda: "<table>" + ("<tr>" + "<td>" + "1," * 400) * 1_100,
    "cells of capitals": lambda: "<table>" + ("<tr>" + "<td>" + "A" * 800) * 1_100,
    "open comments": lambda: "<!--" * 375_000,
    "declarations": lambda: "<!" * 700_000,
    "open tags": lambda: "<p>kept</p>" + "<a b='" * 250_000,
    "spaces": lambda: "<p>" + "a  b" * 400_000,
    "empty lines": lambda: "<p>kept</p>" + "\n" * 900_000,
    "lines": lambda: "<p>the</p>" * 200_000,
    "number signs": lambda: "<h2># the #</h2><p># the #1</p>" * 50_000,
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


def pages() -> Iterator[tuple[str, str]]:
    """Each page's name and its HTML."""
    for seed in range(FUZZED):
        yield f"fuzzed {seed}", fuzzed(SEED + seed)
    for name, made in BIG.items():
        yield name, made()


def run(way: str) -> dict[str, Any]:
    """The slowest pages of one way, in this process, and the most memory that it ever held."""
    retriever = make_retriever(WAYS[way])
    spent: dict[str, float] = {}
    for name, html in pages():
        page = Page("name", "", "a snippet", html)
        asked = Question("id", QUESTIONS[0], None, Task.WEB, (page,))
        start = time.process_time()
        found = retriever.retrieve(asked, Deadline.after(600))
        for text in QUESTIONS:
            CarefulReader().answer(replace(asked, text=text), found.passages, found.texts)
        spent[name] = time.process_time() - start
        for passage in found.passages:
            assert passage.text and passage.end <= len(found.texts[0].text)
        broke = [what for what in found.counts if what.startswith("broke:")]
        assert not broke, f"{name}: {broke}"
    slowest = sorted(spent, key=lambda name: -spent[name])[:3]
    return {
        "pages": len(spent),
        "peak MB": peak_mb(),
        "slowest": {name: spent[name] for name in slowest},
    }


def over(row: dict[str, Any]) -> bool:
    """Whether a way took more than is wanted."""
    slowest: dict[str, float] = row["slowest"]
    return max(slowest.values()) > SECONDS or float(row["peak MB"]) > MEGABYTES


def measure(way: str) -> dict[str, Any]:
    """The same in a process of its own.

    Raises:
        CragError: it died.
    """
    command = [sys.executable, "-m", "benchmarks.nasty_pages", "--alone", way]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CragError(f"{way}: {done.stderr.strip().splitlines()[-1:]}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Seconds and memory on pages made to hurt.")
    parser.add_argument("--way", choices=WAYS, action="append", help="only this; default: all")
    parser.add_argument("--alone", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    if args.alone:
        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
        json.dump(run(args.alone), sys.stdout)
        return
    try:
        figures = {way: measure(way) for way in args.way or WAYS}
    except CragError as error:
        raise SystemExit(str(error)) from error
    table = Table(title=f"wanted: under {SECONDS:g} s a page, {MEGABYTES} MB in all")
    for name in ("way", "pages", "peak MB", "slowest pages, s"):
        table.add_column(name)
    for way, row in figures.items():
        slowest = ", ".join(f"{name} {seconds:.2f}" for name, seconds in row["slowest"].items())
        table.add_row(way, str(row["pages"]), f"{row['peak MB']:.0f}", slowest)
    Console(width=150).print(table)
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if any(over(row) for row in figures.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
