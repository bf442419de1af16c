"""KG facts in a bounded prompt: each is shortened, none of a few vanishes, and what is left out is
said.

Whole facts that are dropped turn the rest into a lie: half of a comparison looks like all of it,
and "the knowledge graph has no …" like the only finding.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence, Set
from itertools import chain, pairwise

from models.english.calendar_words import MONTHS
from models.english.quantity_words import any_of
from utils.text import stems

KG_CHARS = 8000  # about half of the 4,000 tokens of references that a prompt has room for
_LEAST = 80  # characters of a shortened fact: fewer hardly state one
_DATE = re.compile(rf"\b(?:{any_of(MONTHS)})\.? \d{{1,2}}(?=, \d{{4}}\b)", re.I)  # "May 4, 1990"
_WINNING = frozenset(("win", "won", "winner", "award", "receiv"))  # stems
_OPENING = "(["
_CLOSING = ")]"
_REST = " … (the rest is left out)"


def bounded(facts: Sequence[str], limit: int, question: str = "") -> list[str]:
    """The facts, one per line, in at most `limit` characters, in their order.

    Long facts are shortened: the narrow ones, with less than half of the items of the widest, last;
    of a list, the items stay that have words of the question, such as the winner's. If too many
    facts are left for that, the last are left out, and a line says how many: the most important
    ones come first (`ProgramResult.evidence`).

    >>> bounded(["The age of Al is 7.", "The age of Bo is 9.", "The age of Cy is 5."], 50)
    ['The age of Al is 7.', '(2 more facts left out.)']
    """
    lines = [" ".join(fact.split()) for fact in facts]
    wanted = _wanted_words(question)
    room = limit + 1  # a line break after each fact but the last
    if len(lines) <= 1 or _share(lines, room) >= _LEAST:
        return _shortened_to(lines, room, wanted)
    room = limit - len(_left_out_note(len(lines)))
    if room <= 0:
        return []
    most = min(len(lines), room)
    # The share of a fact grows as facts are left out.
    dropped = bisect_left(
        range(most), True, key=lambda count: _share(lines[: most - count], room) >= _LEAST
    )
    kept = lines[: max(most - dropped, 1)]
    texts = _shortened_to(kept, room, wanted)
    if len(kept) < len(lines):
        texts.append(_left_out_note(len(lines) - len(kept)))
    return texts


def _wanted_words(question: str) -> frozenset[str]:
    """The stems of a question's content words; of a prize, those of who won it, too."""
    words = frozenset(stems(question))
    return words | _WINNING if words & _WINNING else words


def shortened(fact: str, size: int, wanted: Set[str] = frozenset()) -> str:
    """A fact in at most `size` characters, cut between the items of a list if possible; the end
    says about how many are left out. Items with words of `wanted` (stems) stay before others.

    >>> shortened("The films of Bo Third are North (2001), Salt (2005), South (2007) and East.", 70)
    'The films of Bo Third are North (2001) … (about 2 more left out)'
    """
    text = " ".join(fact.split())
    if len(text) <= size:
        return text
    ends = _item_ends(text)
    items = [text[start:end] for start, end in pairwise((0, *ends, len(text)))]
    order = _most_wanted_first(items, wanted)
    for count in range(len(ends), 0, -1):
        kept = "".join(items[place] for place in sorted(order[:count]))
        shorter = f"{kept} … (about {len(items) - count} more left out)"
        if len(shorter) <= size:
            return shorter
    room = size - len(_REST)
    if room <= 0:
        return text[:size]
    whole_words, _, _ = text[: room + 1].rpartition(" ")
    return f"{whole_words or text[:room]}{_REST}"


def _most_wanted_first(items: Sequence[str], wanted: Set[str]) -> list[int]:
    """The places of a list's items: the first, which has the head of the sentence, then those with
    most of the wanted words, without the words that most items have."""
    if not wanted:
        return list(range(len(items)))
    words_of_items = [wanted & stems(item) for item in items]
    counts = Counter(chain.from_iterable(words_of_items))
    ranks = [sum(2 * counts[word] < len(items) for word in words) for words in words_of_items]
    return sorted(range(len(items)), key=lambda place: (place > 0, -ranks[place], place))


def _shortened_to(lines: Sequence[str], room: int, wanted: Set[str]) -> list[str]:
    """The lines, shortened so that all fit into `room`."""
    if not lines:
        return []
    sizes = _sizes(lines, room)
    return [
        shortened(line, size, wanted) for line, size in zip(lines, sizes, strict=True) if size > 0
    ]


def _sizes(lines: Sequence[str], room: int) -> list[int]:
    """The characters that each line may have: a narrow one all of its own, as long as the others
    have the least; the wide ones equal shares."""
    share = _share(lines, room)
    if share < _LEAST or all(len(line) <= share for line in lines):
        return [share] * len(lines)
    widths = [len(_item_ends(line)) for line in lines]
    is_narrow = [2 * width < max(widths) for width in widths]
    narrow = [line for line, each in zip(lines, is_narrow, strict=True) if each]
    wide = [line for line, each in zip(lines, is_narrow, strict=True) if not each]
    rest = room - sum(len(line) + 1 for line in narrow)
    if not narrow or _share(wide, rest) < _LEAST:
        return [share] * len(lines)
    share = _share(wide, rest)
    return [len(line) if each else share for line, each in zip(lines, is_narrow, strict=True)]


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
