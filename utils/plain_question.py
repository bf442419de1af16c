"""A question as people type or paste it, with plain signs.

The semantic parser, the KG and the lexical search read this text; a prompt and the judge have the
question as it came.
"""

import html
import re
import unicodedata
from functools import lru_cache

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}  # "？" is "?"
_SIGNS = {
    **_FULL_WIDTH,
    **dict.fromkeys(map(ord, "“”„‟❝❞〝〞″«»「」『』"), '"'),
    **dict.fromkeys(map(ord, "‘’‚‛ʼ′´‹›"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–−﹣"), "-"),
    **dict.fromkeys(map(ord, "—―"), " - "),
    ord("…"): "... ",
    ord("。"): ". ",
    ord("、"): ", ",
}
_INVISIBLE = frozenset(("Cf", "Cc"))  # categories of Unicode: formats and controls
_VARIATIONS = re.compile("[\ufe00-\ufe0f\u034f]")  # how the sign before is drawn
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?=[^()]*[/.#])[^()\s]*(?:\s\"[^\"]*\")?\)")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~|`+)(?=[^\s*_`])(.+?)(?<=[^\s*_`])\1(?![\w*])")
_MARKS_OF_LINE = re.compile(r"^\s*(?:#{1,6}|>|[-*•])\s+")
_INNER_SPACES = re.compile(r'(?<!\w)"\s*([^"]*?)\s*"(?!\w)')  # "« titanic »"
_QUOTED_OWNER = re.compile(r"\"([^\"]*)\"'s\b", re.I)  # "titanic"'s
_LEADING = re.compile(r"^\W*(?:q|question|query|user)\s?\d*\s*[:.)]\s*", re.I)
_TRAILING = re.compile(r"\s*/(?:no_?)?think\s*$", re.I)


def plain_signs(text: str) -> str:
    """`text` without HTML entities and tags and invisible signs; with plain quotes and dashes and
    letters of one width, composed (NFC, so that "²" stays what it is).

    >>> plain_signs("“Cafe\u0301 &amp; Co”？")
    '"Café & Co"?'
    """
    text = _TAG.sub("", html.unescape(html.unescape(text)))
    text = unicodedata.normalize("NFC", _VARIATIONS.sub("", text))
    text = "".join(
        each for each in text if each.isspace() or unicodedata.category(each) not in _INVISIBLE
    )
    return " ".join(text.translate(_SIGNS).split())


@lru_cache(maxsize=4096)
def plain_question(text: str) -> str:
    """A question with plain signs, without Markdown, a leading "q:" and a trailing "/no_think"; in
    lower case, if it has capitals only.

    >>> plain_question("Q: who directed “<i>titanic</i>”？ /no_think")
    'who directed "titanic"?'
    >>> plain_question("what is [titanic](https://example.com)&#39;s **budget**…")
    "what is titanic's budget..."
    """
    signs = plain_signs(text)
    text = _LINK.sub(r"\1", _TRAILING.sub("", signs))
    text = _MARKS_OF_LINE.sub("", text)
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    text = _INNER_SPACES.sub(r'"\1"', _LEADING.sub("", text))
    text = _QUOTED_OWNER.sub(r"\1's", text)
    text = text.lower() if text.isupper() and " " in text else text
    return text or signs
