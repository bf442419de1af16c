"""Which domain a question is about."""

import re
from collections import Counter
from typing import Protocol

from models.records import Domain

_CUES = {
    Domain.FINANCE: r"stocks?|shares?|tickers?|market cap\w*|dividends?|p/e|price-to-earnings|eps"
    r"|earnings|trading|nasdaq|nyse|invest\w*|etfs?",
    Domain.MOVIE: r"movies?|films?|direct(?:ed|or)s?|oscars?|academy awards?|actors?|actress(?:es)?"
    r"|box office|cast|screenplay|starr(?:ed|ing)|filmmakers?",
    Domain.MUSIC: r"songs?|albums?|bands?|singers?|gramm(?:y|ys|ies)|musicians?|billboard|lyrics"
    r"|rappers?|concerts?|discography",
    Domain.SPORTS: r"nba|nfl|mlb|soccer|football|basketball|premier league|la liga|ligue 1|serie a"
    r"|bundesliga|games?|match(?:es)?|goals?|teams?|championships?|tournament|playoffs?|coach",
}
_PATTERNS = {domain: re.compile(rf"\b(?:{cue})\b", re.I) for domain, cue in _CUES.items()}


class Router(Protocol):
    def route(self, text: str) -> Domain | None:
        """The domain of a question; None where it cannot be told."""
        ...


class KeywordRouter:
    """Counts the words that belong to one domain; without any, or at a tie, it cannot tell."""

    def route(self, text: str) -> Domain | None:
        counts = Counter({domain: len(p.findall(text)) for domain, p in _PATTERNS.items()})
        (first, most), (_, second) = counts.most_common(2)
        return first if most > second else None
