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
_NOISE = ",".join(
    [
        *sorted(_NO_TEXT - {"aside"}),
        'aside:not([class*="infobox"])',
        '[role="navigation"]',
        _SMALL_NOISE,
        "[hidden]",
        *(f'[style*="{style}"]' for style in _NOT_SHOWN),
    ]
)
_INLINE = (
    "a,abbr,b,bdi,bdo,big,cite,code,data,del,dfn,em,font,i,ins,kbd,label,mark,nobr,q,s,samp,small"
    ",span,strong,sub,sup,time,tt,u,var,wbr"
)
_INLINE_IN_TABLES = ",".join(f"table {name}" for name in _INLINE.split(","))
_SHORT_VALUE = 20  # characters; a longer value identifies a fact by itself
_TOO_MANY_DIGITS = 5  # of a colspan or rowspan


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
        """The readable text of `page`; empty if it has none."""
        tree = LexborHTMLParser(decode(page.html))
        title = _title_in(tree) or page.name
        if tree.body is None:
            return assemble(title, "", [], [])
        facts = _remove_noise(tree)
        for node in tree.css(_INLINE):
            node.unwrap()
        tree.body.merge_text_nodes()
        for node in tree.css("pre"):  # the only element whose line breaks are significant
            if not _has_table(node):
                lines = node.text(separator=BLOCK_END).replace("\n", BLOCK_END)
                node.replace_with(BLOCK_END + lines + BLOCK_END)
        tables = _replace_tables(tree)
        text = tree.body.text(separator=BLOCK_END, skip_empty=True)
        page_text = assemble(title, text, tables, facts)
        if not self._tables:
            return replace(page_text, tables=())
        return page_text


def tables_apart(html: str) -> tuple[str, list[list[str]], list[str]]:
    """`html` without noise and tables, the tables as Markdown lines, and the facts.

    For extractors without table support: the text that they return contains no tables.
    """
    tree = LexborHTMLParser(html)
    facts = _remove_noise(tree)
    for node in tree.css(_INLINE_IN_TABLES):
        node.unwrap()
    if tree.body is None:
        return html, [], facts
    tree.body.merge_text_nodes()
    tables = _replace_tables(tree)
    rest = (tree.html or "").replace(BLOCK_END, " ").replace(TABLE, "")
    longest = max(len(html), MAX_HTML_CHARS)  # an unclosed element is repeated in all that follows
    return rest[:longest], tables, facts


def assemble(title: str, text: str, tables: list[list[str]], facts: list[str]) -> PageText:
    """The page of `text`: blocks become lines, and `tables` replace their marks.

    Facts that the text does not contain come last.
    """
    if text.count(TABLE) != len(tables):  # the page contains our marks, as character references
        marks = [TABLE] * len(tables)
        text = BLOCK_END.join([text.replace(TABLE, " "), *marks])
    lines: list[str] = []
    spans: list[Span] = []
    offset = 0  # of the next line
    for line in blocks(repair_text(text)):
        if line == TABLE and len(spans) < len(tables):
            line = "\n".join(tables[len(spans)])
            spans.append((offset, offset + len(line)))
        if line:
            lines.append(line)
            offset += len(line) + 1
    body = "\n".join(lines)
    new_facts = [fact for fact in map(encodable, facts) if not _contains(body, fact)]
    parts = [body, *new_facts] if body else new_facts
    return PageText(encodable(title), "\n".join(parts), tuple(spans))


def _contains(body: str, fact: str) -> bool:
    """Whether `body` contains `fact`; a short value counts only with its subject's name."""
    label, _, value = fact.partition(": ")
    value = value or fact
    if value not in body:
        return False
    if len(value) > _SHORT_VALUE:
        return True
    subject = label.rpartition(", ")[0]
    as_words = rf"(?<!\w){re.escape(value)}(?!\w)"
    return subject in body and re.search(as_words, body) is not None


def _title_in(tree: LexborHTMLParser) -> str:
    """The text of the page's `<title>`; empty without one."""
    title = tree.css_first("title")
    if title is None:
        return ""
    return repair_text(" ".join(title.text()[:MAX_TITLE].split()))


def _remove_noise(tree: LexborHTMLParser) -> list[str]:
    """Remove elements without readable text from `tree`; returns the facts in them."""
    noise = tree.css(_NOISE)
    scripts = [node.text() for node in noise if _is_json_ld(node)]
    metas = [node.attributes for node in tree.head.css("meta")] if tree.head else []
    facts = facts_of(scripts, metas)
    for node in reversed(noise):  # inner ones first: a removed element has no children
        if _is_noise(node):
            node.decompose()
    return facts


def _is_json_ld(node: LexborNode) -> bool:
    return node.tag == "script" and node.attributes.get("type") == LD_JSON


def _is_noise(node: LexborNode) -> bool:
    """Whether an element that `_NOISE` selects has no readable text."""
    if node.tag in ("html", "body"):
        return False
    if node.tag in _NO_TEXT or node.attributes.get("role") == "navigation":
        return True
    if len(node.text()) < _SMALL:
        return True
    return _is_hidden(node.attributes) and not _has_table(node)


def _is_hidden(attributes: Mapping[str, str | None]) -> bool:
    style = attributes.get("style") or ""
    return "hidden" in attributes or any(hiding in style for hiding in _NOT_SHOWN)


def _has_table(node: LexborNode) -> bool:
    return node.tag == "table" or node.css_first("table") is not None


def _replace_tables(tree: LexborHTMLParser) -> list[list[str]]:
    """Replace each table in `tree` by a mark; returns the tables in order."""
    tables: list[list[str]] = []
    layout: set[int] = set()  # tables that contain another table
    for table in reversed(tree.css("table")):  # inner ones first
        lines = None if table.mem_id in layout else _table_lines(table)
        if lines == []:
            table.decompose()
            continue
        outer = _table_around(table)
        if outer is not None:
            layout.add(outer.mem_id)
        if lines:
            tables.append(lines)
            table.replace_with(f"{BLOCK_END}{TABLE}{BLOCK_END}")
    tables.reverse()
    return tables


def _table_around(table: LexborNode) -> LexborNode | None:
    """The innermost table that contains `table`; None if there is none."""
    node = table.parent
    while node is not None and node.tag != "table":
        node = node.parent
    return node


def _table_lines(table: LexborNode) -> list[str] | None:
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
            attributes = node.attributes
            columns = _span_count(attributes.get("colspan"))
            rows_below = _span_count(attributes.get("rowspan"))
            rows[-1].append(Cell(text, tag == "th", columns, rows_below))
    lines = markdown(rows)
    return [caption, *lines] if lines and caption else lines


def _span_count(value: str | None) -> int:
    """The number in a `colspan` or `rowspan`; 1 if it is none, is 0 or has too many digits."""
    if value and value.isdecimal() and len(value) < _TOO_MANY_DIGITS:
        return max(int(value), 1)
    return 1
