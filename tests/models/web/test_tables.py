"""Tables become Markdown; layout stays text; nothing is lost where a table is split."""

import pytest

from models.records import Page
from models.web.chunking import SentenceChunker
from models.web.html import extract
from models.web.page import PageText
from models.web.tables import Cell, grid_of, markdown, split_lines


def page(html: str) -> PageText:
    return extract(Page("name", "url", "snippet", html))


def test_a_header_row_makes_a_markdown_table() -> None:
    html = (
        "<p>Before.</p><table><caption>Towers</caption><tr><th>Name</th><th>Height</th></tr>"
        "<tr><td>North <b>tower</b></td><td>41&nbsp;m</td></tr></table><p>After.</p>"
    )
    found = page(html)
    table = "Towers\n| Name | Height |\n| --- | --- |\n| North tower | 41 m |"
    assert found.text == f"Before.\n{table}\nAfter."
    assert [found.text[start:end] for start, end in found.tables] == [table]


def test_words_above_numbers_are_a_header_too() -> None:
    rows = [[Cell("Year"), Cell("Sold"), Cell("Place")], [Cell("2001"), Cell("17"), Cell("x")]]
    assert markdown(rows) == ["| Year | Sold | Place |", "| --- | --- | --- |", "| 2001 | 17 | x |"]


def test_an_infobox_is_pairs() -> None:
    html = (
        "<table><tr><th colspan=2>Northport lighthouse</th></tr><tr><th>Height</th>"
        "<td>41 <i>m</i></td></tr><tr><th>Built:</th><td>1881</td></tr></table>"
    )
    assert page(html).text == "Northport lighthouse\nHeight: 41 m\nBuilt: 1881"


def test_spans_are_repeated_in_each_place_that_they_cover() -> None:
    rows = [
        [Cell("Year", header=True), Cell("Prize", header=True, columns=2)],
        [Cell("2001", rows=2), Cell("a"), Cell("b")],
        [Cell("c"), Cell("d")],
    ]
    assert grid_of(rows) == [["Year", "Prize", "Prize"], ["2001", "a", "b"], ["2001", "c", "d"]]


@pytest.mark.parametrize("columns", [0, 10**9])
def test_a_span_made_to_hurt_is_bounded(columns: int) -> None:
    html = f"<table><tr><td colspan={columns} rowspan=9999>a</td><td>b</td></tr></table>"
    assert len(page(html).text) < 1000


def test_nested_and_layout_tables() -> None:
    inner = "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"
    found = page(f"<table><tr><td><p>Menu</p></td><td>{inner}</td></tr></table>")
    assert found.text == "Menu\n| A | B |\n| --- | --- |\n| 1 | 2 |"
    assert len(found.tables) == 1


@pytest.mark.parametrize(
    "comment", ['<!-- 5" screen -->', "<!-- a > b -->", "<!-- <td>no</td> -->"]
)
def test_comments_in_a_table_cost_nothing(comment: str) -> None:
    html = f"<table><tr><td>1{comment}</td><td class='x'>Value</td><td>c</td></tr></table>"
    assert page(html).text.split("\n")[-1] == "| 1 | Value | c |"


def test_one_long_cell_makes_no_layout_of_a_table_with_a_header() -> None:
    long = "word " * 100
    head = "<tr><th>A</th><th>B</th><th>C</th></tr>"
    found = page(f"<table>{head}<tr><td>1</td><td>2</td><td>{long}</td></tr></table>")
    assert found.text.split("\n")[-1] == f"| 1 | 2 | {long.strip()} |"


@pytest.mark.parametrize(("rows", "columns"), [(27_000, 2), (1, 30_000), (100, 700)])
def test_no_row_of_a_huge_table_is_lost(rows: int, columns: int) -> None:
    html = "<table>" + ("<tr>" + "<td>cell</td>" * columns + "</tr>") * rows + "</table>"
    assert page(html).text.count("cell") == rows * columns


def test_empty_tables_and_columns_are_dropped() -> None:
    assert page("<p>x</p><table><tr><td></td><td> </td></tr></table>").text == "x"
    rows = [
        [Cell("a"), Cell(""), Cell("b"), Cell("c")],
        [Cell("d"), Cell(""), Cell("1"), Cell("2")],
    ]
    lines = markdown(rows)
    assert lines is not None and lines[0].count("|") == 4


def test_a_huge_table_is_split_by_rows_under_its_header() -> None:
    rows = "".join(f"<tr><td>name {i}</td><td>{i}</td></tr>" for i in range(200))
    found = page(f"<table><tr><th>Name</th><th>No</th></tr>{rows}</table><p>End.</p>")
    chunks = SentenceChunker(table_chars=300).chunk(found, 0)
    tables = [chunk.passage for chunk in chunks if chunk.passage.text.startswith("| Name | No |")]
    assert len(tables) > 5
    assert all(len(passage.text) <= 300 for passage in tables)
    said = [line for passage in tables for line in passage.text.split("\n")[2:]]
    assert said == [f"| name {i} | {i} |" for i in range(200)]
    for passage in tables[1:]:
        assert passage.text.endswith(found.text[passage.start : passage.end])


def test_a_header_that_leaves_no_room_is_not_repeated() -> None:
    lines = ["| a long header of this table |", "| --- |", "| 1 |", "| 2 |"]
    assert split_lines(lines, 40) == [(0, 0, 2), (0, 2, 4)]
