"""Routes a question to its domain."""

import re
from collections import Counter
from functools import cache

from models.kg.lexicon.lexicon import lexicon
from models.records import Domain


@cache
def _pattern(domain: Domain) -> re.Pattern[str]:
    """The words of a domain, from the semantic parser's lexicon."""
    words = lexicon().files[domain]["route"]["words"]
    return re.compile(rf"\b(?:{'|'.join(map(_either, words))})\b", re.I)


def _either(word: str) -> str:
    """A word of the lexicon; a part in brackets is optional: "share(s)"."""
    return re.escape(word).replace(r"\(", "(?:").replace(r"\)", ")?")


def route(text: str) -> Domain | None:
    """The domain with most of its words in a question; None without any, or in a tie."""
    counts = Counter({d: len(_pattern(d).findall(text)) for d in Domain if d is not Domain.OPEN})
    (first, most), (_, second) = counts.most_common(2)
    return first if most > second else None
