"""The readable text of a raw HTML page."""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from models.records import Page

MAX_HTML_CHARS = 4_000_000
_NOISE = [
    "script", "style", "noscript", "template", "svg", "iframe", "form", "button", "select",
    "nav", "footer", "aside",
]  # fmt: skip
_INLINE = [
    "a", "abbr", "b", "bdi", "cite", "code", "data", "em", "font", "i", "kbd", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "time", "u", "wbr",
]  # fmt: skip
_MAX_CELL_CHARS = 300


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and its text, a block a line; a table row is one line."""

    title: str
    text: str


def extract(page: Page) -> PageText:
    """The text of `page`, without scripts, navigation and forms; empty where it has no HTML.

    Only the first `MAX_HTML_CHARS` characters are read. Markup of any kind is accepted: what is not
    HTML comes out as the text that it holds.
    """
    if not page.html.strip():
        return PageText(page.name, "")
    tree = LexborHTMLParser(_clean(page.html[:MAX_HTML_CHARS]))
    title = tree.css_first("title")
    name = " ".join(title.text().split()) if title else ""
    if tree.body is None:
        return PageText(name or page.name, "")
    tree.strip_tags(_NOISE)
    tree.unwrap_tags(_INLINE)
    tree.body.merge_text_nodes()
    for row in tree.css("tr"):
        _flatten(row)
    lines = (" ".join(line.split()) for line in tree.body.text(separator="\n").split("\n"))
    return PageText(name or page.name, "\n".join(line for line in lines if line))


def _clean(html: str) -> str:
    """`html` without what cannot be encoded (lone surrogates) and without NUL."""
    return html.encode("utf-8", errors="ignore").decode("utf-8").replace("\0", " ")


def _flatten(row: LexborNode) -> None:
    """Make a table row one line: "label: value", or its cells between bars; layout rows stay."""
    cells = [
        " ".join(cell.text(separator=" ").split())
        for cell in row.iter()
        if cell.tag in ("td", "th")
    ]
    filled = [cell for cell in cells if cell]
    if not filled or any(len(cell) > _MAX_CELL_CHARS for cell in filled):
        return
    line = f"{filled[0].rstrip(':')}: {filled[1]}" if len(filled) == 2 else " | ".join(filled)
    row.replace_with(f"\n{line}\n")
