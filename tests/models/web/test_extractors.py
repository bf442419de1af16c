"""Each extractor reads words as they stand, and no table twice."""

import time
from collections import Counter
from typing import Any

import pytest

from models.records import Page
from models.web.extractors import make_reader, visible
from models.web.page import PageText
from models.web.settings import Extraction, WebSettings

TABLE = "<table><tr><th>Name</th><th>No</th></tr><tr><td>North</td><td>7</td></tr></table>"
MARKDOWN = "| Name | No |\n| --- | --- |\n| North | 7 |"
PROSE = "Prose before it, and enough."
KEPT = f"<p>{PROSE}</p>"
NESTED = f'{{"name": "A", "actor": {"[" * 495}"x"{"]" * 495}}}'


def read(html: str, *names: Extraction, **fields: Any) -> PageText:
    reader = make_reader(WebSettings(extractors=names, **fields))
    return reader.read(Page("name", "", "", html), Counter())


@pytest.mark.parametrize("name", list(Extraction))
def test_a_table_is_in_the_text_once_and_none_is_marked_without_tables(name: Extraction) -> None:
    head = "<title> T\n</title><meta name=description content='A tower.'>"
    found = read(head + KEPT + TABLE, name)
    assert found.title == "T"
    assert found.text == f"{PROSE}\n{MARKDOWN}\nDescription: A tower."
    assert [found.text[start:end] for start, end in found.tables] == [MARKDOWN]
    found = read(f"{KEPT}{TABLE}", name, tables=False)
    assert found.title == "name" and found.text.startswith(PROSE) and not found.tables
    assert ("North" in found.text) == (name != Extraction.TRAFILATURA)


def test_a_page_with_nothing_but_a_table_falls_to_the_next() -> None:
    html = f"<nav>Menu</nav>{TABLE}<span>A caption.</span>"
    found = read(html, Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP)
    assert found.text == f"A caption.\n{MARKDOWN}"


@pytest.mark.parametrize("name", list(Extraction))
def test_no_more_of_a_page_is_read_than_settings_say(name: Extraction) -> None:
    assert read(KEPT + " " * 100 + TABLE, name, max_html_chars=80).text == PROSE


def test_a_text_is_no_longer_than_settings_say_though_spans_repeat_cells() -> None:
    html = "<table><tr><td>x<td colspan=50>word"
    found = read(html, Extraction.SELECTOLAX, max_html_chars=100)
    assert len(found.text) == 100 and found.tables == ()


@pytest.mark.parametrize("name", list(Extraction))
@pytest.mark.parametrize(
    "html",
    [
        f"<html><body role=navigation>{KEPT}</body></html>",
        f"<html role=navigation><body>{KEPT}</body></html>",
        f'{KEPT}<script type="application/ld+json">{NESTED}</script>',
    ],
)
def test_no_whole_page_is_lost(name: Extraction, html: str) -> None:
    assert read(html, name).text == PROSE


@pytest.mark.clock
@pytest.mark.parametrize("space", ["\n", "\r\n", " \n"])
def test_html2text_reads_empty_lines_in_time(space: str) -> None:
    start = time.monotonic()
    assert read(KEPT + space * 100_000, Extraction.HTML2TEXT).text == PROSE
    assert time.monotonic() - start < 10


def test_words_of_one_line_stay_together_in_beautifulsoup() -> None:
    html = "<p>One <b>bold</b>\n<a href='#'>word</a>.</p>tail<ul><li>a</li></ul>"
    assert read(html, Extraction.BEAUTIFULSOUP).text == "One bold word.\ntail\na"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<!-- x --><b>b</b><!---->c", "a<b>b</b>c"),
        ("a<script>if (a <!b) {'</p>'}</script>b<style>x", "ab"),
        ("<!DOCTYPE html><?php x?><p>a</p><!-- open <p>", "<p>a</p>"),
        ("<p>a</p><a <a <a", "<p>a</p> a  a  a"),
        ("<<!-- -->!-- a<p>", "< !-- a<p>"),
    ],
)
def test_what_html_parser_is_not_shown(html: str, expected: str) -> None:
    assert visible(html) == expected
