"""Plurals of the labels of keys."""

import re
from functools import cache

from pluralizer import Pluralizer

_LABEL = re.compile(r"(.+?)(?:(\s(?:of|per|in|for)\s)(.+))?$", re.S)
_pluralizer = cache(Pluralizer)  # made with the first label


def plural_of(label: str) -> str:
    """The plural of a label; of "date of birth" the first noun's."""
    head, preposition, rest = _split_label(label)
    if not is_plural(head):
        head = _pluralizer().plural(head)
    return f"{head}{preposition}{rest}"


def is_plural(label: str) -> bool:
    """Whether the head noun of a label is a plural."""
    head, _, _ = _split_label(label)
    return any(_is_only_plural(word) for word in head.split())


def _split_label(label: str) -> tuple[str, str, str]:
    """The head noun of a label, and the preposition and noun after it, if any."""
    match = _LABEL.match(label)
    if match is None:
        return label, "", ""
    return match[1], match[2] or "", match[3] or ""


def _is_only_plural(word: str) -> bool:
    """Whether a word is a plural and no singular, as "series" is."""
    return _pluralizer().is_plural(word) and not _pluralizer().is_singular(word)
