"""Prepares a page's HTML for a parser, and repairs wrong encodings in its text."""

import html as html_entities
import re

from ftfy import fix_encoding

MAX_HTML_CHARS = 1_000_000  # of a page, without what nobody sees
MAX_SOURCE_CHARS = 10_000_000  # of a page, with it
MAX_TITLE = 1000
BLOCK_END = "\x1e"  # ends a block while line breaks still count as spaces, as in HTML
TABLE = "\x05"  # marks the place of a table
# Elements that hold no text for a reader; JSON-LD scripts are read by `metadata.py`.
_UNSEEN = re.compile(r"<(?:!--|(script|style|svg)(?=[\s/>]))", re.I)
_COMMENT = "comment"
_ENDS = {
    _COMMENT: re.compile(r"--!?>"),
    "script": re.compile(r"</script(?:\s[^>]*)?>", re.I),
    "style": re.compile(r"</style(?:\s[^>]*)?>", re.I),
    "svg": re.compile(r"</svg(?:\s[^>]*)?>", re.I),
}
_DATA_URI = re.compile(r"\bdata:[^\s\"'<>()]{100,}")
_TITLE = re.compile(rf"<title\b[^>]{{0,200}}>([^<]{{1,{MAX_TITLE}}})", re.I)
NO_CHARACTER = re.compile(r"&(?:amp;)*#\d{8,};?")  # character references too long for Python's int
_ENTITY = re.compile(r"&(?:#?\w{2,8});")
# How files begin that are no text, whether their bytes were read as UTF-8 or as Latin-1.
_BINARY = re.compile(
    r"\s*(?:%PDF-|%!PS-|PK\x03\x04|Rar!\x1a|7z\xbc\xaf|BZh\d1AY|.7zXZ\0|GIF8[79]a|.PNG\r?\n"
    r"|.{2,10}(?:JFIF|Exif)\0|RIFF.{4}(?:WEBP|WAVE|AVI )|.{4}ftyp|ID3[\x02-\x04]|OggS\0"
    r"|wOF[F2]|\x7fELF|MZ\x90|\{\\rtf|\x1f[\x8b\ufffd]|[bB]['\"](?:%PDF|PK\\x03|\\x1f\\x8b|\\x89PNG))",
    re.S,
)
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")
_SAMPLE = 4000  # characters
_MOST_NO_TEXT = 0.1  # of them
_LEAST_NO_TEXT = 50
# Characters that only say where a word may be divided, or nothing.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])")
# How UTF-8 that was decoded as Windows-1252 begins most often.
_MOJIBAKE_SIGNS = ("\u00c3", "\u00c2", "\u00e2\u20ac", "\u00e2\u0080", "\u00f0\u0178", "\u00c5")


def decode(html: str) -> str:
    """`html` without lone surrogates, NULs, our own marks, and what `without_unseen` removes."""
    html = encodable(html)
    for mark in ("\0", BLOCK_END, TABLE):
        html = html.replace(mark, " ")
    return without_unseen(html)


def without_unseen(html: str) -> str:
    """`html` without comments, scripts, styles, drawings and data: URIs, in linear time.

    Comments would divide a sentence in two, and large scripts would use up the limit of a page's
    length. JSON-LD scripts remain. An element that is not closed is left to the parser.

    >>> without_unseen("<p>1<!-- -->2<svg><path/></svg></p><script>x")
    '<p>12</p><script>x'
    """
    kept: list[str] = []
    kept_until = 0
    position = 0
    unclosed: set[str] = set()  # kinds that have no end in the rest of the page
    while opening := _UNSEEN.search(html, position):
        kind = (opening[1] or _COMMENT).lower()
        # "<!-->" is a whole comment: its end shares the dashes of its beginning
        search_from = opening.start() + 2 if kind == _COMMENT else opening.end()
        end = None if kind in unclosed else _ENDS[kind].search(html, search_from)
        if end is None:
            unclosed.add(kind)
            position = opening.end()
            continue
        position = end.end()
        if kind == "script" and _is_json_ld(html, opening.start()):
            continue
        kept.append(html[kept_until : opening.start()])
        kept_until = position
    kept.append(html[kept_until:])
    return _DATA_URI.sub("", "".join(kept))


def _is_json_ld(html: str, start: int) -> bool:
    """Whether the tag at `start` is that of a JSON-LD script."""
    tag = html[start : html.find(">", start)]
    return "ld+json" in tag.lower()


def is_binary(html: str) -> bool:
    """Whether a page is a PDF, an archive, an image or another file that is no text."""
    if _BINARY.match(html):
        return True
    sample = html[:_SAMPLE]
    no_text = len(_NO_TEXT.findall(sample))
    return no_text >= _LEAST_NO_TEXT and no_text > _MOST_NO_TEXT * len(sample)


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
    """`text` with wrong encodings and doubly escaped entities repaired, and without soft hyphens
    and characters of no width."""
    if "&" in text and _ENTITY.search(text):
        text = html_entities.unescape(NO_CHARACTER.sub("\ufffd", text))
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    return "\n".join(map(_repaired_line, text.split("\n")))


def _repaired_line(line: str) -> str:
    """`line` by ftfy if it shows signs of a wrong encoding: ftfy is too slow for every line."""
    if any(sign in line for sign in _MOJIBAKE_SIGNS):
        return fix_encoding(line)
    return line
