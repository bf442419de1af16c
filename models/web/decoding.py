"""Encodes a page's HTML for a parser, and repairs wrong encodings in its text."""

import html as html_entities
import re

from ftfy import fix_encoding

MAX_HTML_CHARS = 1_000_000  # of a page
MAX_TITLE = 1000
BLOCK_END = "\x1e"  # ends a block while line breaks still count as spaces, as in HTML
TABLE = "\x05"  # marks the place of a table
_EMPTY_COMMENTS = ("<!-- -->", "<!---->")  # scripts insert them between the parts of a text
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_TITLE = re.compile(rf"<title\b[^>]{{0,200}}>([^<]{{1,{MAX_TITLE}}})", re.I)
NO_CHARACTER = re.compile(r"&(?:amp;)*#\d{8,};?")  # character references too long for Python's int
_ENTITY = re.compile(r"&(?:#?\w{2,8});")
# How UTF-8 that was decoded as Windows-1252 begins most often.
_MOJIBAKE_SIGNS = ("\u00c3", "\u00c2", "\u00e2\u20ac", "\u00e2\u0080", "\u00f0\u0178", "\u00c5")


def decode(html: str) -> str:
    """`html` without lone surrogates, NULs, our own marks and empty comments."""
    html = encodable(html)
    for mark in ("\0", BLOCK_END, TABLE):
        html = html.replace(mark, " ")
    if any(comment in html for comment in _EMPTY_COMMENTS):
        html = _COMMENT.sub(_without_empty_comment, html)
    return html


def _without_empty_comment(comment: re.Match[str]) -> str:
    """Nothing for an empty comment, else the comment.

    An empty comment that ends another one, as in `<!--[if !IE]><!---->`, is part of that one.
    """
    return "" if comment[0] in _EMPTY_COMMENTS else comment[0]


def title_of(html: str) -> str:
    """The page's title, read without a parser; empty if it has none."""
    title = _TITLE.search(html)
    if title is None:
        return ""
    return " ".join(repair_text(title[1]).split())


def encodable(text: str) -> str:
    """`text` without lone surrogates, which no file and no tokenizer accepts."""
    return text.encode("utf-8", errors="ignore").decode("utf-8")


def blocks(text: str) -> list[str]:
    """The blocks of `text`, with runs of white space replaced by one space."""
    return [" ".join(block.split()) for block in text.split(BLOCK_END)]


def repair_text(text: str) -> str:
    """`text` with wrong encodings and doubly escaped entities repaired."""
    if "&" in text and _ENTITY.search(text):
        text = html_entities.unescape(NO_CHARACTER.sub("\ufffd", text))
    if text.isascii():
        return text
    return "\n".join(map(_repaired_line, text.split("\n")))


def _repaired_line(line: str) -> str:
    """`line` by ftfy if it shows signs of a wrong encoding: ftfy is too slow for every line."""
    if any(sign in line for sign in _MOJIBAKE_SIGNS):
        return fix_encoding(line)
    return line
