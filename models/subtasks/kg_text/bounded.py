"""KG facts in a bounded prompt: each is shortened, none of a few vanishes, and what is left out is
said.

Whole facts that are dropped turn the rest into a lie: half of a comparison looks like all of it,
and "the knowledge graph has no …" like the only finding.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from models.kg.english.quantity_words import MONTHS, any_of

KG_CHARS = 8000  # about half of the 4,000 tokens of references that a prompt has room for
_LEAST = 80  # characters of a shortened fact: fewer hardly state one
_DATE = re.compile(rf"\b(?:{any_of(MONTHS)})\.? \d{{1,2}}(?=, \d{{4}}\b)", re.I)  # "May 4, 1990"
_OPENING = "(["
_CLOSING = ")]"
_REST = " … (the rest is left out)"


def bounded(facts: Sequence[str], limit: int) -> list[str]:
    """The facts, one per line, in at most `limit` characters, in their order.

    Long facts are shortened to equal lengths. If too many are left for that, the last are left out,
    and a line says how many: the most important ones come first (`models.kg.run.evidence`).

    >>> bounded(["The age of Al is 7.", "The age of Bo is 9.", "The age of Cy is 5."], 50)
    ['The age of Al is 7.', '(2 more facts left out.)']
    """
    lines = [" ".join(fact.split()) for fact in facts]
    room = limit + 1  # a line break after each fact but the last
    if len(lines) <= 1 or _share(lines, room) >= _LEAST:
        return _shortened_to(lines, room)
    room = limit - len(_left_out_note(len(lines)))
    if room <= 0:
        return []
    most = min(len(lines), room)
    # The share of a fact grows as facts are left out.
    dropped = bisect_left(
        range(most), True, key=lambda count: _share(lines[: most - count], room) >= _LEAST
    )
    kept = lines[: max(most - dropped, 1)]
    texts = _shortened_to(kept, room)
    if len(kept) < len(lines):
        texts.append(_left_out_note(len(lines) - len(kept)))
    return texts


def shortened(fact: str, size: int) -> str:
    """A fact in at most `size` characters, cut between the items of a list if possible; the end
    says about how many are left out.

    >>> shortened("The films of Bo Third are North (2001), Salt (2005), South (2007) and East.", 70)
    'The films of Bo Third are North (2001) … (about 2 more left out)'
    """
    text = " ".join(fact.split())
    if len(text) <= size:
        return text
    ends = _item_ends(text)
    for kept, end in reversed(list(enumerate(ends, 1))):
        note = f" … (about {len(ends) - kept + 1} more left out)"
        if end + len(note) <= size:
            return f"{text[:end]}{note}"
    room = size - len(_REST)
    if room <= 0:
        return text[:size]
    whole_words, _, _ = text[: room + 1].rpartition(" ")
    return f"{whole_words or text[:room]}{_REST}"


def _shortened_to(lines: Sequence[str], room: int) -> list[str]:
    """The lines, shortened so that all fit into `room`."""
    if not lines:
        return []
    share = _share(lines, room)
    return [shortened(line, share) for line in lines if share > 0]


def _left_out_note(count: int) -> str:
    noun = "fact" if count == 1 else "facts"
    return f"({count} more {noun} left out.)"


def _share(lines: Sequence[str], room: int) -> int:
    """The characters that each line may have, so that all fit into `room`; short ones leave theirs
    to the others."""
    sizes = sorted(len(line) + 1 for line in lines)
    for place, size in enumerate(sizes):
        others = len(sizes) - place
        if size * others > room:
            return room // others - 1
        room -= size
    return max(sizes[-1], _LEAST)  # all fit


def _item_ends(text: str) -> list[int]:
    """The positions of commas and semicolons between items, which are not in brackets or dates."""
    in_dates = {match.end() for match in _DATE.finditer(text)}
    ends = []
    depth = 0
    for place, char in enumerate(text):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth = max(depth - 1, 0)
        elif depth == 0 and place not in in_dates and text.startswith((", ", "; "), place):
            ends.append(place)
    return ends
