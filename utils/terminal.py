"""Text of others, made safe for a terminal."""

import unicodedata

_UNPRINTABLE = ("Cc", "Cf", "Cs")  # Unicode's control, format and surrogate characters


def clean(text: str) -> str:
    """`text` on one line, safe for a terminal."""
    return visible(" ".join(text.split()))


def visible(text: str) -> str:
    """`text` with control, format and surrogate characters replaced, but for tabs and newlines."""
    return "".join(map(_visible_char, text))


def _visible_char(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char) not in _UNPRINTABLE:
        return char
    return "�"
