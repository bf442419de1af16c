"""Prepares a page's HTML for a parser, and repairs wrong encodings in its text."""

import email
import html as html_entities
import re

MAX_HTML_CHARS = 1_000_000  # of a page, without what nobody sees
MAX_SOURCE_CHARS = 10_000_000  # of a page, with it
MAX_JSON = 300_000  # of one JSON-LD script
MAX_TITLE = 1000
BLOCK_END = "\x1e"  # ends a block while line breaks still count as spaces, as in HTML
TABLE = "\x05"  # marks the place of a table
# Elements that hold no text for a reader; JSON-LD scripts are read by `metadata.py`.
# None of these patterns ignores case: those that do take several times as long to find a "<".
_UNSEEN = re.compile(
    r"<(?:(?P<comment>!--)|(?P<bogus>\?|!(?!--|[dD][oO][cC][tT][yY][pP][eE])|/(?=[^a-zA-Z]))"
    r"|(?P<element>[sS](?:[cC][rR][iI][pP][tT]|[tT][yY][lL][eE]|[vV][gG]))(?=[\s/>]))"
)
_COMMENT = "comment"
_BOGUS = "bogus"  # what a browser treats as a comment: "<?php ... ?>" and "<![CDATA[...]]>"
_SVG = "svg"
_ENDS = {
    _COMMENT: re.compile(r"--!?>"),
    _BOGUS: re.compile(">"),
    "script": re.compile(r"</[sS][cC][rR][iI][pP][tT](?=[\s/>])[^<>]*>"),
    "style": re.compile(r"</[sS][tT][yY][lL][eE](?=[\s/>])[^<>]*>"),
}
_SVG_TAG = re.compile(r"<(?P<closes>/?)[sS][vV][gG](?=[\s/>])[^<>]*?(?P<closed>/?)>")
_TEXT_ONLY = ("<title", "<textarea")  # elements in which a tag is text
_DATA_URI = re.compile(  # it begins with letters only, which are found fast
    r"data:(?:(?<=\"data:)[\w.+/-]{0,100}[;,][^\"]{100,}"
    r"|(?<='data:)[\w.+/-]{0,100}[;,][^']{100,}"
    r"|(?<==data:)[\w.+/-]{0,100}[;,][^\s\"'>]{100,}"
    r"|(?<=\(data:)[\w.+/-]{0,100}[;,][^\s\"'()]{100,})"
)
_LONG_VALUE = re.compile(r"(?<==\")[^\"<>]{10000,}")  # of an attribute, such as a form's state
_TITLE = re.compile(rf"<title\b[^>]{{0,200}}>([^<]{{1,{MAX_TITLE}}})", re.I)
NO_CHARACTER = re.compile(r"&(?:amp;)*#\d{8,};?")  # character references too long for Python's int
_ENTITY = re.compile(r"&(?:#?\w{2,8});")
# How files begin that are no text, whether their bytes were read as UTF-8 or as Latin-1.
_BINARY = re.compile(
    r"(?:%PDF-|%!PS-|PK\x03\x04|Rar!\x1a|7z\xbc\xaf|BZh\d1AY|.7zXZ\0|GIF8[79]a|.PNG\r?\n"
    r"|.{2,10}(?:JFIF|Exif)\0|RIFF.{4}(?:WEBP|WAVE|AVI )|.{4}ftyp|ID3[\x02-\x04]|OggS\0"
    r"|wOF[F2]|\x7fELF|MZ\x90|\{\\rtf|\x1f[\x8b\ufffd\u2039\udc8b\x08]|[bB]['\"](?:%PDF|PK\\x03|\\x1f\\x8b|\\x89PNG))",
    re.S,
)
_BEFORE_BINARY = " \t\r\n\0\ufeff"
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_LOST = "\ufffd"  # a byte that was no text to whoever decoded the page
_SAMPLE = 4000  # characters
_MOST_NO_TEXT = 0.02  # of them
_MOST_LOST = 0.3
_LEAST_NO_TEXT = 20
# Characters that only say where a word may be divided, or nothing.
_INVISIBLE_CHARS = (
    "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062"
    "\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_JOINERS = "\u200c\u200d"  # they have a meaning in other scripts than the Latin one
_INVISIBLE = re.compile(
    f"(?![{_JOINERS}])[{_INVISIBLE_CHARS}]|(?<=[A-Za-z0-9])[{_JOINERS}](?=[A-Za-z0-9])"
)
# Signs of Windows-1252 that were read as Latin-1: "\x92" is an apostrophe.
_CONTROLS = re.compile("[\x80-\x9f]")
_WINDOWS_1252 = {
    chr(code): bytes([code]).decode("windows-1252", errors="replace") for code in range(0x80, 0xA0)
}
_ZEROS_OF_UTF_16 = 0.3  # of the characters
_SAVED = re.compile(  # headers of a mail: a browser's MHTML
    r"\s*(?:[A-Za-z-]+: [^\n]*\n(?:[ \t][^\n]*\n)*){1,12}?Content-Type: multipart/related", re.I
)
# How UTF-8 that was decoded as Windows-1252 begins most often.
_MOJIBAKE_SIGNS = ("\u00c3", "\u00c2", "\u00e2\u20ac", "\u00e2\u0080", "\u00f0\u0178", "\u00c5")


def decode(html: str) -> str:
    """`html` without lone surrogates, NULs, our own marks, and what `without_unseen` removes."""
    html = encodable(without_unseen(_saved_page(_narrow(html))))
    for mark in ("\0", BLOCK_END, TABLE):
        html = html.replace(mark, " ")
    return html


def _narrow(html: str) -> str:
    """A page without the zeros of UTF-16, whose bytes were read one by one."""
    sample = html[:_SAMPLE]
    if sample.count("\0") < _ZEROS_OF_UTF_16 * len(sample):
        return html
    return html.replace("\0", "").lstrip("\ufeff\ufffeÿþ\ufffd")


def _saved_page(html: str) -> str:
    """The page in a file that a browser saved with all its parts (MHTML); other text as it is."""
    if not _SAVED.match(html):
        return html
    for part in email.message_from_string(html).walk():
        if part.get_content_type() == "text/html":
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                return content.decode(part.get_content_charset() or "utf-8", errors="replace")
    return html


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
        kind = (opening["element"] or opening.lastgroup or "").lower()
        end = None
        if kind not in unclosed and not _is_text(html, opening.start()):
            end = _end_of(kind, html, opening)
            if end is None:
                unclosed.add(kind)
        if end is None:
            position = opening.end()
            continue
        position = end
        is_short = position - opening.start() <= MAX_JSON
        if kind == "script" and is_short and _is_json_ld(html, opening.start()):
            continue
        kept.append(html[kept_until : opening.start()])
        kept_until = position
    kept.append(html[kept_until:])
    seen = "".join(kept)
    if "data:" in seen:
        seen = _DATA_URI.sub("", seen)
    return _LONG_VALUE.sub("", seen) if len(seen) > MAX_HTML_CHARS else seen


def _end_of(kind: str, html: str, opening: re.Match[str]) -> int | None:
    """Where the element or comment at `opening` ends; None if it is not closed."""
    if kind == _SVG:
        return _end_of_svg(html, opening.start())
    # "<!-->" is a whole comment: its end shares the dashes of its beginning
    search_from = opening.start() + 2 if kind == _COMMENT else opening.end()
    end = _ENDS[kind].search(html, search_from)
    return None if end is None else end.end()


def _end_of_svg(html: str, start: int) -> int | None:
    """The end of a drawing, which may contain others; `<svg/>` is a whole one."""
    depth = 0
    for tag in _SVG_TAG.finditer(html, start):
        if tag["closes"]:
            depth -= 1
        elif not tag["closed"]:
            depth += 1
        if depth <= 0:
            return tag.end()
    return None


def _is_text(html: str, start: int) -> bool:
    """Whether what begins at `start` is a part of an attribute, or of a title."""
    last = html.rfind("<", 0, start)
    if last < 0:
        return False
    tag = html[last : last + len("<textarea")].lower()
    is_open = html.find(">", last, start) < 0 and tag[1:2].isalpha()
    return is_open or tag.startswith(_TEXT_ONLY)


def _is_json_ld(html: str, start: int) -> bool:
    """Whether the tag at `start` is that of a JSON-LD script."""
    tag = html[start : html.find(">", start)]
    return "ld+json" in html_entities.unescape(tag).lower()


def is_binary(html: str) -> bool:
    """Whether a page is a PDF, an archive, an image or another file that is no text."""
    sample = _narrow(html)[:_SAMPLE]
    if _BINARY.match(sample.lstrip(_BEFORE_BINARY)):
        return True
    no_text = len(_NO_TEXT.findall(sample))
    lost = sample.count(_LOST)
    if max(no_text, lost) < _LEAST_NO_TEXT:
        return False
    return no_text > _MOST_NO_TEXT * len(sample) or lost > _MOST_LOST * len(sample)


def title_of(html: str) -> str:
    """The page's title, read without a parser; empty if it has none."""
    title = _TITLE.search(html)
    if title is None:
        return ""
    return " ".join(repair_text(title[1]).split())


def encodable(text: str) -> str:
    """`text` without lone surrogates, which no file and no tokenizer accepts."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", errors="ignore").decode("utf-8")
    return text


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
    if _CONTROLS.search(text):
        text = _CONTROLS.sub(lambda match: _WINDOWS_1252.get(match[0], " "), text)
    if any(char in text for char in _INVISIBLE_CHARS):
        text = _INVISIBLE.sub("", text)
    if not any(sign in text for sign in _MOJIBAKE_SIGNS):
        return text
    return "\n".join(map(_repaired_line, text.split("\n")))


def _repaired_line(line: str) -> str:
    """`line` by ftfy if it shows signs of a wrong encoding: ftfy is too slow for every line."""
    if any(sign in line for sign in _MOJIBAKE_SIGNS):
        from ftfy import fix_encoding

        return fix_encoding(line)
    return line
