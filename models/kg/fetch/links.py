"""Links whose bars and brackets the API has lost: the page, then the text shown for it."""

import re
from collections.abc import Sequence


def shown(part: str) -> str:
    """What a page shows of a link that is its target's name and then the shown text.

    Told by the two beginning with one word ("Irish language Irish"), or by a target that is a list
    of what is shown ("List of mayors of Boise Mayor").
    """
    lead = re.match(r"[\s,;:()]*", part)
    start = lead.end() if lead else 0
    tokens = part[start:].split()
    begins = (
        _second_beginning(tokens)
        or _after_list(tokens)
        or _shorter(tokens, bracketed="(" in part[:start])
    )
    if begins:
        return part[:start] + " ".join(tokens[begins:])
    before = _words_before_link(tokens)
    return part[:start] + " ".join([*tokens[:before], tokens[-1]]) if before else part


def _second_beginning(tokens: Sequence[str]) -> int | None:
    """Where the first token stands again, not after a comma."""
    if len(tokens) < 3:
        return None
    first = tokens[0].strip(",")
    return next(
        (
            index
            for index in range(len(tokens) - 1, 0, -1)
            if tokens[index].strip(",") == first and not tokens[index - 1].endswith(",")
        ),
        None,
    )


def _shorter(tokens: Sequence[str], *, bracketed: bool) -> int | None:
    """Where the shown text begins that is the target in lower case, or in brackets its initial:
    "Functional programming functional", "(Green Party G)"."""
    if len(tokens) < 3 or tokens[0] == "List":
        return None
    last, first = tokens[-1].strip(","), tokens[0]
    lower = last == first.lower() != first and all(token.islower() for token in tokens[1:])
    initial = bracketed and len(last) == 1 and first.startswith(last)
    return len(tokens) - 1 if lower or initial else None


def _after_list(tokens: Sequence[str]) -> int | None:
    """In "List of … X", where the first capital word stands that repeats one of the list's name."""
    if [token.lower() for token in tokens[:2]] != ["list", "of"]:
        return None
    return next(
        (
            index
            for index in range(3, len(tokens))
            if tokens[index][:1].isupper()
            and len(tokens[index]) > 3
            and any(word.lower().startswith(tokens[index].lower()) for word in tokens[2:index])
        ),
        None,
    )


def _words_before_link(tokens: Sequence[str]) -> int | None:
    """In "with Arup Group Arup", how many words stand before the target that repeats the last."""
    return next(
        (
            index
            for index in range(1, len(tokens) - 2)
            if tokens[index] == tokens[-1]
            and tokens[index - 1].islower()
            and all(token[:1].isupper() for token in tokens[index:])
        ),
        None,
    )
