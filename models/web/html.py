"""The readable text of a raw HTML page, by selectolax, in a few milliseconds per page."""

import re
from collections.abc import Iterator
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
from models.web.mathml import write_formulas
from models.web.metadata import date_apart
from models.web.noise import PRICE, has_table, remove_noise
from models.web.page import PageText, Span
from models.web.superscripts import write_scripts
from models.web.tables import (
    MAX_CELL_CHARS,
    MAX_CELL_CHARS_UNDER_HEADER,
    Cell,
    label_and_value,
    markdown,
)

# Elements that begin no line.
_INLINE = tuple(
    "a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label map mark"
    " math nobr output picture q rb rp rt ruby s samp slot small span strike strong sub sup time"
    " tt u var".split()
)
# Other elements that HTML knows. Those that it does not know, such as <x-price>, begin no line in a
# paragraph, a heading or beside text.
_KNOWN = frozenset(
    "address article aside base blockquote body br caption center col colgroup dd details dialog"
    " dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head"
    " header hgroup hr html iframe legend li main menu nav noframes noscript object ol optgroup"
    " option p plaintext pre script search section select style summary svg table tbody td"
    " template textarea tfoot th thead title tr ul xmp".split()
)
_TAG_NAME = re.compile(r"<([a-zA-Z][a-zA-Z0-9:-]*)")
_MOST_UNKNOWN = 100  # names of elements in a page
_LINES = ("p", "h1", "h2", "h3", "h4", "h5", "h6")
# Inline elements without any text of their own; a browser shows other text in some only where it
# cannot show them.
_EMPTY = tuple(
    "area audio canvas datalist embed img input link meta meter param progress source track video"
    " wbr".split()
)
_EMPTY_OBJECT = "object:not(:has(table))"
# Selecting all pictures would cost time.
_WITH_VALUES = (
    'time[datetime],img[alt*="star" i],img[alt*="rat" i],img[alt*=" of "],img[alt*="/"],'
    "meter[value],del,s,strike"
)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"\b\d{4}\b")
_RATING = re.compile(r"\s*(?:rat\w+:? )?\d(?:[.,]\d+)?\s*(?:out of|of|/|stars?)\b", re.I)
_SHORT_VALUE = 20  # characters; a longer value identifies a fact by itself
_LIST_COMMA = ", "  # between the items of a list in a cell
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
        html = decode(page.html)
        tree = LexborHTMLParser(html)
        title = _title_in(tree) or page.name
        if tree.body is None:
            return assemble(title, "", [], [])
        facts = remove_noise(tree)
        names = _tag_names(html)
        _write_values(tree)
        _write_formulas(tree, names)
        _join_lines(tree, names)
        for node in tree.css("pre"):  # the only element whose line breaks are significant
            if not has_table(node):
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
    facts = remove_noise(tree)
    if tree.body is None:
        return html, [], facts
    names = _tag_names(html)
    _write_values(tree)
    _write_formulas(tree, names)
    _join_lines(tree, names, within="table ")
    tables = _replace_tables(tree)
    rest = (tree.html or "").replace(BLOCK_END, " ").replace(TABLE, "")
    return rest[: _longest(html)], tables, facts


def plain_scripts(html: str) -> str:
    """`html` with its formulas, superscripts and subscripts as text."""
    names = _tag_names(html)
    if names.isdisjoint(("sup", "sub", "math")):
        return html
    tree = LexborHTMLParser(html)
    _write_formulas(tree, names)
    return (tree.html or "")[: _longest(html)]


def _tag_names(html: str) -> set[str]:
    """The names of a page's elements, in lower case."""
    return {name.lower() for name in set(_TAG_NAME.findall(html))}


def _write_values(tree: LexborHTMLParser) -> None:
    """Write what attributes say for a picture or phrase: the date of "3 days ago", the stars
    of a rating, a meter; without prices that are struck out."""
    for node in tree.css(_WITH_VALUES):
        attributes = node.attributes
        match node.tag:
            case "time":
                date = _ISO_DATE.match(attributes.get("datetime") or "")
                if date and not _YEAR.search(node.text()):
                    node.insert_child(f" ({date[0]})")
            case "img":
                if _RATING.match(attributes.get("alt") or ""):
                    node.replace_with(attributes["alt"] or "")
            case "meter":
                most = attributes.get("max")
                value = attributes.get("value") or ""
                node.replace_with(f"{value} of {most}" if most else value)
            case _:
                if PRICE.search(node.text()):
                    node.decompose()


def _write_formulas(tree: LexborHTMLParser, names: set[str]) -> None:
    """Replace the formulas, superscripts and subscripts of a page by text.

    Args:
        tree: it is changed.
        names: of its elements.
    """
    if "math" in names:
        write_formulas(tree)
    if "sup" in names or "sub" in names:
        write_scripts(tree)


def _longest(html: str) -> int:
    """Most characters of a page that is written again: an unclosed element is repeated in all that
    follows."""
    return max(len(html), MAX_HTML_CHARS)


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
    date, other_facts = date_apart(facts)
    new_facts = [fact for fact in map(encodable, other_facts) if not _contains(body, fact)]
    parts = [body, *new_facts] if body else new_facts
    return PageText(encodable(title), "\n".join(parts), tuple(spans), date)


def _contains(body: str, fact: str) -> bool:
    """Whether `body` contains `fact`; a short value counts only with its subject's name."""
    label, _, value = fact.partition(": ")
    value = (value or fact).rstrip(" .\u2026")  # a description is often the cut-off beginning
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


def _join_lines(tree: LexborHTMLParser, names: set[str], within: str = "") -> None:
    """Make one text of what is one line in a browser: an element that begins no line is no end of a
    sentence.

    Args:
        tree: it is changed.
        names: of its elements.
        within: a selector of the elements in which lines are joined, with a space at its end.
    """
    for node in tree.css(",".join((*_EMPTY, _EMPTY_OBJECT))):
        node.decompose()
    for node in tree.css(",".join(within + name for name in _INLINE)):
        node.unwrap(delete_empty=True)
    unknown = sorted(names.difference(_KNOWN, _INLINE, _EMPTY))[:_MOST_UNKNOWN]
    if unknown:
        selectors = (within + name.replace(":", r"\:") for name in unknown)
        for node in tree.css(",".join(selectors)):
            if _is_within_a_line(node):
                node.unwrap(delete_empty=True)
    if tree.body is not None:
        tree.body.merge_text_nodes()


def _is_within_a_line(node: LexborNode) -> bool:
    """Whether an element is a part of a paragraph or heading, or has text beside it."""
    parent = node.parent
    if parent is not None and parent.tag in _LINES:
        return True
    return any(
        sibling is not None and sibling.is_text_node and not sibling.is_empty_text_node
        for sibling in (node.prev, node.next)
    )


def _replace_tables(tree: LexborHTMLParser) -> list[list[str]]:
    """Replace each table in `tree` by a mark; returns the tables in order."""
    for item in tree.css("td li + li"):
        item.insert_before(_LIST_COMMA)
    tables: list[list[str]] = []
    layout: set[int] = set()  # tables that contain another table
    for table in reversed(tree.css("table")):  # inner ones first
        lines = None if table.mem_id in layout else _table_lines(table)
        if lines is None:
            _write_labels(table)
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


def _write_labels(table: LexborNode) -> None:
    """Write "label: value" for the rows of a layout table that have a header cell and one other:
    an infobox with a table or a long text in one of its cells."""
    for row in list(_rows_of(table)):
        cells = [node for node in row.iter() if node.tag in ("th", "td")]
        if [cell.tag for cell in cells] != ["th", "td"] or has_table(row):
            continue
        label, value = map(_cell_text, cells)
        if label and value and len(value) <= MAX_CELL_CHARS and TABLE not in value:
            row.replace_with(f"{BLOCK_END}{label_and_value(label, value)}{BLOCK_END}")


def _rows_of(table: LexborNode) -> Iterator[LexborNode]:
    """The rows of a table without those of tables in it."""
    for child in table.iter():
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in child.iter() if row.tag == "tr")


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
        text = _cell_text(node)
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


def _cell_text(cell: LexborNode) -> str:
    text = " ".join(repair_text(cell.text(separator=" ")).split())
    return text.replace(f" {_LIST_COMMA}", _LIST_COMMA)


def _span_count(value: str | None) -> int:
    """The number in a `colspan` or `rowspan`; 1 if it is none, is 0 or has too many digits."""
    if value and value.isdecimal() and len(value) < _TOO_MANY_DIGITS:
        return max(int(value), 1)
    return 1
