"""The readable text of a raw HTML page, by selectolax: 2 ms a page."""

import html as html_entities
import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from models.records import Page
from models.web.metadata import LD_JSON, facts_of
from models.web.page import PageText as PageText  # where it was
from models.web.page import Span
from models.web.raw import (
    BLOCK_END,
    MAX_HTML_CHARS,
    TABLE,
    encode,
    mend,
    too_deep,
    without_tags,
)
from models.web.tables import Cell, markdown

# What is no text for the reader of the page: in one selector, since each look at a page costs.
_NOISE = (
    "script,style,noscript,template,svg,iframe,button,select,nav,footer,aside"
    ',[hidden],[style*="display:none"],[style*="display: none"],[role="navigation"]'
    ',[id*="cookie"],[class*="cookie"],[id*="consent"],[class*="consent"]'
)
_INLINE = "a,abbr,b,bdi,cite,code,data,em,font,i,kbd,mark,q,s,small,span,strong,sub,sup,time,u,wbr"
# Some servers wrap the whole page in one form: a form with this much text is no search box.
_FORM_CHARS = 1000
_ROW = re.compile(r"<tr[\s>]")
_CELL = re.compile(r'<t([dh])\b([^>"]*(?:"[^"]*"[^>"]*)*)>')
_OTHER_TAG = re.compile(r'<(?!(?:tr|td|th|caption)\b)[^>"]*(?:"[^"]*"[^>"]*)*>?')
_CAPTION = re.compile(r'<caption\b[^>"]*(?:"[^"]*"[^>"]*)*>')


def extract(page: Page, max_chars: int = MAX_HTML_CHARS) -> PageText:
    """The text of `page`, without scripts, navigation and forms; empty where it has no HTML.

    Only the first `max_chars` characters are read. Markup of any kind is accepted: what is not
    HTML comes out as the text that it holds. A page nested thousands deep loses its tags only.
    """
    if not page.html.strip():
        return PageText(page.name, "")
    raw = encode(page.html, max_chars)
    if too_deep(raw):
        return assemble(page.name, without_tags(raw), [], [])
    tree = LexborHTMLParser(raw)
    title = tree.css_first("title")
    name = mend(" ".join(title.text().split())) if title else ""
    if tree.body is None:
        return PageText(name or page.name, "")
    noise = tree.css(_NOISE)
    facts = facts_of(
        [node.text() for node in noise if _is_facts(node)] if LD_JSON.encode() in raw else [],
        [node.attributes for node in tree.head.css("meta")] if tree.head else [],
    )
    tables = _reduce(tree, noise)
    text = tree.body.text(separator=BLOCK_END)
    return assemble(name or page.name, text, tables, facts)


class SelectolaxExtractor:
    """The default: by far the fastest, and the only one that keeps tables in their place."""

    name = "selectolax"

    def __init__(self, max_chars: int = MAX_HTML_CHARS) -> None:
        self._max_chars = max_chars

    def extract(self, page: Page) -> PageText:
        return extract(page, self._max_chars)


def assemble(title: str, text: str, tables: list[list[str]], facts: list[str]) -> PageText:
    """The page of `text`, its blocks made lines, and each of `tables` put where its mark stands.

    Facts that the text does not hold come last.
    """
    blocks = mend(text).split(BLOCK_END)
    lines: list[str] = []
    spans: list[Span] = []
    at, taken = 0, 0
    for block in blocks:
        line = " ".join(block.split())
        if line == TABLE and taken < len(tables):
            line = "\n".join(tables[taken])
            taken += 1
            spans.append((at, at + len(line)))
        if line:
            lines.append(line)
            at += len(line) + 1
    body = "\n".join(lines)
    new = [fact for fact in facts if fact.partition(": ")[2] not in body]
    return PageText(title, "\n".join([body, *new] if body else new), tuple(spans))


def _is_facts(node: LexborNode) -> bool:
    return node.tag == "script" and node.attributes.get("type") == LD_JSON


def _reduce(tree: LexborHTMLParser, noise: Sequence[LexborNode]) -> list[list[str]]:
    """Take `noise` and the tables out of `tree`; the tables, in their order."""
    for node in reversed(noise):  # the inner ones first: what is gone has no parts
        if node.tag not in ("html", "body"):
            node.decompose()
    for form in tree.css("form"):
        if len(form.text()) < _FORM_CHARS:
            form.decompose()
    for node in tree.css(_INLINE):
        node.unwrap()
    body = tree.body
    if body is None:
        return []
    body.merge_text_nodes()
    found: list[list[str]] = []
    for table in reversed(tree.css("table")):  # the inner ones first
        lines = _lines_of(table)
        if lines is None:
            continue
        if lines:
            found.append(lines)
            table.replace_with(f"{BLOCK_END}{TABLE}{BLOCK_END}")
        else:
            table.decompose()
    return found[::-1]


def _lines_of(table: LexborNode) -> list[str] | None:
    """The table as Markdown lines; None where it is layout, or holds another table."""
    html = table.html or ""
    if TABLE in html or html.count("<table") > 1:
        return None
    before, *rows = _ROW.split(_OTHER_TAG.sub(" ", html))
    lines = markdown([_cells(row) for row in rows])
    caption = _text("".join(_CAPTION.split(before)[1:]))
    return [caption, *lines] if lines and caption else lines


def _cells(row: str) -> list[Cell]:
    """The cells of a row, read off its HTML, which the parser has written out well-formed."""
    parts = _CELL.split(row)
    return [
        Cell(
            _text(text),
            kind == "h",
            _span("colspan", attributes),
            _span("rowspan", attributes),
        )
        for kind, attributes, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    ]


def _text(html: str) -> str:
    if "&" in html:
        html = html_entities.unescape(html)
    return " ".join(html.split())


def _span(name: str, attributes: str) -> int:
    if name not in attributes:
        return 1
    found = re.search(rf'{name}="(\d{{1,4}})"', attributes)
    return max(int(found[1]), 1) if found else 1
