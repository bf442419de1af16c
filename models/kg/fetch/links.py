"""Links whose bars and brackets the API removed: the page's name, then the shown text."""

import re


def shown(part: str) -> str:
    """The shown text of a link that is its target's name followed by the shown text.

    Recognised if both begin with the same word: "Irish language Irish". The last such word counts,
    unless it is after a comma.
    """
    lead = re.match(r"[\s,;:()]*", part)
    start = lead.end() if lead else 0
    tokens = part[start:].split()
    first = tokens[0].strip(",") if len(tokens) > 2 else None
    found = [i for i, token in enumerate(tokens) if token.strip(",") == first]
    begins = max((i for i in found if i and not tokens[i - 1].endswith(",")), default=0)
    return part[:start] + " ".join(tokens[begins:]) if begins else part
