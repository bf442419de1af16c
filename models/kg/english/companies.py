"""Finds companies in a question by their names or tickers.

Questions are often in lower case, so any word may be a ticker. Names have priority; then words that
the usual wording of questions about shares does not explain; then the others.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from models.kg.english.company_names import (
    BY_TICKER,
    FORMS,
    MAX_TICKER,
    SHARES,
    best_listing,
    core_name,
)
from models.kg.english.names import COMPANIES, Mention, NameFinder
from models.kg.english.question import QuestionText, WordSpan, runs
from models.kg.schema.codes import brands
from utils.text import FUNCTION_WORDS, words

# Words and signs that link two companies; without one, the question is about one company.
_LINK = re.compile(
    r"\b(?:or|and|vs|versus|than|between|compar\w+|both|against|with|to|relative|either|two)\b"
    r"|[,&/(;]"
)
_BETWEEN = frozenset(("or", "and", "vs", "versus", "than"))
_DOTTED = re.compile(r"[A-Za-z]{1,4}[.\-/][A-Za-z]{1,2}")  # a class of shares: "brk.b"


@dataclass(frozen=True, slots=True)
class Company:
    """A company by the KG's name (its full name, or a ticker), and as in the question.

    `score`: the similarity of the names, 1 for the beginning of one; `doubtful`: its words may mean
    something else.
    """

    name: str
    label: str
    span: WordSpan
    score: float = 1.0
    doubtful: bool = False


_Placed = TypeVar("_Placed", Mention, Company)


def find_companies(
    asked: QuestionText, names: NameFinder, cues: Collection[str], not_names: Collection[str]
) -> list[Company]:
    """The companies in order, without overlaps. `asked` has no time phrases. `not_names` are words
    that are unlikely to be names.

    Raises:
        ApiError: a search failed.
    """
    rarely = FUNCTION_WORDS | frozenset(not_names)
    free = rarely | frozenset(cues)
    mentions = _branded(asked, names)
    mentions += _beside(mentions, names.standing(asked, COMPANIES, cues=cues))
    named = [c for c in (_company(asked, m, names, free) for m in mentions) if c]
    count = Counter(company.span for company in named)
    clear = [c for c in named if c.score >= 0.95 and count[c.span] == 1 and not c.doubtful]
    several = _LINK.search(asked.text.lower()) is not None
    at = list(enumerate(word.text for word in asked.words))
    tickers = [i for i, word in at if word not in free]
    capital = [] if asked.text.isupper() else [i for i in tickers if _label(asked, i).isupper()]
    linked = {i for link, word in at if word in _BETWEEN for i in (link - 1, link + 1)}

    found = [c for c in clear if core_name(c.name) == core_name(c.label)]
    found += _by_ticker(asked, names, found, capital)
    found += _beside(found, clear)
    if several or not found:
        found += _by_ticker(asked, names, found, tickers)
    if not found or (several and len(found) < 2):
        found += _beside(found, named)
    if not found or (several and len(found) < 2):
        words_between = [i for i, word in at if i in linked and word not in rarely]
        found += _by_ticker(asked, names, found, words_between, doubtful=True)
    return _once(sorted(found, key=lambda company: company.span.first), names)


def _branded(asked: QuestionText, names: NameFinder) -> list[Mention]:
    """The companies behind the brands of a question: "google"."""
    plain = [word.text for word in asked.words]
    return [
        Mention(name, span)
        for brand, company in brands().items()
        for span in runs(brand, plain)
        for name in dict.fromkeys(names.search(COMPANIES, company))
        if name == core_name(company)
    ]


def _beside(found: Sequence[_Placed], more: Sequence[_Placed]) -> list[_Placed]:
    return [each for each in more if not any(each.span.meets(other.span) for other in found)]


def _company(
    asked: QuestionText, mention: Mention, names: NameFinder, free: frozenset[str]
) -> Company | None:
    """The company that is mentioned, with the kind of share that follows its name.

    None for a part of a name next to another unexplained word.
    """
    listings = [name for name in names.found(COMPANIES) if core_name(name) == mention.name]
    own = {word for name in listings for word in words(name)}
    first, last = mention.span.first, mention.span.last
    core = asked.texts(mention.span)
    ends = []
    for usual in (own - SHARES, own | FORMS | SHARES):
        while last < len(asked.words) and _singular(asked.words[last].text) in usual:
            last += 1
        while last > mention.span.last and asked.words[last - 1].text in FUNCTION_WORDS:
            last -= 1
        ends.append(last)
    begins = mention.score == 1.0 or mention.name.startswith(" ".join(core))
    around = asked.words[max(first - 1, 0) : first] + asked.words[last : last + 1]
    if not begins and not free.issuperset(word.text for word in around):
        return None
    return Company(
        best_listing(" ".join(asked.texts(WordSpan(first, last))), listings),
        _label(asked, first, ends[0]),
        WordSpan(first, last),
        1.0 if begins else mention.score,
        free.issuperset(core),
    )


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _by_ticker(
    asked: QuestionText,
    names: NameFinder,
    found: Sequence[Company],
    indices: Iterable[int],
    *,
    doubtful: bool = False,
) -> list[Company]:
    """Those of the words that are tickers, and not in companies that were found."""
    spelled: dict[WordSpan, str] = {}
    for index in indices:
        text, span = _label(asked, index).lstrip("$"), WordSpan(index, index + 1)
        text = text if _DOTTED.fullmatch(text) else asked.words[index].text
        short = text.isascii() and len(text) <= MAX_TICKER and not text.isdigit()
        if short and not any(span.meets(other.span) for other in found):
            spelled[span] = text
    calls = [(endpoint, t.upper()) for t in spelled.values() for endpoint in BY_TICKER]
    replies = dict(zip(calls, names.call_many(calls), strict=True))
    return [
        Company(text.upper(), text, span, doubtful=doubtful)
        for span, text in spelled.items()
        if any(replies[endpoint, text.upper()] is not None for endpoint in BY_TICKER)
    ]


def _label(asked: QuestionText, first: int, last: int | None = None) -> str:
    text = asked.spelled(WordSpan(first, last or first + 1))
    for ending in ("'s", "’s", "'", "’"):
        text = text.removesuffix(ending)
    return text.strip(' ,;:?!"().') if text.count(".") == 1 else text.strip(' ,;:?!"()')


def _once(found: list[Company], names: NameFinder) -> list[Company]:
    """Each company once, also if its ticker follows its name: "acme widgets (acw)"."""
    kept: list[Company] = []
    for company in found:
        before = kept[-1] if kept else None
        if before and before.span.last == company.span.first:
            (ticker,) = names.call_many([("/finance/get_ticker_by_name", before.name)])
            if company.name in (ticker, before.name):
                whole = WordSpan(before.span.first, company.span.last)
                kept[-1] = Company(before.name, before.label, whole)
                continue
        if all(company.name != other.name for other in kept):
            kept.append(company)
    return kept
