"""Readable text out of HTML of every kind, wild ones included."""

import pytest

from models.records import Page
from models.web.html import extract
from models.web.page import PageText


def read(html: str) -> PageText:
    return extract(Page("name", "url", "snippet", html))


def text(html: str) -> str:
    return read(html).text


def test_scripts_navigation_and_forms_are_left_out() -> None:
    html = (
        "<html><head><title> The  Title </title><style>p{}</style></head><body>"
        "<nav>Home</nav><script>var x = 'no';</script><p>Kept.</p><form>Search</form>"
        "<footer>Imprint</footer></body></html>"
    )
    page = extract(Page("name", "url", "snippet", html))
    assert page.title == "The Title"
    assert page.text == "Kept."


def test_blocks_are_lines_and_inline_marks_are_not() -> None:
    html = "<div>One <b>bold</b> <a href='#'>word</a>.</div>tail<ul><li>a</li><li>b</li></ul>"
    assert text(html) == "One bold word.\ntail\na\nb"


def test_entities_and_spaces_are_mended() -> None:
    assert text("<p>Caf&eacute;&nbsp;&amp; bar\n\t now</p>") == "Caf\u00e9 & bar now"


def test_a_layout_table_keeps_its_lines() -> None:
    long = "word " * 100
    assert text(f"<table><tr><td><p>{long}</p><p>next</p></td><td>x</td></tr></table>") == (
        f"{long.strip()}\nnext\nx"
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("   ", ""),
        ("plain text", "plain text"),
        ("<p>open <b>never closed", "open never closed"),
        ("\x00\x01\x02<p>a\x00b</p>", "\x01\x02\na b"),
        ("<p>lone \ud800 surrogate</p>", "lone surrogate"),
        ("<html><frameset></frameset></html>", ""),
    ],
)
def test_what_is_hardly_html_gives_what_text_it_has(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<p>Caf\u00c3\u00a9 \u2013 it\u00e2\u20ac\u2122s open</p>",
            "Caf\u00e9 \u2013 it\u2019s open",
        ),
        ("<p>R&amp;amp;D at 5&amp;nbsp;pm</p>", "R&D at 5 pm"),
        ("<p>AT&T &copy; 2024</p>", "AT&T \u00a9 2024"),
    ],
)
def test_broken_encodings_and_entities_are_mended(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>x</div>",
        "<div style='color:red;display:none'>x <p hidden>y</p></div>",
        "<div role='navigation'><ul><li>x</li></ul></div>",
        "<div id='cookie-banner'>We use cookies</div>",
        "<div class='consent-box'>Accept</div>",
    ],
)
def test_hidden_parts_and_notices_are_left_out(hidden: str) -> None:
    assert text(f"<p>Kept.</p>{hidden}") == "Kept."


def test_an_infobox_and_a_hidden_table_of_data_are_kept() -> None:
    rows = "".join(f"<tr><td>name {i}</td><td>place {i}</td></tr>" for i in range(100))
    hidden = f"<table style='display: none'>{rows}</table>"
    found = text(f"<aside>Menu</aside><aside class='portable-infobox'>Born 1950</aside>{hidden}")
    assert found.startswith("Born 1950\nname 0: place 0\n")


def test_line_breaks_count_in_preformatted_text_only() -> None:
    assert text("<p>a\nb</p>c<pre>d\n<b>e</b> f</pre>g") == "a b\nc\nd\ne f\ng"
    assert text("<PRE>a\nb</PRE>") == "a\nb"


def test_empty_comments_of_scripts_split_no_text() -> None:
    assert text("<p>$<!-- -->12<!---->.50 each") == "$12.50 each"
    table = "<table><tr><td>Price<td>$<!-- -->12<!-- -->.50<tr><td>Age<td>4<!-- -->1</table>"
    assert text(table) == "Price: $12.50\nAge: 41"


def test_marks_that_a_page_writes_as_references_lose_no_table() -> None:
    rows = "".join(f"<tr><td>{name}<td>{size}" for name, size in (("North", 3), ("South", 4)))
    page = read(f"<p>One&#5;<p>&#5;<p>two&#30;three<table><tr><th>Room<th>Size{rows}</table>")
    assert page.text.split("\n") == ["One", "two", "three", "| Room | Size |", "| --- | --- |",
                                     "| North | 3 |", "| South | 4 |"]  # fmt: skip
    assert page.text[slice(*page.tables[0])].startswith("| Room")


def test_a_table_whose_rows_are_only_spanned_breaks_nothing() -> None:
    rows = (
        "<tr><td rowspan=3></td><td></td></tr><tr><td colspan=2>A</td></tr>"
        "<tr><td colspan=2>B</td></tr><tr><td colspan=2 rowspan=2>C</td></tr><tr></tr>"
    )
    assert {"A", "B", "C"} <= set(text(f"<table>{rows}</table>").replace("|", " ").split())


def test_what_is_escaped_twice_breaks_no_row() -> None:
    cells = "<tr><th>Year<th>Winner<tr><td>2019<td>A &amp;#124; B&amp;#10;C"
    assert text(f"<table>{cells}</table>").split("\n")[-1] == "| 2019 | A / B C |"


@pytest.mark.parametrize("end", ["<!---->", "<!-- -->", "<!-->"])
def test_the_end_of_a_conditional_comment_is_kept(end: str) -> None:
    assert text(f"<!--[if !IE]>{end}<p>kept</p><!--<![endif]--><p>too") == "kept\ntoo"


def test_preformatted_text_keeps_the_lines_of_what_is_in_it() -> None:
    assert text("<pre>one<br>two <b>bold</b> end</pre>") == "one\ntwo bold end"
    assert text("<pre><p>One.</p><p>Two.</p></pre>") == "One.\nTwo."
    rows = "<tr><th>Year<th>Sum<tr><td>2001<td>4"
    assert text(f"<pre><table>{rows}</table></pre>").endswith("| 2001 | 4 |")


def test_a_number_of_thousands_of_digits_loses_nothing_else() -> None:
    digits = "1" * 5_000
    assert text(f"<p>Kept.</p><p>&amp;amp; &amp;#{digits}; words").startswith("Kept.\n&")


@pytest.mark.parametrize("tag", ["ins", "dfn", "label", "var"])
def test_a_mark_within_a_line_ends_no_line(tag: str) -> None:
    assert text(f"<p>It cost <{tag}>$4</{tag}> then.") == "It cost $4 then."


def test_what_is_much_text_is_no_notice() -> None:
    body = "<p>A line of text.</p>" * 100
    assert text(f"<div class='site cookie-notice-set'>{body}</div>").count("\n") == 99
    assert text(f"<div style='display:none'>{body}</div>") == ""


def test_a_form_around_the_whole_page_is_kept() -> None:
    assert text("<form>" + "<p>A line of text.</p>" * 100 + "</form>").count("\n") == 99
