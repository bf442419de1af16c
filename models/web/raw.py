"""What may be handed to a parser: a page's HTML made harmless, whoever wrote it."""

import html as html_entities
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_HTML_CHARS = 1_000_000  # so that no page takes a second
MAX_TITLE = 1000
BLOCK_END = "\x1e"  # ends a block while line breaks are still mere spaces, as HTML has it
TABLE = "\x05"  # stands where a table was
_EMPTY_COMMENTS = (b"<!-- -->", b"<!---->")  # scripts put them between the parts of one text
# A parser takes the square of an element's attributes, of the options to select from, and of the
# pages in one page.
_MAX_TAG = 20_000  # bytes
_LONG_TAG = re.compile(rb"(<[a-zA-Z][^\s<>/]{0,30})[^<>]{%d,}" % _MAX_TAG)
_MAX_ALIKE = 3_000
_ALIKE = re.compile(rb"</?(?:option|html|body)\b[^<>]*>?", re.I)
_SPACES = [
    char for char in map(chr, range(0x3001)) if char.isspace() and char not in " " + BLOCK_END
]
# A parser's time grows with the square of the nesting: 5 s and more for a page made to hurt.
_MAX_DEPTH = 5_000
_MAX_STEPS = 40_000_000  # the depth of a page by its tags
_MAX_DEPTH_SLOW = 200
# A parser opens the marks of a type face that were left open again in each block that follows.
_MAX_REPEATED = 200_000
_FACES = "b big code em font i s small strike strong tt u".split()
_FACE = re.compile(rf"<(/?)({'|'.join(_FACES)})(?=[\s/>])[^<>]*".encode(), re.I)
_MAY_BE_FACE = np.zeros(1 << 16, dtype=bool)  # by the first two characters of a tag's name
for _name in _FACES:
    for _pair in (_name[:2], *(_name + end for end in "\t\n\f\r />" if len(_name) == 1)):
        for _cased in (_pair, _pair.upper(), _pair.title(), _pair.swapcase()):
            _MAY_BE_FACE[int.from_bytes(_cased.encode(), "big")] = len(_cased) == 2
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s<>/]*+)[^<>]*?(/?)>")
_BEGIN = re.compile(r"<(/?)([a-zA-Z][^\s<>/]*+)()")  # a slash at the end of a tag ends nothing
_TOLD = 8  # letters by which names are told apart
_IN_NAME = np.array([chr(byte) not in "\t\n\f\r />" for byte in range(256)])
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)  # these hold nothing
_NEXT_ENDS_IT = frozenset("dd dt li option p td th tr".split())  # only within other elements
_SHAPES = frozenset("circle ellipse image line path polygon polyline rect stop use".split())
_UNSEEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(script|style)\b.*?(?:</\1\b[^>]*>?|\Z)|<[!?][^>]*>?",
    re.I | re.S,
)
_RUN = re.compile("  +")
_TITLE = re.compile(rf"<title\b[^>]{{0,200}}>([^<]{{1,{MAX_TITLE}}})", re.I)
NO_CHARACTER = re.compile(r"&(?:amp;)*#\d{8,};?")  # Python takes no number of any length
_ENTITY = re.compile(r"&(?:#?\w{2,8});")
# UTF-8 that was read as Windows-1252: a lead character and one to three continuation characters.
_CONTINUATION = (
    "\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178"
)
_MOJIBAKE = re.compile(
    f"[\u00c2-\u00df][{_CONTINUATION}]|[\u00e0-\u00ef][{_CONTINUATION}]{{2}}"
    f"|[\u00f0-\u00f4][{_CONTINUATION}]{{3}}"
)
_MOJIBAKE_SIGNS = ("\u00c3", "\u00c2", "\u00e2\u20ac", "\u00e2\u0080", "\u00f0\u0178", "\u00c5")


def is_blank(html: str) -> bool:
    return not html or html.isspace()


class Markup:
    """A page's HTML as UTF-8, and where its tags begin: one look at all of it that tells much.

    Attributes:
        html: the bytes, without empty comments.
    """

    def __init__(self, html: bytes) -> None:
        self.html = html
        self._look()
        comments = self._tags(b"!--").tolist()
        if any(html.startswith(_EMPTY_COMMENTS, start) for start in comments):
            self.html = _without_empty_comments(html, comments)
            self._look()
        if len(self.begins) > _MAX_ALIKE and any(
            len(self._tags(name)) > _MAX_ALIKE for name in (b"option", b"html", b"body")
        ):
            self.html = _ALIKE.sub(b" ", self.html)
            self._look()
        if late := self._ending_late():
            self.html = _without_attributes(self.html, late)
            self._look()

    def _look(self) -> None:
        padded = self.html + b" " * (16 - len(self.html) % 8)  # looked at beyond the last tag
        self.data: NDArray[np.uint8] = np.frombuffer(padded, dtype=np.uint8)
        self.begins = _where(self.data == ord("<"))
        self._firsts = self.data[self.begins + 1] | 0x20

    def holds(self, name: bytes) -> bool:
        """Whether a tag begins with `name`, in lower case."""
        return len(self._tags(name)) > 0

    def _tags(self, name: bytes) -> NDArray[np.int64]:
        """Where the tags are that begin so."""
        at: NDArray[np.int64] = self.begins[self._firsts == name[0]]
        for i, letter in enumerate(name[1:], start=2):
            at = at[self.data[at + i] | 0x20 == letter]
        return at

    def _ending_late(self) -> list[int]:
        """Where the tags are that are so long that their attributes would take a parser long."""
        gaps = np.diff(self.begins, append=len(self.html))
        late: list[int] = self.begins[gaps > _MAX_TAG].tolist()
        return [at for at in late if self.html.find(b">", at, at + _MAX_TAG) < 0]


def encode(html: str, max_chars: int = MAX_HTML_CHARS) -> Markup:
    """At most `max_chars` of `html` as UTF-8, without lone surrogates, NULs and our own marks."""
    raw = html[:max_chars].encode("utf-8", errors="ignore")
    for mark in ("\0", BLOCK_END, TABLE):
        raw = raw.replace(mark.encode(), b" ")
    return Markup(raw)


def _without_attributes(html: bytes, tags: Sequence[int]) -> bytes:
    """`html` with no more than their names of the `tags` that begin there."""
    parts: list[bytes] = []
    kept = 0
    for at in tags:
        if found := _LONG_TAG.match(html, at):
            parts.append(html[kept : found.end(1)])
            kept = found.end()
    return b" ".join([*parts, html[kept:]])


def _without_empty_comments(html: bytes, starts: Sequence[int]) -> bytes:
    """`html` without them, but for those that end another comment; a comment is at each start."""
    parts: list[bytes] = []
    kept = end = 0
    for start in starts:
        if start < end:
            continue
        empty = next((some for some in _EMPTY_COMMENTS if html.startswith(some, start)), None)
        if empty is None:
            end = html.find(b"-->", start + 2) + 3
            if end < 3:
                break
        else:
            parts.append(html[kept:start])
            kept = end = start + len(empty)
    return b"".join([*parts, html[kept:]])


def too_deep(raw: Markup, *, slow: bool = False) -> bool:
    """Whether elements stand in each other so deep that a parser would take seconds.

    `slow`: for a parser in Python, which also recurses into what it parsed.
    """
    html, data, begins = raw.html, raw.data, raw.begins
    ends = data[begins + 1] == ord("/")
    names = begins + 1 + ends
    may_be = _MAY_BE_FACE[data[names].astype(np.uint16) << 8 | data[names + 1]]
    if _most_open(ends[may_be]) * len(begins) > _MAX_REPEATED:
        if _faces_open(html) * len(begins) > _MAX_REPEATED:
            return True
    limit = min(_MAX_DEPTH_SLOW if slow else _MAX_DEPTH, _MAX_STEPS // max(len(begins), 1))
    if len(begins) - np.count_nonzero(ends) <= limit:
        return False
    if _most_open(ends) + _ending_nothing(data, names, ends) <= limit:
        return False
    flat = _VOID
    if not slow:
        limit //= 2  # half of what is open may be what is not counted now
        drawn = re.search(rb"<(?:svg|math)\b", html, re.I)
        flat |= _SHAPES if drawn else _NEXT_ENDS_IT
    return _deepest(html, _TAG if slow else _BEGIN, flat) > limit


def _deepest(html: bytes, tags: re.Pattern[str], flat: frozenset[str]) -> int:
    """How deep elements stand in each other, those of the names `flat` not counted."""
    still: Counter[str] = Counter()  # open elements by name
    depth = deepest = 0
    for tag in tags.finditer(visible(html.decode("utf-8"))):
        name = tag[2].lower()
        if name in flat:
            continue
        if not tag[1] and not tag[3]:  # elements without an end tag count too
            still[name] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif tag[1] and still[name]:
            still[name] -= 1
            depth -= 1
    return deepest


def _ending_nothing(
    data: NDArray[np.uint8], names: NDArray[np.int64], ends: NDArray[np.bool_]
) -> int:
    """No less than the end tags for which no element of their name is open, by `data` of a page
    and where in it the tags' names begin."""
    letters = data[names[:, None] + np.arange(_TOLD)]
    within = np.logical_and.accumulate(_IN_NAME[letters], axis=1)
    keys = np.where(within, letters | 0x20, 0).astype(np.uint8).view(np.uint64).ravel()
    order = np.argsort(keys, kind="stable")
    steps = np.where(ends, 1, -1)[order]
    total = np.cumsum(steps)
    first = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))
    excess = np.maximum.reduceat(total, first) - (total[first] - steps[first])
    long = int(np.count_nonzero(ends & within[:, -1]))  # which may differ in what is not looked at
    return int(np.maximum(excess, 0).sum()) + long


def _where(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The indices of the few that are true of many, whose number is a multiple of 8."""
    eights = mask.view(np.uint64)
    some = np.flatnonzero(eights != 0)
    at = np.flatnonzero(eights[some].view(np.bool_))
    found: NDArray[np.int64] = some[at >> 3] * 8 + (at & 7)
    return found


def _most_open(ends: NDArray[np.bool_]) -> int:
    """No less than the elements open at once, where some of their tags are end tags."""
    depth = np.cumsum(np.where(ends, -1, 1))
    # end tags without an element, before it all, hide nothing
    return int((depth - np.minimum(np.minimum.accumulate(depth), 0)).max(initial=0))


def _faces_open(html: bytes) -> int:
    """How many marks of a type face are open at once; as parsers have it, three alike at most."""
    open_by_name: dict[bytes, list[bytes]] = {}
    alike: Counter[bytes] = Counter()
    now = most = 0
    for tag in _FACE.finditer(html):
        stack = open_by_name.setdefault(tag[2].lower(), [])
        if not tag[1] and alike[tag[0]] < 3:
            stack.append(tag[0])
            alike[tag[0]] += 1
            now += 1
            most = max(most, now)
        elif tag[1] and stack:
            alike[stack.pop()] -= 1
            now -= 1
    return most


def without_tags(html: bytes) -> str:
    """`html` with a block's end for each tag: what is left of a page nested too deep to parse."""
    return unescape(_TAG.sub(BLOCK_END, visible(html.decode("utf-8"))))


def visible(html: str) -> str:
    """`html` without comments, declarations, scripts and styles, and no tag left open at its end.

    On each of these Python's parser can take the square of the page's length, this never.
    """
    html = _UNSEEN.sub("", html).replace("<!", "< !").replace("<?", "< ?")
    end = html.rfind(">") + 1
    return html[:end] + html[end:].replace("<", " ")


def title_of(html: str) -> str:
    """The page's title, where no parser looks for it; empty where it has none."""
    found = _TITLE.search(html)
    return " ".join(mend(found[1]).split()) if found else ""


def encodable(text: str) -> str:
    """`text` without lone surrogates, which no file and no tokenizer takes."""
    return text.encode("utf-8", errors="ignore").decode("utf-8")


def blocks(text: str) -> list[str]:
    """The blocks of `text`, each run of white space in them made one space."""
    for space in _SPACES:  # quicker than to split and join a text of 100,000 words
        text = text.replace(space, " ")
    return [block.strip(" ") for block in _RUN.sub(" ", text).split(BLOCK_END)]


def unescape(text: str) -> str:
    """`text` with its character references put as characters."""
    return html_entities.unescape(NO_CHARACTER.sub("\ufffd", text))


def mend(text: str) -> str:
    """`text` with broken encodings and doubly escaped entities put right."""
    if "&" in text and _ENTITY.search(text):
        text = unescape(text)
    if text.isascii() or not any(sign in text for sign in _MOJIBAKE_SIGNS):
        return text
    return _MOJIBAKE.sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    try:
        # the five bytes that Windows-1252 leaves open come through as they are
        return b"".join(
            char.encode("latin-1") if char < "\u0100" else char.encode("cp1252")
            for char in match.group()
        ).decode("utf-8")
    except UnicodeError:
        return match.group()
