"""The readable text of a raw HTML page, by selectolax, in a few milliseconds per page."""

import re
from collections.abc import Mapping
from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from models.records import Page
from models.web.decoding import (
    BLOCK_END,
    MAX_HTML_CHARS,
    MAX_TITLE,
    TABLE,
    blocks,
    decode,
    encodable,
    repair_text,
)
from models.web.metadata import LD_JSON, facts_of
from models.web.page import PageText, Span
from models.web.tables import MAX_CELL_CHARS_UNDER_HEADER, Cell, markdown

# Elements without readable text, whatever their content.
_NO_TEXT = frozenset(
    "script style noscript template svg iframe button select nav footer aside".split()
)
# The same, unless they have this much text: some servers wrap the whole page in one form, and some
# sites mark a page with a notice in the class of its body.
_SMALL_NOISE = 'form,[id*="cookie"],[class*="cookie"],[id*="consent"],[class*="consent"]'
_SMALL = 1000
# The same, unless the text is in a table: scripts show tables after sorting them.
_NOT_SHOWN = ("display:none", "display: none")
# One selector for all of these, since each pass over a page takes time.
_NOISE = ",".join([*sorted(_NO_TEXT - {"aside"}), 'aside:not([class*="infobox"])',
                   '[role="navigation"]', _SMALL_NOISE, "[hidden]",
                   *(f'[style*="{style}"]' for style in _NOT_SHOWN)])  # fmt: skip
_INLINE = (
    "a,abbr,b,bdi,bdo,big,cite,code,data,del,dfn,em,font,i,ins,kbd,label,mark,nobr,q,s,samp,small"
    ",span,strong,sub,sup,time,tt,u,var,wbr"
)
_IN_TABLES = ",".join(f"table {name}" for name in _INLINE.split(","))
_SHORT_VALUE = 20  # characters; a longer value identifies a fact by itself
_LONG_SPAN = 5  # digits


class SelectolaxExtractor:
    """The default: by far the fastest, and the only one that keeps tables in place.

    Accepts any markup: input that is not HTML is returned as plain text. `tables` False: tables are
    not marked as such.
    """

    name = "selectolax"
    main_text_only = False

    def __init__(self, *, tables: bool = True) -> None:
        self._tables = tables

    def extract(self, page: Page) -> PageText:
        tree = LexborHTMLParser(decode(page.html))
        title = tree.css_first("title")
        name = repair_text(" ".join(title.text()[:MAX_TITLE].split())) if title else ""
        if tree.body is None:
            return assemble(name or page.name, "", [], [])
        facts = _without_noise(tree)
        for node in tree.css(_INLINE):
            node.unwrap()
        tree.body.merge_text_nodes()
        for node in tree.css("pre"):  # the only element whose line breaks are significant
            if not _has_table(node):
                lines = node.text(separator=BLOCK_END).replace("\n", BLOCK_END)
                node.replace_with(BLOCK_END + lines + BLOCK_END)
        tables = _without_tables(tree)
        text = tree.body.text(separator=BLOCK_END, skip_empty=True)
        found = assemble(name or page.name, text, tables, facts)
        return found if self._tables else replace(found, tables=())


def tables_apart(html: str) -> tuple[str, list[list[str]], list[str]]:
    """`html` without noise and tables, the tables as Markdown lines, and the facts.

    For extractors without table support: the text that they return contains no tables.
    """
    tree = LexborHTMLParser(html)
    facts = _without_noise(tree)
    for node in tree.css(_IN_TABLES):
        node.unwrap()
    if tree.body is None:
        return html, [], facts
    tree.body.merge_text_nodes()
    tables = _without_tables(tree)
    rest = (tree.html or "").replace(BLOCK_END, " ").replace(TABLE, "")
    longest = max(len(html), MAX_HTML_CHARS)  # an unclosed element is repeated in all that follows
    return rest[:longest], tables, facts


def assemble(title: str, text: str, tables: list[list[str]], facts: list[str]) -> PageText:
    """The page of `text`: blocks become lines, and `tables` replace their marks.

    Facts that the text does not contain come last.
    """
    if text.count(TABLE) != len(tables):  # the page contains our marks, as character references
        text = BLOCK_END.join([text.replace(TABLE, " "), *[TABLE] * len(tables)])
    lines: list[str] = []
    spans: list[Span] = []
    at, taken = 0, 0
    for line in blocks(repair_text(text)):
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
    """Whether `body` contains `fact`; a short value counts only with its subject's name."""
    label, _, value = fact.partition(": ")
    value = value or fact
    if value not in body or len(value) > _SHORT_VALUE:
        return value in body
    thing = label.rpartition(", ")[0]
    return thing in body and bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", body))


def _without_noise(tree: LexborHTMLParser) -> list[str]:
    """Remove elements without readable text from `tree`; returns the facts in them."""
    noise = tree.css(_NOISE)
    facts = facts_of(
        [
            node.text()
            for node in noise
            if node.tag == "script" and node.attributes.get("type") == LD_JSON
        ],
        [node.attributes for node in tree.head.css("meta")] if tree.head else [],
    )
    for node in reversed(noise):  # inner ones first: a removed element has no children
        if node.tag not in ("html", "body") and (
            node.tag in _NO_TEXT
            or node.attributes.get("role") == "navigation"
            or len(node.text()) < _SMALL
            or (_is_hidden(node.attributes) and not _has_table(node))
        ):
            node.decompose()
    return facts


def _is_hidden(said: Mapping[str, str | None]) -> bool:
    return "hidden" in said or any(style in (said.get("style") or "") for style in _NOT_SHOWN)


def _has_table(node: LexborNode) -> bool:
    return node.tag == "table" or node.css_first("table") is not None


def _without_tables(tree: LexborHTMLParser) -> list[list[str]]:
    """Replace each table in `tree` by a mark; returns the tables in order."""
    found: list[list[str]] = []
    layout: set[int] = set()  # tables that contain another table
    for table in reversed(tree.css("table")):  # inner ones first
        lines = None if table.mem_id in layout else _lines_of(table)
        if lines == []:
            table.decompose()
            continue
        around = table.parent
        while around is not None and around.tag != "table":
            around = around.parent
        if around is not None:
            layout.add(around.mem_id)
        if lines:
            found.append(lines)
            table.replace_with(f"{BLOCK_END}{TABLE}{BLOCK_END}")
    return found[::-1]


def _lines_of(table: LexborNode) -> list[str] | None:
    """A table without nested tables as Markdown lines; None if it is layout."""
    caption = ""
    rows: list[list[Cell]] = []
    for node in table.css("caption,tr,td,th"):
        tag = node.tag
        if tag == "tr":
            rows.append([])
            continue
        text = " ".join(repair_text(node.text(separator=" ")).split())
        if len(text) > MAX_CELL_CHARS_UNDER_HEADER:
            return None
        if tag == "caption":
            caption = text
        elif rows:
            spans = node.attributes
            columns, below = _span(spans.get("colspan")), _span(spans.get("rowspan"))
            rows[-1].append(Cell(text, tag == "th", columns, below))
    lines = markdown(rows)
    return [caption, *lines] if lines and caption else lines


def _span(value: str | None) -> int:
    return max(int(value), 1) if value and value.isdecimal() and len(value) < _LONG_SPAN else 1
