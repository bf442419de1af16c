"""The readable text of a raw HTML page, by selectolax: 2 ms a page."""

import html as html_entities
import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from models.records import Page
from models.web.metadata import LD_JSON, facts_of
from models.web.page import PageText as PageText  # where it was
from models.web.page import Span
from models.web.raw import (
    BLOCK_END,
    MAX_HTML_CHARS,
    TABLE,
    encodable,
    encode,
    mend,
    title_of,
    too_deep,
    without_tags,
)
from models.web.tables import Cell, markdown

# What is no text for the reader of the page, whatever it holds.
_NO_TEXT = frozenset(
    "script style noscript template svg iframe button select nav footer aside".split()
)
# The same, unless it holds this much text: some servers wrap the whole page in one form, and some
# sites say in the class of the page's body that there is a notice on it.
_SMALL_NOISE = 'form,[id*="cookie"],[class*="cookie"],[id*="consent"],[class*="consent"]'
_NAVIGATION = '[role="navigation"]'
_SMALL = 1000
# The same, unless that text is in a table: scripts show tables when they have sorted them.
_HIDDEN = '[hidden],[style*="display:none"],[style*="display: none"]'
# All of these in one selector, since each look at a page costs.
_NOISE = ",".join([*sorted(_NO_TEXT - {"aside"}), 'aside:not([class*="infobox"])', _NAVIGATION,
                   _SMALL_NOISE, _HIDDEN])  # fmt: skip
_MEASURED = 10 * MAX_HTML_CHARS  # characters of things in each other that are looked at, in all
_INLINE = "a,abbr,b,bdi,cite,code,data,em,font,i,kbd,mark,q,s,small,span,strong,sub,sup,time,u,wbr"
_IN_TABLES = ",".join(f"table {name}" for name in _INLINE.split(","))
_SHORT_VALUE = 20  # characters; a longer value is told by itself
_ROW = re.compile(r"<tr[\s>]")
_CELL = re.compile(r'<t([dh])\b([^>"]*(?:"[^"]*"[^>"]*)*)>')
_OTHER_TAG = re.compile(r'<(?!(?:tr|td|th|caption)\b)[^>"]*(?:"[^"]*"[^>"]*)*>?')
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_CAPTION = re.compile(r'<caption\b[^>"]*(?:"[^"]*"[^>"]*)*>')


def extract(page: Page, max_chars: int = MAX_HTML_CHARS) -> PageText:
    """The text of `page`, without scripts, navigation and forms; empty where it has no HTML.

    Only the first `max_chars` characters are read. Markup of any kind is accepted: what is not
    HTML comes out as the text that it holds. A page nested thousands deep loses its tags only.
    """
    if not page.html.strip():
        return assemble(page.name, "", [], [])
    raw = encode(page.html, max_chars)
    if too_deep(raw):
        name = title_of(page.html[:max_chars])
        return assemble(name or page.name, without_tags(raw), [], [])
    tree = LexborHTMLParser(raw)
    title = tree.css_first("title")
    name = mend(" ".join(title.text().split())) if title else ""
    if tree.body is None:
        return assemble(name or page.name, "", [], [])
    facts = _without_noise(tree, raw)
    for node in tree.css(_INLINE):
        node.unwrap()
    if b"<pre" in raw:
        for node in reversed(tree.css("pre")):  # the only element whose line breaks are meant
            node.replace_with(BLOCK_END + node.text().replace("\n", BLOCK_END) + BLOCK_END)
    tree.body.merge_text_nodes()
    tables = _without_tables(tree)
    text = tree.body.text(separator=BLOCK_END)
    return assemble(name or page.name, text, tables, facts)


def tables_apart(page: Page, max_chars: int) -> tuple[str, list[list[str]], list[str]]:
    """The HTML of `page` without noise and tables, the tables as Markdown lines, and its facts.

    For an extractor that has no eye for tables: what it reads in the rest stands in no table.
    """
    raw = encode(page.html, max_chars)
    if too_deep(raw):
        return page.html, [], []
    tree = LexborHTMLParser(raw)
    facts = _without_noise(tree, raw)
    for node in tree.css(_IN_TABLES):
        node.unwrap()
    if tree.body is None:
        return page.html, [], facts
    tables = _without_tables(tree)
    return (tree.html or "").replace(BLOCK_END, " ").replace(TABLE, ""), tables, facts


class SelectolaxExtractor:
    """The default: by far the fastest, and the only one that keeps tables in their place."""

    name = "selectolax"
    main_text_only = False

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
    new = [fact for fact in map(encodable, facts) if not _stands(fact, body)]
    return PageText(encodable(title), "\n".join([body, *new] if body else new), tuple(spans))


def _stands(fact: str, body: str) -> bool:
    """Whether `body` holds what `fact` says; a short value says it only beside its thing's name."""
    label, _, value = fact.partition(": ")
    value = value or fact
    if value not in body or len(value) > _SHORT_VALUE:
        return value in body
    thing = label.rpartition(", ")[0]
    return thing in body and bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", body))


def _is_facts(node: LexborNode) -> bool:
    return node.tag == "script" and node.attributes.get("type") == LD_JSON


def _without_noise(tree: LexborHTMLParser, raw: bytes) -> list[str]:
    """Take out of `tree` what is no text for the reader of the page; the facts that were in it."""
    noise = tree.css(_NOISE)
    facts = facts_of(
        [node.text() for node in noise if _is_facts(node)] if LD_JSON.encode() in raw else [],
        [node.attributes for node in tree.head.css("meta")] if tree.head else [],
    )
    left = _MEASURED
    for node in reversed(noise):  # the inner ones first: what is gone has no parts
        if node.tag not in _NO_TEXT and not node.css_matches(_NAVIGATION):
            if node.tag in ("html", "body") or left < 0:
                continue
            size = len(node.text())
            left -= size
            if size >= _SMALL and not (node.css_matches(_HIDDEN) and not _has_table(node)):
                continue
        node.decompose()
    return facts


def _has_table(node: LexborNode) -> bool:
    return node.tag == "table" or node.css_first("table") is not None


def _without_tables(tree: LexborHTMLParser) -> list[list[str]]:
    """Put a mark in the place of each table in `tree`; the tables, in their order."""
    found: list[list[str]] = []
    left = _MEASURED
    for table in reversed(tree.css("table")):  # the inner ones first
        html = table.html or ""
        left -= len(html)
        if left < 0:
            break
        lines = _lines_of(html)
        if lines is None:
            continue
        if lines:
            found.append(lines)
            table.replace_with(f"{BLOCK_END}{TABLE}{BLOCK_END}")
        else:
            table.decompose()
    return found[::-1]


def _lines_of(html: str) -> list[str] | None:
    """The table as Markdown lines; None where it is layout, or holds another table."""
    if "<!--" in html:
        html = _COMMENT.sub("", html)
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
