"""Each extractor reads words as they stand, and no table twice."""

import gzip
import time
from collections import Counter
from typing import Any

import pytest

from models.records import Page
from models.web.extractors import make_reader, visible
from models.web.page import PageText
from models.web.settings import Extraction, WebSettings
from tests.models.web.test_html import page_rows

TABLE = "<table><tr><th>Name</th><th>No</th></tr><tr><td>North</td><td>7</td></tr></table>"
MARKDOWN = "| Name | No |\n| --- | --- |\n| North | 7 |"
PROSE = "Prose before it, and enough."
PARAGRAPH = f"<p>{PROSE}</p>"
NESTED = f'{{"name": "A", "actor": {"[" * 495}"x"{"]" * 495}}}'


def extract(html: str, *names: Extraction, **fields: Any) -> PageText:
    reader = make_reader(WebSettings(extractors=names, **fields))
    return reader.read(Page("name", "", "", html), Counter())


@pytest.mark.parametrize("name", list(Extraction))
def test_a_table_is_in_the_text_once_and_none_is_marked_without_tables(name: Extraction) -> None:
    head = "<title> T\n</title><meta name=description content='A tower.'>"
    page = extract(head + PARAGRAPH + TABLE, name)
    assert page.title == "T"
    assert page.text == f"{PROSE}\n{MARKDOWN}\nDescription: A tower."
    assert [page.text[start:end] for start, end in page.tables] == [MARKDOWN]
    page = extract(f"{PARAGRAPH}{TABLE}", name, tables=False)
    assert page.title == "name"
    assert page.text.startswith(PROSE)
    assert not page.tables
    assert ("North" in page.text) == (name != Extraction.TRAFILATURA)


def test_a_page_whose_main_text_is_a_table_is_read_by_the_next_extractor() -> None:
    html = f"<nav>Menu</nav>{TABLE}<span>A caption.</span>"
    page = extract(html, Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP)
    assert page.text == f"A caption.\n{MARKDOWN}"


@pytest.mark.parametrize("name", list(Extraction))
def test_no_more_of_a_page_is_read_than_the_settings_allow(name: Extraction) -> None:
    assert extract(PARAGRAPH + " " * 100 + TABLE, name, max_html_chars=80).text == PROSE


@pytest.mark.parametrize("name", list(Extraction))
@pytest.mark.parametrize(
    "unseen",
    [
        f"<script>{'x' * 300}</script>",
        f"<STYLE media=all>{'x' * 300}</STYLE >",
        f"<svg><path d='{'1' * 300}'/></svg>",
        f"<!-- {'x' * 300} -->",
        f"<img src='data:image/png;base64,{'A' * 300}'>",
        f"<script>var s = '<!--'; {'x' * 300}</script>",
    ],
)
def test_scripts_and_drawings_do_not_count_as_length(name: Extraction, unseen: str) -> None:
    assert extract(unseen + PARAGRAPH, name, max_html_chars=len(PARAGRAPH) + 100).text == PROSE


def test_a_page_that_is_too_long_is_counted() -> None:
    counts: Counter[str] = Counter()
    reader = make_reader(WebSettings(max_html_chars=100))
    page = reader.read(Page("", "", "", f"<script>{'x' * 300}</script>{PARAGRAPH * 9}"), counts)
    assert PROSE.startswith(page.text[:20])
    assert counts == {"broke:page too long": 1}


@pytest.mark.parametrize(
    "page",
    [
        b"%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj (some text of a page)",
        b"\n%PDF-1.4\ntext",
        gzip.compress(b"<p>A page</p>" * 20, mtime=0),
        b"PK\x03\x04\x14\x00\x06\x00word/document.xml",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01",
        b"GIF89a\x01\x00",
        b"RIFF\x24\x00\x00\x00WEBPVP8 ",
        bytes(range(256)) * 4,
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_file_that_is_no_text_is_skipped_and_counted(page: bytes, encoding: str) -> None:
    counts: Counter[str] = Counter()
    text = make_reader(WebSettings()).read(
        Page("name", "", "", page.decode(encoding, errors="replace")), counts
    )
    assert text == PageText("name", "")
    assert counts == {"broke:binary page": 1}


@pytest.mark.parametrize("name", list(Extraction))
def test_a_footnote_is_no_digit_in_any_extractor(name: Extraction) -> None:
    html = PARAGRAPH + "<p>The works made $12.3<sup>1</sup> billion in the year 1881.</p>"
    assert "$12.3 billion" in extract(html, name).text


@pytest.mark.parametrize("name", list(Extraction))
@pytest.mark.parametrize("row", page_rows("wrapped"), ids=str)
def test_no_extractor_takes_the_page_for_a_notice(name: Extraction, row: dict[str, str]) -> None:
    words = extract(row["html"], name).text.replace("#", "").split()
    assert words == row["text"].split()


def test_a_long_script_of_facts_uses_up_no_length() -> None:
    script = f'<script type="application/ld+json">{{"x": "{"y" * 400_000}"}}</script>'
    assert extract(script + PARAGRAPH, Extraction.SELECTOLAX, max_html_chars=5_000).text == PROSE


def test_a_text_is_no_longer_than_the_settings_allow_though_spans_repeat_cells() -> None:
    html = "<table><tr><td>x<td colspan=50>word"
    page = extract(html, Extraction.SELECTOLAX, max_html_chars=100)
    assert len(page.text) == 100
    assert page.tables == ()


@pytest.mark.parametrize("name", list(Extraction))
@pytest.mark.parametrize(
    "html",
    [
        f"<html><body role=navigation>{PARAGRAPH}</body></html>",
        f"<html role=navigation><body>{PARAGRAPH}</body></html>",
        f'{PARAGRAPH}<script type="application/ld+json">{NESTED}</script>',
    ],
)
def test_the_text_of_a_page_marked_as_navigation_is_read(name: Extraction, html: str) -> None:
    assert extract(html, name).text == PROSE


@pytest.mark.clock
@pytest.mark.parametrize("space", ["\n", "\r\n", " \n"])
def test_html2text_reads_empty_lines_in_time(space: str) -> None:
    start = time.monotonic()
    assert extract(PARAGRAPH + space * 100_000, Extraction.HTML2TEXT).text == PROSE
    assert time.monotonic() - start < 10


def test_words_of_one_line_stay_together_in_beautifulsoup() -> None:
    html = "<p>One <b>bold</b>\n<a href='#'>word</a>.</p>tail<ul><li>a</li></ul>"
    assert extract(html, Extraction.BEAUTIFULSOUP).text == "One bold word.\ntail\na"


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
def test_comments_scripts_and_declarations_are_removed_for_html_parser(
    html: str, expected: str
) -> None:
    assert visible(html) == expected
