"""Whether a text holds a gold answer: a short one word for word, a longer one's facts."""

from collections.abc import Sequence

from utils.text import content_words, stem, words

SHORT = 6  # words of a gold answer that is looked for word for word
# A long gold's sentence may be worded differently: this share of its new words must occur.
SHARE = 0.75
_NO_FACT = frozenset("yes no invalid question nan true false".split())
_FEWEST_LETTERS = 3  # of a gold that is looked for word for word


def is_short(gold: str) -> bool:
    """Whether a gold is a fact that can be looked for word for word."""
    gold_words = words(gold)
    if not 0 < len(gold_words) <= SHORT:
        return False
    return not set(gold_words) <= _NO_FACT and len("".join(gold_words)) >= _FEWEST_LETTERS


def holds(context: str, golds: Sequence[str]) -> bool:
    """Whether the words of a gold occur in `context` one after the other."""
    text = f" {' '.join(words(context))} "
    return any(f" {' '.join(words(gold))} " in text for gold in golds)


def has_key_facts(context: str, query: str, golds: Sequence[str]) -> bool | None:
    """Whether `context` holds what a gold says beyond its question; None: it says no such thing.

    All of its new numbers must occur there, and three in four of its other new words.
    """
    query_stems = {stem(word) for word in content_words(query)}
    context_stems = {stem(word) for word in words(context)}
    some_gold_has_facts = False
    for gold in golds:
        gold_stems = {stem(word) for word in content_words(gold)}
        new_stems = gold_stems - query_stems - _NO_FACT
        if not new_stems:
            continue
        some_gold_has_facts = True
        numbers = {word for word in new_stems if word[0].isdigit()}
        others = new_stems - numbers
        if numbers <= context_stems and len(others & context_stems) >= SHARE * len(others):
            return True
    return False if some_gold_has_facts else None


def has_gold(context: str, query: str, golds: Sequence[str]) -> bool | None:
    """Whether `context` holds any of `golds`.

    None where no gold states a fact that can be looked for, as "yes" and "invalid question".
    """
    short_golds = [gold for gold in golds if is_short(gold)]
    long_golds = [gold for gold in golds if gold not in short_golds]
    has_facts = has_key_facts(context, query, long_golds)
    if not short_golds and has_facts is None:
        return None
    return holds(context, short_golds) or bool(has_facts)
