"""Routes a question to its domain."""

import re
from collections import Counter
from functools import cache

from models.kg.lexicon.lexicon import lexicon
from models.records import Domain


@cache
def _domain_words(domain: Domain) -> re.Pattern[str]:
    """A pattern of the words that tell a domain, from the lexicon."""
    words = lexicon().domains[domain].route.words
    return re.compile(rf"\b(?:{'|'.join(map(_with_optional_part, words))})\b", re.I)


def _with_optional_part(word: str) -> str:
    """A pattern of a word whose part in brackets is optional: "share(s)"."""
    return re.escape(word).replace(r"\(", "(?:").replace(r"\)", ")?")


def route(text: str) -> Domain | None:
    """The domain with most of its words in a question; None without any, or in a tie."""
    counts: Counter[Domain] = Counter()
    for domain in Domain:
        if domain is not Domain.OPEN:
            counts[domain] = len(_domain_words(domain).findall(text))
    (first, most), (_, second) = counts.most_common(2)
    return first if most > second else None
