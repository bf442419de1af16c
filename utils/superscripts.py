"""Superscripts and subscripts as text: "10<sup>23</sup>" is not the number 1023.

A superscript is a footnote, an exponent, a numerator, or letters such as "th". A number is an
exponent only where a unit, a power of ten or a variable is raised; else it is a footnote.
"""

import re

_NOTE = re.compile(r"[*\u2020\u2021\u00a7\u00b6#\u2217^]+|:?\s?\d[\d\s,;\u2013-]*|\[.*\]|[a-z]")
_SIGNED = re.compile(r"[\u2212\u2013+-]\d+")
_BASE = re.compile(
    r"[\u00d7x\u00b7*\u22c5]\s?10\s?$"  # 6.02×10
    r"|(?<![\w'\u2019])[a-z\u03b1-\u03c9]$"  # x
)
_UNIT = re.compile(r"(?<![^\W\d_])(?:[kcdm]?m|mi|ft|in|yd|s)$")  # 50 km, kg/m
_UNIT_POWERS = ("2", "3")
_DENOMINATOR = re.compile(r"\s?[/\u2044]")


def superscript(before: str, text: str, after: str = "") -> str:
    """What a superscript is in a line of text; empty if it is a footnote.

    Args:
        before: the text before it; empty at the beginning of a line.
        text: the superscript.
        after: the text after it.

    >>> superscript("6.02×10", "23"), superscript("40 km", "2"), superscript("22", "nd")
    ('^23', '^2', 'nd')
    >>> superscript("$12.3", "1", " billion"), superscript("2", "1", "/2 cups")
    ('', ' 1')
    """
    if _is_exponent(before, text):
        return f"^{text}"
    is_numerator = _DENOMINATOR.match(after) is not None
    if not before.strip() and not is_numerator:
        return f"{text} "  # the number of the footnote itself
    is_within_word = text.isalnum() and after[:1].isalpha()
    if _NOTE.fullmatch(text) and not is_numerator and not is_within_word:
        return ""
    return f" {text}" if _lengthens_a_number(before, text) else text


def subscript(before: str, text: str) -> str:
    """What a subscript is in a line of text: a number's base does not become its last digits.

    >>> subscript("H", "2"), subscript("1/", "2"), subscript("1011", "2")
    ('2', '2', '_2')
    """
    return f"_{text}" if _lengthens_a_number(before, text) else text


def _is_exponent(before: str, text: str) -> bool:
    """Whether a unit, a power of ten or a variable at the end of `before` is raised to `text`."""
    if _SIGNED.fullmatch(text):
        return before[-1:].isalnum()
    if not text.isdecimal():
        return False
    if _UNIT.search(before):
        return text in _UNIT_POWERS
    return _BASE.search(before) is not None


def _lengthens_a_number(before: str, text: str) -> bool:
    """Whether digits follow digits."""
    return before[-1:].isdecimal() and text[:1].isdecimal()
