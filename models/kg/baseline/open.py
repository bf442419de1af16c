"""Encyclopedia entries: the infobox keys most similar to the requested facts, then the summary."""

from typing import Any

from rapidfuzz import fuzz

from models.kg.baseline.protocol import Fact, Growing, Lookup, facts_of
from models.kg.fetch.open import facts
from models.kg.fetch.protocol import ask, search
from utils.text import words

_LIKE = 60  # of 100: keys with this similarity to a requested fact come first
_OTHERS = 8  # further keys
_VALUE_CHARS = 200
_SUMMARY_CHARS = 400


def tree(lookup: Lookup) -> Growing:
    """The entry's facts, requested ones first."""
    names = yield from search("/open/search_entity_by_name", lookup.name, str)
    if not names:
        return []
    name = str(names[0])
    page = yield from ask("/open/get_entity", query=name)
    known: dict[str, Any] = {
        key: value if isinstance(value, list) else str(value)[:_VALUE_CHARS]
        for key, value in facts(page, name).items()
        if value not in (None, "", []) and key != "summary_text"
    }
    ranked = sorted(known, key=lambda key: -_likeness(key, lookup.wanted))
    first = [key for key in ranked if _likeness(key, lookup.wanted) >= _LIKE]
    rest = [key for key in known if key not in first][:_OTHERS]
    summary = str((page or {}).get("summary_text") or "")[:_SUMMARY_CHARS]
    found: list[Fact] = list(facts_of(name, [(_spoken(key), known[key]) for key in first]))
    found += facts_of(name, [("summary", summary)])
    return [*found, *facts_of(name, [(_spoken(key), known[key]) for key in rest])]


def _likeness(key: str, wanted: tuple[str, ...]) -> float:
    """The highest similarity of an infobox key to a requested fact, of 100."""
    spelled = " ".join(words(_spoken(key)))
    return max((fuzz.token_set_ratio(spelled, " ".join(words(w))) for w in wanted), default=0.0)


def _spoken(key: str) -> str:
    return key.replace("_", " ").strip()
