"""Whether a value of the KG is the one that a question names."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from models.english.likeness import THRESHOLD, likeness
from models.kg.schema.codes import in_words, wording_of_synonym, written_names
from utils.text import fold, stem, words

_PART_BREAKS = re.compile(r"\s*(?:/|\(|\)|\"|;)\s*|\s+(?:feat\.?|ft\.?|featuring)\s+|,\s+|\s+&\s+")
_MAY_BE_MISSPELT = 6  # letters; in a shorter name, another letter makes another name
# Words that people add to the name of an award, and the KG does not.
_AWARD_WORDS = frozenset(
    map(stem, "best award awards oscar oscars academy for the in of a".split())
)


def is_named(kind: str, value: Any, name: Any) -> bool:
    """Whether `name` is the value, or another name of it.

    Compares whole values and the parts of "Bruce Wayne / Batman", ignoring case, accents and
    punctuation; one letter of a longer name may be misspelt.

    Args:
        kind: the table of `schema/codes.toml` that has the wording of the value; "" for none.
    """
    wanted = str(name)
    texts = {str(value), in_words(kind, value)} if kind else {str(value)}
    wording = wording_of_synonym(kind, wanted)
    if wording:
        return wording in texts
    if any(fold(wanted) == fold(text) for text in texts):
        return True
    if kind == "character":
        return _has_words_in_order(str(value), wanted)
    if kind:
        wanted_stems = _name_stems(kind, wanted)
        if fold(str(value)) in _covered_names(kind).get(wanted_stems, ()):
            return True
        return any(wanted_stems == _name_stems(kind, text) for text in texts)
    return any(_is_same_name(wanted, part) for part in _name_parts(str(value)))


def _has_words_in_order(value: str, wanted: str) -> bool:
    """Whether "Detective Donald Kimball" has the words of "Detective Kimball" in this order."""
    rest = iter(words(value))
    return all(word in rest for word in words(wanted))


def _name_parts(text: str) -> Iterator[str]:
    """A name, and the parts of it that are names themselves."""
    yield text
    yield from filter(None, _PART_BREAKS.split(text))


def _is_same_name(wanted: str, name: str) -> bool:
    if words(name) == words(wanted):
        return True
    return len(wanted) >= _MAY_BE_MISSPELT and likeness(wanted, name) >= THRESHOLD


@cache
def _covered_names(kind: str) -> dict[tuple[str, ...], frozenset[str]]:
    """The KG's own names, folded, that a name of this kind covers, by its stems."""
    return {
        _name_stems(kind, name): frozenset(map(fold, written))
        for name, written in written_names(kind)
    }


def _name_stems(kind: str, name: str) -> tuple[str, ...]:
    """The stems of a name, without words that people add to it."""
    stems = [stem(word) for word in words(name)]
    if kind == "category":
        return tuple(sorted(word for word in stems if word not in _AWARD_WORDS))
    return tuple(stems)
