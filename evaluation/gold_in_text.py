"""Whether a text holds a gold answer: a short one word for word, a longer one's facts."""

from collections.abc import Sequence

from utils.text import content_words, stem, words

SHORT = 6  # words of a gold answer that is looked for as it stands
# A long gold's sentence may be put in other words: this share of its new words must stand.
SHARE = 0.75
_NO_FACT = frozenset("yes no invalid question nan true false".split())


def is_short(gold: str) -> bool:
    """Whether a gold is a fact that can be looked for as it stands."""
    said = words(gold)
    return 0 < len(said) <= SHORT and not set(said) <= _NO_FACT and len("".join(said)) > 2


def holds(context: str, golds: Sequence[str]) -> bool:
    """Whether the words of a gold stand in `context` one after the other."""
    text = f" {' '.join(words(context))} "
    return any(f" {' '.join(words(gold))} " in text for gold in golds)


def has_key_facts(context: str, query: str, golds: Sequence[str]) -> bool | None:
    """Whether `context` holds what a gold says beyond its question; None: it says no such thing.

    All of its new numbers must stand there, and three in four of its other new words.
    """
    known = {stem(word) for word in content_words(query)}
    there = {stem(word) for word in words(context)}
    verdicts = []
    for gold in golds:
        if new := {stem(word) for word in content_words(gold)} - known - _NO_FACT:
            numbers = {word for word in new if word[0].isdigit()}
            others = new - numbers
            verdicts.append(numbers <= there and len(others & there) >= SHARE * len(others))
    return any(verdicts) if verdicts else None


def has_gold(context: str, query: str, golds: Sequence[str]) -> bool | None:
    """Whether `context` holds any of `golds`; None where none says a fact that can be looked for,
    as "yes" and "invalid question"."""
    short = [gold for gold in golds if is_short(gold)]
    facts = has_key_facts(context, query, [gold for gold in golds if gold not in short])
    return holds(context, short) or bool(facts) if short or facts is not None else None
