"""Superscripts and subscripts as text: "10<sup>23</sup>" is not the number 1023.

A superscript is an exponent, a footnote, cents, a numerator, a degree sign, or letters such as
"th". It is an exponent only where its surroundings show it, else a number is a footnote.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

HAS_SCRIPTS = re.compile(r"<su[bp][\s>]", re.I)
_CONTEXT = 40  # characters before and after
_BLOCKS = frozenset(
    "address article aside blockquote body br caption dd div dl dt fieldset figure form"
    " h1 h2 h3 h4 h5 h6 hr html li main nav ol p pre section"
    " table tbody td tfoot th thead tr ul".split()
)
_MARKS = re.compile(r"[*\u2020\u2021\u00a7\u00b6#\u2217]+")
_BRACKETED = re.compile(r"[\[(].*[\])]")
_NUMBERS = re.compile(r"\d+(?:\s*[,;\u2013-]\s*\d+|\s+\d+)*,?")
_NOTE = re.compile(r"(?:note|nb|fn|ref|n)\.?\s?\d+", re.I)
_LETTER = re.compile(r"[a-z]")
_SIGNED = re.compile(r"[\u2212\u2013+-]\s?[\da-z]+")
_SLASH = re.compile(r"\s*[/\u2044]")
_DIGIT_BEFORE = re.compile(r"\d$")
_PRICE = re.compile(r"[$\u20ac\u00a3\u00a5]\s?\d{1,3}(?:,?\d{3})*$")
_AMOUNT = re.compile(r"(?<![\d.,])\d{1,3}(?:,?\d{3})*$")
_CURRENCY_AFTER = re.compile(r"\s?(?:[$\u20ac\u00a3\u00a5]|usd|eur|gbp)", re.I)
_SCALE_AFTER = re.compile(
    r"\s*(?:%|percent|thousand|million|billion|trillion|bn\b|mn\b|[kmb]\b)", re.I
)
_TEMPERATURE_AFTER = re.compile(r"\s?(?:[CFK]|[NSEW])\b")
# What a number is raised from, at the end of the text before it.
_BASES = (
    re.compile(r"[\u00d7x\u00b7*\u22c5]\s?10$"),
    re.compile(r"(?<![\w.,$\u20ac\u00a3\u00a5])10$"),
    re.compile(r"[=\u00d7\u00b7+\u2212*/^(\u2248]\s*\d{1,4}$"),
    re.compile(r"(?<![A-Za-z])[b-z]$"),
    re.compile(r"=\s?\S{0,8}[a-z]$"),
    re.compile(r"[=\u00d7\u00b7+\u2212*/^][^()=]*\)$"),
    re.compile(r"(?:\b|(?<=\d))[kcdm\u03bc\u00b5n]m$"),
    re.compile(
        r"(?:\d\s?|/|\b(?:per|square|cubic)\s)(?:m|ft|in|mi|yd|s|sec|ha|feet|foot|inch|miles?)$"
    ),
)
_SMALL_NUMBER = re.compile(r"(?<![\w.,$\u20ac\u00a3\u00a5])\d{1,4}$")
_OPERATOR_AFTER = re.compile(r"\s*[=\u00d7\u00b7+*^\u2248\u2212]\s*[\w(]")


def write_scripts(tree: LexborHTMLParser) -> None:
    """Replace each superscript and subscript of `tree` by its text."""
    for node in tree.css("sup,sub"):
        text = " ".join(node.text().split())
        before = _text_before(node)
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
    if _SLASH.match(after) and text.isdecimal():
        return f" {text}" if _DIGIT_BEFORE.search(before) else text
    if not before.strip():
        return f"{text} "  # the number of the footnote itself
    if text in ("o", "0") and _DIGIT_BEFORE.search(before) and _TEMPERATURE_AFTER.match(after):
        return "\u00b0"
    if _is_cents(before, text, after):
        return f".{text}"
    if _is_exponent(before, text, after):
        return f"^{text}"
    is_note = any(kind.fullmatch(text) for kind in (_MARKS, _BRACKETED, _NUMBERS, _NOTE, _LETTER))
    return "" if is_note else text


def subscript(before: str, text: str) -> str:
    """What a subscript is in a line of text: a number's base does not become its last digits.

    >>> subscript("H", "2"), subscript("1/", "2"), subscript("1011", "2")
    ('2', '2', '_2')
    """
    if text[:1].isdecimal() and _DIGIT_BEFORE.search(before):
        return f"_{text}"
    return text


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
    if _SCALE_AFTER.match(after):
        return False
    if any(base.search(before) for base in _BASES):
        return True
    return _SMALL_NUMBER.search(before) is not None and _OPERATOR_AFTER.match(after) is not None


def _links_to_a_note(node: LexborNode) -> bool:
    """Whether a superscript is in a link to a place of the page, or contains one."""
    links = node.css("a")
    parent = node.parent
    if parent is not None and parent.tag == "a":
        links.append(parent)
    return any("#" in (link.attributes.get("href") or "") for link in links)


def _text_before(node: LexborNode) -> str:
    """The last characters before `node` in its block."""
    text = ""
    current: LexborNode | None = node
    while current is not None and current.tag not in _BLOCKS and len(text) < _CONTEXT:
        sibling = current.prev
        while sibling is not None and sibling.tag not in _BLOCKS and len(text) < _CONTEXT:
            text = sibling.text()[-_CONTEXT:] + text
            sibling = sibling.prev
        current = current.parent
    return text[-_CONTEXT:]


def _text_after(node: LexborNode) -> str:
    """The first characters after `node`, up to the end of its parent."""
    text = ""
    sibling = node.next
    while sibling is not None and sibling.tag not in _BLOCKS and len(text) < _CONTEXT:
        text += sibling.text()[:_CONTEXT]
        sibling = sibling.next
    return text[:_CONTEXT]
