"""Links whose bars and brackets the API removed: the page's name, then the shown text."""

import re
from collections.abc import Sequence


def shown(part: str) -> str:
    """The shown text of a link that is its target's name followed by the shown text.

    Recognised if both begin with the same word ("Irish language Irish"), or if the target is a list
    of the shown text ("List of mayors of Boise Mayor").
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
    """The second position of the first token, unless after a comma."""
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
    """Where the shown text begins if it is the target in lower case, or its initial in brackets:
    "Functional programming functional", "(Green Party G)"."""
    if len(tokens) < 3 or tokens[0] == "List":
        return None
    last, first = tokens[-1].strip(","), tokens[0]
    lower = last == first.lower() != first and all(token.islower() for token in tokens[1:])
    initial = bracketed and len(last) == 1 and first.startswith(last)
    return len(tokens) - 1 if lower or initial else None


def _after_list(tokens: Sequence[str]) -> int | None:
    """In "List of … X", the first capitalised word that repeats one of the list's name."""
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
    """In "with Arup Group Arup", the number of words before the repeated target."""
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
