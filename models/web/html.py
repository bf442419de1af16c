"""The readable text of a raw HTML page."""

import html as html_entities
import re
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
# The parser's time grows with the square of the nesting: 5 s and more for a page made to hurt.
_MANY_TAGS = 20_000  # below this the depth needs no look
_MAX_DEPTH = 5_000
_TAG = re.compile(r"<(/?)[a-zA-Z][^<>]*?(/?)>")
_BLOCK_END = "\x1e"  # ends a block while line breaks are still mere spaces, as HTML has it


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and its text, a block a line; a table row is one line."""

    title: str
    text: str


def extract(page: Page) -> PageText:
    """The text of `page`, without scripts, navigation and forms; empty where it has no HTML.

    Only the first `MAX_HTML_CHARS` characters are read. Markup of any kind is accepted: what is not
    HTML comes out as the text that it holds. A page nested thousands deep loses its tags only.
    """
    if not page.html.strip():
        return PageText(page.name, "")
    html = _clean(page.html[:MAX_HTML_CHARS])
    if html.count("<") > _MANY_TAGS and _depth(html) > _MAX_DEPTH:
        return PageText(page.name, _lines(html_entities.unescape(_TAG.sub(_BLOCK_END, html))))
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    name = " ".join(title.text().split()) if title else ""
    if tree.body is None:
        return PageText(name or page.name, "")
    tree.strip_tags(_NOISE)
    tree.unwrap_tags(_INLINE)
    tree.body.merge_text_nodes()
    for row in tree.css("tr"):
        _flatten(row)
    return PageText(name or page.name, _lines(tree.body.text(separator=_BLOCK_END)))


def _lines(text: str) -> str:
    """One line a block of `text`, its white space made single spaces."""
    blocks = text.split(_BLOCK_END)
    lines = (" ".join(block.split()) for block in blocks)
    return "\n".join(line for line in lines if line)


def _depth(html: str) -> int:
    """About how many elements are open at once at most; elements without an end tag count too."""
    depth = deepest = 0
    for tag in _TAG.finditer(html):
        if tag[1]:
            depth -= 1
        elif not tag[2]:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _clean(html: str) -> str:
    """`html` without what cannot be encoded (lone surrogates), NUL and our own mark."""
    encodable = html.encode("utf-8", errors="ignore").decode("utf-8")
    return encodable.replace("\0", " ").replace(_BLOCK_END, " ")


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
    row.replace_with(f"{_BLOCK_END}{line}{_BLOCK_END}")
