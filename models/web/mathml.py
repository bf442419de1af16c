"""Formulas of MathML as text: x<sup>2</sup> is "x^2" there, too."""

import re
from itertools import chain

from selectolax.lexbor import LexborHTMLParser, LexborNode

from models.web.superscripts import text_before

# What stands between the parts of a formula.
_SIGNS = {
    "msup": ("^",),
    "msub": ("_",),
    "mfrac": ("/",),
    "msubsup": ("_", "^"),
    "mroot": ("^1/",),
}
_COPIES = "annotation,annotation-xml"  # the same formula in another notation
_ONE_TERM = re.compile(r"[\w.,]*")
_DIGIT = re.compile(r"\d\s*$")
_MOST_FORMULAS = 2_000  # parts of formulas in a page
_LONGEST = 1_000  # characters of a part; a longer one is not closed


def write_formulas(tree: LexborHTMLParser) -> None:
    """Replace each formula of MathML by text, with `^`, `_` and `/` for powers, indices and
    fractions."""
    for node in tree.css(_COPIES):
        node.decompose()
    parts = tree.css(",".join(_SIGNS))[:_MOST_FORMULAS]
    for node in reversed(parts):  # inner ones first
        terms = [_term(child) for child in node.iter()]
        signs = _SIGNS[node.tag or ""]
        if len(terms) != len(signs) + 1:
            continue
        if max(map(len, terms)) > _LONGEST:
            return
        written = "".join(chain.from_iterable(zip(terms, (*signs, ""), strict=True)))
        is_mixed = node.tag == "mfrac" and _DIGIT.search(text_before(node)) is not None
        node.replace_with(f" {written}" if is_mixed else written)
    for node in tree.css("math")[:_MOST_FORMULAS]:
        text = node.text()
        if len(text) <= _LONGEST:
            leading = " " if text.startswith(" ") else ""  # of a mixed number
            node.replace_with(leading + " ".join(text.split()))


def _term(node: LexborNode) -> str:
    """A part of a formula, in brackets if it has several terms."""
    text = " ".join(node.text().split())
    return text if _ONE_TERM.fullmatch(text) else f"({text})"
