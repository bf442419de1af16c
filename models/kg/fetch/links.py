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
    return part[:start] + " ".join(tokens[begins:]) if begins else part


def _second_beginning(tokens: Sequence[str]) -> int:
    """The last position of the first token, unless after a comma; 0 if it has no other."""
    first = tokens[0].strip(",") if len(tokens) > 2 else None
    found = [i for i, token in enumerate(tokens) if token.strip(",") == first]
    return max((i for i in found if i and not tokens[i - 1].endswith(",")), default=0)


def _after_list(tokens: Sequence[str]) -> int:
    """In "List of … X", the first capitalised word that repeats one of the list's name."""
    if [token.lower() for token in tokens[:2]] != ["list", "of"]:
        return 0
    for index, token in enumerate(tokens[3:], 3):
        name = [word.lower() for word in tokens[2:index]]
        if token[0].isupper() and len(token) > 3:
            if any(word.startswith(token.lower()) for word in name):
                return index
    return 0


def _shorter(tokens: Sequence[str], *, bracketed: bool) -> int:
    """Where the shown text begins if it is the target in lower case, or its initial in brackets:
    "Functional programming functional", "(Green Party G)"."""
    if len(tokens) < 3 or tokens[0] == "List":
        return 0
    last, first = tokens[-1].strip(","), tokens[0]
    lower = last == first.lower() != first and all(token.islower() for token in tokens[1:])
    initial = bracketed and len(last) == 1 and first.startswith(last)
    return len(tokens) - 1 if lower or initial else 0
