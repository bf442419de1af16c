"""Tables become Markdown; layout stays text; nothing is lost."""

import pytest

from models.records import Page
from models.web.html import SelectolaxExtractor

LONG = ("word " * 100).strip()
TITLED = (
    "<p>Before.</p><table><caption>Towers</caption><tr><th>Name</th><th>Height</th></tr>"
    "<tr><td>North <b>tower</b></td><td>41&nbsp;m</td></tr></table><p>After.</p>"
)
INFOBOX = (
    "<table><tr><th colspan=2>Northport lighthouse</th></tr><tr><th>Height</th>"
    "<td>41 <i>m</i></td></tr><tr><th>Built:</th><td>1881</td></tr></table>"
)
INNER = "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"


def text(html: str) -> str:
    page = SelectolaxExtractor().extract(Page("name", "url", "snippet", html))
    for start, end in page.tables:
        before = page.text[:start][-1:]
        after = page.text[end : end + 1]
        assert before in ("", "\n"), "a table begins a line"
        assert after in ("", "\n"), "a table ends a line"
    return page.text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            TITLED,
            "Before.\nTowers\n| Name | Height |\n| --- | --- |\n| North tower | 41 m |\nAfter.",
        ),
        (INFOBOX, "Northport lighthouse\nHeight: 41 m\nBuilt: 1881"),
        # words above numbers are a header
        (
            "<table><tr><td>Year<td>Sold<td>Place<tr><td>2001<td>17<td>x</table>",
            "| Year | Sold | Place |\n| --- | --- | --- |\n| 2001 | 17 | x |",
        ),
        # a span is repeated in each place that it covers
        (
            "<table><tr><th>Year<th colspan=2>Prize<tr><td rowspan=2>2001<td>a<td>b<tr><td>c<td>d",
            "| Year | Prize | Prize |\n| --- | --- | --- |\n| 2001 | a | b |\n| 2001 | c | d |",
        ),
        # layout: a long cell without a header, a table around a table, a single column
        (
            f"<table><tr><td><p>{LONG}</p><p>next</p></td><td>x</td></tr></table>",
            f"{LONG}\nnext\nx",
        ),
        (
            f"<table><tr><td><p>Menu</p></td><td>{INNER}</td></tr></table>",
            "Menu\n| A | B |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<table><tr><td>a<tr><td>b</table>", "a\nb"),
        (
            f"<table><tr><th>A<th>B<tr><td>1<td>{LONG}</table>",
            f"| A | B |\n| --- | --- |\n| 1 | {LONG} |",
        ),
        # no header; a header alone; empty columns and tables
        ("<table><tr><td>1<td>x<td>y</table>", "|  |  |  |\n| --- | --- | --- |\n| 1 | x | y |"),
        ("<table><tr><th>Name<th>Height</table>", "Name | Height"),
        ("<table><tr><td>a<td><td>b<tr><td>c<td> <td>d</table>", "a: b\nc: d"),
        ("<p>x</p><table><tr><td></td><td> </td></tr></table>", "x"),
        # pairs without a label, without a value, with a long label
        (
            f"<table><tr><td>a<td><tr><td><td>b<tr><td>{LONG[:80]}<td>c</table>",
            f"a\nb\n{LONG[:80].strip()} | c",
        ),
        # escapes and comments break no row
        (
            "<table><tr><th>Year<th>Winner<tr><td>2019<td>A &amp;#124; B&amp;#10;C</table>",
            "| Year | Winner |\n| --- | --- |\n| 2019 | A / B C |",
        ),
        ('<table><tr><td>Height<!-- <td>5" > no</td> --><td class=x>41 m</table>', "Height: 41 m"),
    ],
)
def test_a_table_as_text(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize("columns", [0, 10**9])
def test_an_adversarial_span_is_bounded(columns: int) -> None:
    html = f"<table><tr><td colspan={columns} rowspan=9999>a</td><td>b</td></tr></table>"
    assert len(text(html)) < 1000


@pytest.mark.parametrize(("rows", "columns"), [(9_000, 2), (1, 30_000), (100, 200)])
def test_no_row_of_a_huge_table_is_lost(rows: int, columns: int) -> None:
    html = "<table>" + ("<tr>" + "<td>cell</td>" * columns + "</tr>") * rows + "</table>"
    assert text(html).count("cell") == rows * columns
