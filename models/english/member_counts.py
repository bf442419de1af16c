"""How many members the texts of a fact list, or state: "7, 23 and 45", "4 (2 adopted)"."""

import re
from collections.abc import Sequence
from typing import Any

from models.english.quantity_words import COUNTED_NOUNS, any_of
from utils.text import fold

_THOUSANDS = r"\d{1,3}(?:,\d{3})+"
# A member that is a number itself, not a quantity: a jersey, a code, a year, a span of years.
_BARE_NUMBER = re.compile(r"[#№]?\d+(?:\s*[-–/]\s*\d+)?")
# A number of things: alone, with what they are, or with a remark. Names begin with numbers, too.
_STATED_NUMBER = re.compile(
    rf"({_THOUSANDS}|\d+)(?:\s+(?:{any_of(COUNTED_NOUNS)}))?(?:\s*\([^()]*\))*"
    r"(?:,? including\b.*)?"
)
_PART_OF_WHOLE = re.compile(r"\d+ of\b")
_BREAK = re.compile(rf"(?P<kept>\([^()]*\)|{_THOUSANDS}(?!,?\d))|,|;|\n|\band\b")
_NOTHING = ("", "none")


def member_count(values: Sequence[Any]) -> int | None:
    """The number of members that texts list, or that a single text states; None if one of
    several states a number, so that it is not known whether these are parts of a whole.

    >>> member_count(["7", "23", "45"]), member_count(["7, 23 and 45"])
    (3, 3)
    >>> member_count(["4 (2 adopted)"]), member_count(["20 seats", "8 seats"])
    (4, None)
    >>> member_count(["9 Lives"])
    1
    """
    texts = list(dict.fromkeys(" ".join(fold(str(value)).split()) for value in values))
    whole = _STATED_NUMBER.fullmatch(texts[0]) if len(texts) == 1 else None
    if whole is not None:
        return int(whole[1].replace(",", ""))
    members = texts if len(texts) > 1 else _split("".join(texts))
    members = [member for member in members if member not in _NOTHING]
    if len(members) > 1 and all(map(_BARE_NUMBER.fullmatch, members)):
        return len(dict.fromkeys(members))
    if len(members) > 1 and any(
        _STATED_NUMBER.fullmatch(each) or _PART_OF_WHOLE.match(each) for each in members
    ):
        return None
    return len(members)


def lists_numbers(values: Sequence[Any]) -> bool:
    """Whether the first of some texts begins with a digit, so that its members may be numbers."""
    return bool(values) and isinstance(values[0], str) and values[0][:1].isdigit()


def _split(text: str) -> list[str]:
    """The members of a text, outside of brackets."""
    parts = [""]
    end = 0
    for match in _BREAK.finditer(text):
        if match["kept"] is None:
            parts[-1] += text[end : match.start()]
            parts.append("")
        else:
            parts[-1] += text[end : match.end()]
        end = match.end()
    parts[-1] += text[end:]
    return [part.strip() for part in parts]
