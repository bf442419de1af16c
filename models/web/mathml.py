"""Formulas of MathML as text: x<sup>2</sup> is "x^2" there, too."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

# What stands between the two parts of a formula.
_SIGNS = {"msup": "^", "msub": "_", "mfrac": "/"}
_COPIES = "annotation,annotation-xml"  # the same formula in another notation
_ONE_TERM = re.compile(r"[\w.,]*")
_MOST_FORMULAS = 2_000  # parts of formulas in a page


def write_formulas(tree: LexborHTMLParser) -> None:
    """Replace the powers, indices and fractions of MathML by text with `^`, `_` and `/`."""
    for node in tree.css(_COPIES):
        node.decompose()
    parts = tree.css(",".join(_SIGNS))[:_MOST_FORMULAS]
    for node in reversed(parts):  # inner ones first
        children = list(node.iter())
        if len(children) == 2:
            written = _SIGNS[node.tag or ""].join(map(_term, children))
            node.replace_with(f" {written}" if _follows_a_number(node) else written)


def _term(node: LexborNode) -> str:
    """A part of a formula, in brackets if it has several terms."""
    text = " ".join(node.text().split())
    return text if _ONE_TERM.fullmatch(text) else f"({text})"


def _follows_a_number(node: LexborNode) -> bool:
    """Whether a fraction is a part of a mixed number."""
    previous = node.prev
    return node.tag == "mfrac" and previous is not None and previous.tag == "mn"
