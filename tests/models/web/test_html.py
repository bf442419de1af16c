"""Readable text out of HTML of every kind, wild ones included."""

import tomllib
from itertools import chain
from pathlib import Path

import pytest

from models.records import Page
from models.web.html import SelectolaxExtractor
from models.web.page import PageText

LINES = "<p>A line of text.</p>" * 100
TEXT = "\n".join(["A line of text."] * 100)


def page_rows(*kinds: str) -> list[dict[str, str]]:
    """The rows of pages.toml of these kinds; without kinds, all."""
    tables = tomllib.loads((Path(__file__).parent / "pages.toml").read_text("utf-8"))
    return list(chain.from_iterable(tables[kind] for kind in kinds or tables))


def extract(html: str) -> PageText:
    return SelectolaxExtractor().extract(Page("name", "url", "snippet", html))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        # scripts, navigation and forms are left out
        (
            "<nav>Home</nav><script>var x = 'no';</script><p>Kept.</p><form>Search</form>"
            "<style>p{}</style><footer>Imprint</footer>",
            "Kept.",
        ),
        ("<p>Kept.</p><div hidden>x</div>", "Kept."),
        ("<div style='color:red;display:none'>x <p hidden>y</p></div><p>Kept.</p>", "Kept."),
        ("<p>Kept.</p><div role='navigation'><ul><li>x</li></ul></div>", "Kept."),
        ("<p>Kept.</p><div id='cookie-banner'>We use cookies</div>", "Kept."),
        (f"{LINES}<div class=modal style='display:none'>{LINES[:200]}</div>", TEXT),
        ("<aside>Menu</aside><aside class='portable-infobox'>Born 1950</aside>", "Born 1950"),
        # blocks are lines, marks within a line are not
        (
            "<div>One <b>bold</b> <a href='#'>word</a>.</div>tail<ul><li>a</li><li>b</li></ul>",
            "One bold word.\ntail\na\nb",
        ),
        ("<p>It <dfn>costs</dfn> <ins>$4</ins>, <label>or</label> <var>5", "It costs $4, or 5"),
        # line breaks count in preformatted text only
        ("<p>a\nb</p>c<pre>d\n<b>e</b> f</pre>g", "a b\nc\nd\ne f\ng"),
        ("<pre>one<br>two <b>bold</b> end</pre>", "one\ntwo bold end"),
        ("<pre><p>One.</p><p>Two.</p></pre>", "One.\nTwo."),
        (
            "<pre><table><tr><th>Year<th>Sum<tr><td>2001<td>4</table></pre>",
            "| Year | Sum |\n| --- | --- |\n| 2001 | 4 |",
        ),
        # entities, spaces and wrong encodings are repaired
        ("<p>Caf&eacute;&nbsp;&amp; bar\n\t now</p>", "Caf\u00e9 & bar now"),
        ("<p>Caf\u00c3\u00a9 \u2013 it\u00e2\u20ac\u2122s open", "Caf\u00e9 \u2013 it\u2019s open"),
        ("<p>R&amp;amp;D at 5&amp;nbsp;pm</p>", "R&D at 5 pm"),
        # an empty comment splits no text, and may end another one
        ("<p>$<!-- -->12<!---->.50 each", "$12.50 each"),
        (
            "<table><tr><td>Price<td>$<!-- -->12<!-- -->.50<tr><td>Age<td>4<!-- -->1</table>",
            "Price: $12.50\nAge: 41",
        ),
        ("<!--[if !IE]><!--><p>kept</p><!--<![endif]--><p>too", "kept\ntoo"),
        ("<!--[if !IE]><!-- --><p>kept</p><!--<![endif]--><p>too", "kept\ntoo"),
        # input that is hardly HTML gives what text it has
        ("plain text", "plain text"),
        ("<p>open <b>never closed", "open never closed"),
        ("\x00\x01\x02<p>a\x00b</p>", "\x01\x02\na b"),
        ("<p>lone \ud800 surrogate</p>", "lone surrogate"),
        ("<html><frameset></frameset></html>", ""),
        (f"<p>Kept.<p>&amp;amp; &amp;#{'1' * 5_000}; words", "Kept.\n& \ufffd words"),
        # a table whose last rows are only spanned
        (
            "<table><tr><td rowspan=3></td><td></td></tr><tr><td colspan=2>A</td></tr>"
            "<tr><td colspan=2>B</td></tr><tr><td colspan=2 rowspan=2>C</td></tr><tr></tr></table>",
            "A\nB\nC\nC",
        ),
    ],
)
def test_the_text_of_a_page(html: str, text: str) -> None:
    assert extract(html).text == text


@pytest.mark.parametrize(
    "html",
    [
        f"<form>{LINES}",
        f"<div class='site cookie-notice-set'>{LINES}",
        f"<table style='display: none'>{'<tr><td>A line<td>of text' * 100}</table>",
    ],
)
def test_a_form_or_notice_around_the_whole_page_and_a_hidden_table_are_read(html: str) -> None:
    assert extract(html).text.count("\n") == 99


def test_our_marks_written_as_character_references_lose_no_table() -> None:
    rows = "<tr><th>Room<th>Size<tr><td>North<td>3"
    page = extract(f"<p>One&#5;<p>&#5;<p>two&#30;three<table>{rows}</table>")
    table = "| Room | Size |\n| --- | --- |\n| North | 3 |"
    assert page.text == f"One\ntwo\nthree\n{table}"
    assert page.text[slice(*page.tables[0])] == table


@pytest.mark.parametrize("row", page_rows(), ids=str)
def test_pages_that_people_reported(row: dict[str, str]) -> None:
    assert extract(row["html"]).text == row["text"]
