"""Plurals of the labels of keys."""

import re
from functools import lru_cache
from typing import Any

_LABEL = re.compile(r"(.+?)(?:(\s(?:of|per|in|for)\s)(.+))?$", re.S)


def plural_of(label: str) -> str:
    """The plural of a label; of "date of birth" the first noun's."""
    head, preposition, rest = _split_label(label)
    if not is_plural(head):
        head = _inflect().plural_noun(head)
    return f"{head}{preposition}{rest}"


def is_plural(label: str) -> bool:
    """Whether the head noun of a label is a plural."""
    head, _, _ = _split_label(label)
    return any(_inflect().singular_noun(word) for word in head.split())


def _split_label(label: str) -> tuple[str, str, str]:
    """The head noun of a label, and the preposition and noun after it, if any."""
    match = _LABEL.match(label)
    if match is None:
        return label, "", ""
    return match[1], match[2] or "", match[3] or ""


@lru_cache(maxsize=1)
def _inflect() -> Any:
    import inflect

    return inflect.engine()
