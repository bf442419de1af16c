"""Superscripts and subscripts as text: "10<sup>23</sup>" is not the number 1023.

A superscript is an exponent, a footnote, cents, a numerator, a degree sign, or letters such as
"th". It is an exponent only where its surroundings show it, else a number is a footnote.
"""

import re
from collections.abc import Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

_CONTEXT = 40  # characters before and after
_BLOCKS = frozenset(
    "address article aside blockquote body br caption dd div dl dt fieldset figure form"
    " h1 h2 h3 h4 h5 h6 hr html li main nav ol p pre section"
    " table tbody td tfoot th thead tr ul".split()
)
_MOST_CHARS = 20  # of a superscript; a longer one is text in small letters, or is not closed
_MOST_NODES = 40  # before or after it that are read
_MOST_UNCLOSED = 20  # whose links are looked at
_MOST_SCRIPTS = 5_000  # of a page; one with more is no text
_MARKS = re.compile(r"[*\u2020\u2021\u00a7\u00b6#\u2217]+")
_BRACKETED = re.compile(r"[\[(].*[\])]|:\s?\d+(?:[\u2013-]\d+)?")  # also a page
_NUMBERS = re.compile(r"\d+(?:\s*[,;\u2013-]\s*\d+|\s+\d+)*,?")
_NOTE = re.compile(r"(?:note|nb|fn|ref|n)\.?\s?\d+", re.I)
_LETTER = re.compile(r"[a-z]")
_SIGNED = re.compile(r"[\u2212\u2013+-]\s?[\da-z]+")
_DECIMAL = re.compile(r"\d+\.\d+")
_EXPRESSION = re.compile(
    r"[\w.]+(?:\s?[+\u2212*/-]\s?[\w.]+)+|\w?[\u03b1-\u03c9]\w?|\d[a-z]|\d+\^\d+"
)
_WHOLE_FRACTION = re.compile(r"\d{1,2}/\d{1,2}")
_ISOTOPE_AFTER = re.compile(r"[A-Z][a-z]?(?![a-z])")
_FRACTION = re.compile(r"\s*[/\u2044]\s*\d")
_DIGIT_BEFORE = re.compile(r"\d$")
_ORDINAL_BEFORE = re.compile(r"(?<![\w.,])(?:\d{1,2}|N)$")
_ORDINAL_LETTERS = ("e", "o")  # "2e" and "No" in other languages
# Prices with cents are below ten thousand.
_PRICE = re.compile(r"(?:[$\u20ac\u00a3\u00a5]|\b(?:USD|EUR|GBP)\s)\s?(?:\d{1,3}|\d,?\d{3})\.?$")
_AMOUNT = re.compile(r"(?<![\d.,])\d{1,3}(?:,?\d{3})*$")
_CURRENCY_AFTER = re.compile(r"\s?(?:[$\u20ac\u00a3\u00a5]|usd|eur|gbp)", re.I)
_SCALE_AFTER = re.compile(
    r"\s*(?:%|percent|thousand|million|billion|trillion|bn\b|mn\b|[kmb]\b)", re.I
)
_TEMPERATURE_AFTER = re.compile(r"\s?(?:[CFK]|[NSEW])\b")
# What a number is raised from, at the end of the text before it.
_TIMES_TEN = re.compile(r"[\u00d7x\u00b7*\u22c5]\s?10\s?$")  # 6.02×10
_BASES = (
    re.compile(r"\b(?:of|is|are|was|about|than|to|with|has|have|nearly|over|under|at least) 10$"),
    re.compile(r"[=\u00d7\u00b7+\u2212*^\u2248]\s*\d{1,4}$"),  # = 2
    re.compile(r"(?<![A-Za-z0-9_'\u2019])[b-z]$"),  # x
    re.compile(r"=\s?\S{0,8}[a-z]$"),  # E = mc
    re.compile(r"[=\u00d7\u00b7+\u2212*^][^()=]*\)$"),  # = (a + b)
)
_POWER_OF_TWO = re.compile(
    r"(?:^|\b(?:is|are|was|about|than|to|with|has|have|nearly|over|of|and|or|,) )2$"
)
# Units, which are squared or cubed.
_UNITS = (
    re.compile(r"(?<![\w$\u20ac\u00a3\u00a5])(?:[\d.,]+\s?)?[kcdm\u03bc\u00b5n]m$"),  # 50 km
    re.compile(  # 1,200 m
        r"(?<![\w.,$\u20ac\u00a3\u00a5])(?:\d{1,3}(?:,\d{3})*|\d+\.\d+|\d{5,})\s?"
        r"(?:m|ft|in|mi|yd|s|sec|ha|feet|foot|inch|miles?)$"
    ),
    re.compile(  # kg/m
        r"(?:/|\b(?:per|square|cubic)\s)(?:m|ft|in|mi|yd|s|sec|ha|feet|foot|inch|miles?)$"
    ),
)
_UNIT_POWERS = ("2", "3")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d$")
_VARIABLES = frozenset("nxykijmpq")  # that may be an exponent of a number
# What may be raised if an operator follows.
_SMALL_BASE = re.compile(
    r"(?<![\w.,$\u20ac\u00a3\u00a5'\u2019])(?:\d{1,4}|[^\W\d_]|\([^()]{1,20}\))$"
)
_OPERATOR_AFTER = re.compile(r"\s*[=\u00d7\u00b7+*^\u2248\u2212]\s*[\w(]|/[a-z]")
_TEN = re.compile(r"(?<![\w.,$\u20ac\u00a3\u00a5])10$")


def write_scripts(tree: LexborHTMLParser) -> None:
    """Replace each superscript and subscript of `tree` by its text."""
    unclosed = 0
    for node in tree.css("sup,sub")[:_MOST_SCRIPTS]:
        if node.parent is not None and node.parent.tag in ("sup", "sub"):
            continue  # it is a part of what was replaced
        size = sum(1 for _ in islice(node.traverse(include_text=True), _MOST_NODES))
        text = " ".join(_first_text(node, 2 * _MOST_CHARS).split())
        if len(text) > _MOST_CHARS or size == _MOST_NODES:
            unclosed += 1
            if unclosed <= _MOST_UNCLOSED:
                _remove_links_to_notes(node)
            continue
        for inner in node.css("sup"):
            if inner.mem_id != node.mem_id:
                inner.replace_with(f"^{inner.text().strip()}")
                text = " ".join(node.text().split())
        before = text_before(node)
        if node.tag == "sub":
            written = subscript(before, text)
        elif _links_to_a_note(node):
            written = ""
        else:
            written = superscript(before, text, _text_after(node))
        node.replace_with(written)


def superscript(before: str, text: str, after: str) -> str:
    """What a superscript is in a line of text; empty if it is a footnote.

    Args:
        before: the end of the text before it; empty at the beginning of a block.
        after: the beginning of the text after it.

    >>> superscript("6.02×10", "23", " per mole")
    '^23'
    >>> superscript("$12.3", "1", " billion")
    ''
    """
    is_apart = not before.strip() or before[-1:] == " "
    if is_apart and text.isdecimal() and _ISOTOPE_AFTER.match(after):
        return text
    if not before.strip() and not _FRACTION.match(after):
        return f"{text} "  # the number of the footnote itself
    if _WHOLE_FRACTION.fullmatch(text):
        return f" {text}" if _DIGIT_BEFORE.search(before) else text
    if _is_exponent(before, text, after):
        return f"^{text}"
    if text.isdecimal() and _FRACTION.match(after):
        return f" {text}" if _DIGIT_BEFORE.search(before) else text
    if text in ("o", "0") and _DIGIT_BEFORE.search(before) and _TEMPERATURE_AFTER.match(after):
        return "\u00b0"
    if _is_cents(before, text, after):
        return text if before.endswith(".") else f".{text}"
    if _DECIMAL.fullmatch(text) and before[-1:].isalnum():
        return f"^{text}"
    if _EXPRESSION.fullmatch(text) and before[-1:].isalnum() and not _NUMBERS.fullmatch(text):
        return f"^({text})"
    if _is_part_of_a_word(before, text, after):
        return text
    if _is_note(text):
        return ""
    return f"^{text}" if text[:1].isdecimal() and _DIGIT_BEFORE.search(before) else text


def subscript(before: str, text: str) -> str:
    """What a subscript is in a line of text: a number's base does not become its last digits.

    >>> subscript("H", "2"), subscript("1/", "2"), subscript("1011", "2")
    ('2', '2', '_2')
    """
    if text[:1].isdecimal() and _DIGIT_BEFORE.search(before):
        return f"_{text}"
    return text


def _is_note(text: str) -> bool:
    """Whether a text is the number, the letter or the sign of a footnote."""
    return any(kind.fullmatch(text) for kind in (_MARKS, _BRACKETED, _NUMBERS, _NOTE, _LETTER))


def _is_cents(before: str, text: str, after: str) -> bool:
    """Whether a superscript is the cents of a price."""
    if len(text) != 2 or not text.isdecimal() or _SCALE_AFTER.match(after):
        return False
    if _PRICE.search(before):
        return True
    return _AMOUNT.search(before) is not None and _CURRENCY_AFTER.match(after) is not None


def _is_exponent(before: str, text: str, after: str) -> bool:
    if _SIGNED.fullmatch(text):
        return before[-1:].isalnum() or before.endswith(")")
    if not text.isdecimal() and not _LETTER.fullmatch(text):
        return False
    if _TIMES_TEN.search(before):
        return True
    if text in _VARIABLES and _DIGIT_BEFORE.search(before) and not after[:1].isalnum():
        return True
    if _SCALE_AFTER.match(after) or (text.isalpha() and after[:1].isalpha()):
        return False
    if any(unit.search(before) for unit in _UNITS):
        return text in _UNIT_POWERS
    if any(base.search(before) for base in _BASES):
        return True
    if len(text) == 2 and text.isdecimal() and _POWER_OF_TWO.search(before):
        return True
    if _YEAR.search(before):
        return False
    if _TEN.search(before) and text.isdecimal() and (len(text) > 1 or before.strip() == "10"):
        return True
    return _SMALL_BASE.search(before) is not None and _OPERATOR_AFTER.match(after) is not None


def _is_part_of_a_word(before: str, text: str, after: str) -> bool:
    """Whether a letter is raised in the middle of a name, or ends an ordinal number."""
    if not _LETTER.fullmatch(text):
        return False
    is_ordinal = text in _ORDINAL_LETTERS and _ORDINAL_BEFORE.search(before) is not None
    return is_ordinal or after[:1].isalpha()


def _remove_links_to_notes(node: LexborNode) -> None:
    """Remove the footnotes of a superscript that is not closed: it has the rest of the page."""
    for link in node.css("a"):
        if _is_to_this_page(link) and _is_note(" ".join(link.text().split())):
            link.decompose()


def _is_only_child(node: LexborNode) -> bool:
    """Whether nothing but white space stands beside a node."""
    return all(sibling is None or sibling.is_empty_text_node for sibling in (node.prev, node.next))


def _links_to_a_note(node: LexborNode) -> bool:
    """Whether a superscript contains a link to a place of the page, or is one."""
    links = node.css("a")
    alone = node  # what holds nothing but the superscript
    while alone.tag not in _BLOCKS and alone.tag != "a" and _is_only_child(alone):
        parent = alone.parent
        if parent is None:
            break
        alone = parent
    if alone.tag == "a":
        links.append(alone)
    return any(map(_is_to_this_page, links))


def _is_to_this_page(link: LexborNode) -> bool:
    return "#" in (link.attributes.get("href") or "")


def text_before(node: LexborNode) -> str:
    """The last characters before `node` in its block."""
    text = ""
    for sibling in _neighbours(node, "prev"):
        text = _last_text(sibling, _CONTEXT) + text
        if len(text) >= _CONTEXT:
            break
    return text[-_CONTEXT:]


def _text_after(node: LexborNode) -> str:
    """The first characters after `node` in its block."""
    text = ""
    for sibling in _neighbours(node, "next"):
        text += _first_text(sibling, _CONTEXT)
        if len(text) >= _CONTEXT:
            break
    return text[:_CONTEXT]


def _first_text(node: LexborNode, length: int) -> str:
    """The first characters of a node's text."""
    text = ""
    for inner in islice(node.traverse(include_text=True), _MOST_NODES):
        if inner.is_text_node:
            text += inner.text_content or ""
        if len(text) >= length:
            break
    return text[:length]


def _last_text(node: LexborNode, length: int) -> str:
    """The last characters of a node's text."""
    current: LexborNode | None = node
    for _ in range(_MOST_NODES):
        if current is None or current.last_child is None:
            break
        current = current.last_child
    return "" if current is None else (current.text() or "")[-length:]


def _neighbours(node: LexborNode, direction: str) -> Iterator[LexborNode]:
    """The nodes on one side of `node` in its block, the nearest first; at most `_MOST_NODES`."""
    current: LexborNode | None = node
    for _ in range(_MOST_NODES):
        if current is None:
            return
        sibling = getattr(current, direction)
        if sibling is None:
            current = current.parent
            if current is None or current.tag in _BLOCKS:
                return
            continue
        if sibling.tag in _BLOCKS:
            return
        yield sibling
        current = sibling
