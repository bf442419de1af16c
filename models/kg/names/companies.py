"""Finds companies in a question by their names or tickers.

Questions are often in lower case, so any word may be a ticker. Names have priority; then words that
the usual wording of questions about shares does not explain; then the others. A word of English is
a ticker only where it is written as one: "ALL", "$all", "the ticker all", "all's shares".
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from models.english.question import QuestionText, WordSpan, runs
from models.kg.names.company_names import (
    BY_TICKER,
    FORMS,
    MAX_TICKER,
    SHARES,
    best_listing,
    core_name,
)
from models.kg.names.finder import COMPANIES, Mention, NameFinder
from models.kg.schema.codes import brands
from utils.text import ARTICLES, FUNCTION_WORDS, words

# Words and signs that link two companies; without one, the question is about one company.
_LINK = re.compile(
    r"\b(?:or|and|vs|versus|than|between|compar\w+|both|against|with|to|relative|either|two)\b"
    r"|[,&/(;]"
)
_BETWEEN = frozenset(("or", "and", "vs", "versus", "than"))
_WITH_CLASS = re.compile(r"[A-Za-z]{1,4}[.\-/][A-Za-z]{1,2}")  # a class of shares: "brk.b"
_BEFORE_TICKER = frozenset(("ticker", "symbol", "nyse", "nasdaq"))
_SHARES_OF = frozenset(("stock", "share"))
_BEHIND_SHARES = frozenset(("of", "in", "for", "is"))  # "shares of all", "the ticker is all"
_DETERMINERS = ARTICLES | {"any", "what", "which"}
# What only companies have; "price" and "value" are none.
_FIGURES = frozenset(
    "dividend payout pe eps ratio cap capitalization capitalisation earning trading traded".split()
)
_BEFORE_NAME = frozenset(("of", "for", "by"))
_NEAR = 4  # words from a figure to the "of" behind it
_CLEAR_SCORE = 0.95
_EDGE_PUNCTUATION = ' ,;:?!"()'


@dataclass(frozen=True, slots=True)
class Company:
    """A company by the KG's name (its full name, or a ticker), and as in the question.

    Attributes:
        score: the similarity of the names, 1 for the beginning of one.
        doubtful: whether its words may mean something else.
        partial: only a part of the name is in the question.
    """

    name: str
    mention: str
    span: WordSpan
    score: float = 1.0
    doubtful: bool = False
    partial: bool = False


_Placed = TypeVar("_Placed", Mention, Company)


def find_companies(
    question: QuestionText,
    names: NameFinder,
    cues: Collection[str],
    not_names: Collection[str],
    is_english: Callable[[str], bool],
) -> list[Company]:
    """The companies in order, without overlaps.

    Args:
        question: without its time phrases.
        cues: the words of typical questions about companies.
        not_names: words that are unlikely to be names.
        is_english: whether a word is in a dictionary.

    Raises:
        ApiError: a search failed.
    """
    rarely_names = FUNCTION_WORDS.union(not_names)
    search = _CompanySearch(question, names, rarely_names.union(cues), is_english)
    named = search.named(cues)
    unambiguous = _unambiguous(named)
    companies = [each for each in unambiguous if core_name(each.name) == core_name(each.mention)]
    companies += search.with_ticker(search.capital_words(), companies)
    companies += _elsewhere(companies, unambiguous)
    asks_of_several = _LINK.search(question.text.lower()) is not None
    if asks_of_several or not companies:
        companies += search.with_ticker(search.unexplained_words(), companies)
    least = 2 if asks_of_several else 1
    if len(companies) < least:
        companies += _elsewhere(companies, named)
    if len(companies) < least:
        linked = [i for i in search.linked_words() if search.words[i] not in rarely_names]
        companies += search.with_ticker(linked, companies, doubtful=True)
    companies.sort(key=lambda company: company.span.first)
    return _without_repetitions(companies, names)


def _unambiguous(named: Sequence[Company]) -> list[Company]:
    """The companies whose words can hardly mean anything else."""
    companies_of_span = Counter(company.span for company in named)
    return [
        company
        for company in named
        if company.score >= _CLEAR_SCORE
        and companies_of_span[company.span] == 1
        and not company.doubtful
    ]


def _elsewhere(taken: Sequence[_Placed], more: Sequence[_Placed]) -> list[_Placed]:
    """Those of `more` that have no word in common with those of `taken`."""
    return [each for each in more if not any(each.span.meets(other.span) for other in taken)]


class _CompanySearch:
    """The companies that a question may name: by name, by brand or by ticker.

    Attributes:
        words: the words of the question.
    """

    def __init__(
        self,
        question: QuestionText,
        names: NameFinder,
        free: frozenset[str],
        is_english: Callable[[str], bool],
    ) -> None:
        """`free`: words that the usual wording of questions explains."""
        self._question = question
        self._names = names
        self._free = free
        self._is_english = is_english
        self.words = [word.text for word in question.words]

    def named(self, cues: Collection[str]) -> list[Company]:
        """The companies that the question has by name or brand."""
        mentions = self._brands()
        mentions += _elsewhere(
            mentions, self._names.mentions_in(self._question, COMPANIES, cues=cues)
        )
        companies = []
        for mention in mentions:
            company = self._company(mention)
            if company is not None:
                companies.append(company)
        return companies

    def _brands(self) -> list[Mention]:
        """The companies behind the brands of the question: "google"."""
        mentions = []
        for brand, company in brands().items():
            for span in runs(brand, self.words):
                for name in dict.fromkeys(self._names.search(COMPANIES, company)):
                    if name == core_name(company):
                        mentions.append(Mention(name, span))
        return mentions

    def _company(self, mention: Mention) -> Company | None:
        """The company that is mentioned, with the kind of share that follows its name.

        None for a part of a name next to another unexplained word.
        """
        hits = self._names.all_hits(COMPANIES)
        listings = [name for name in hits if core_name(name) == mention.name]
        first = mention.span.first
        name_end, share_end = self._ends(mention.span, listings)
        core = self._question.texts(mention.span)
        is_beginning = mention.score == 1.0 or mention.name.startswith(" ".join(core))
        if not is_beginning:
            neighbours = self.words[max(first - 1, 0) : first]
            neighbours += self.words[share_end : share_end + 1]
            if not self._free.issuperset(neighbours):
                return None
        return Company(
            name=best_listing(" ".join(self.words[first:share_end]), listings),
            mention=self._label(first, name_end),
            span=WordSpan(first, share_end),
            score=mention.score,
            doubtful=self._free.issuperset(core),
            partial=mention.partial,
        )

    def _ends(self, span: WordSpan, listings: Sequence[str]) -> tuple[int, int]:
        """Where a company's name ends, and where the kind of share after it ends."""
        listing_words: set[str] = set()
        for name in listings:
            listing_words.update(words(name))
        name_end = self._extended(span.end, span.end, listing_words - SHARES)
        share_end = self._extended(name_end, span.end, listing_words | FORMS | SHARES)
        return name_end, share_end

    def _extended(self, end: int, least: int, usual: Collection[str]) -> int:
        """The end of a name with the usual words after it, except final function words."""
        while end < len(self.words) and _singular(self.words[end]) in usual:
            end += 1
        while end > least and self.words[end - 1] in FUNCTION_WORDS:
            end -= 1
        return end

    def unexplained_words(self) -> list[int]:
        """The words that the usual wording of questions does not explain."""
        return [index for index, word in enumerate(self.words) if word not in self._free]

    def capital_words(self) -> list[int]:
        """The unexplained words in capitals; none if the whole question is in capitals."""
        if self._question.text.isupper():
            return []
        return [i for i in self.unexplained_words() if self._label(i, i + 1).isupper()]

    def linked_words(self) -> list[int]:
        """The words before and after "or", "and", "versus"."""
        linked: set[int] = set()
        for index, word in enumerate(self.words):
            if word in _BETWEEN:
                linked.update((index - 1, index + 1))
        return [index for index in range(len(self.words)) if index in linked]

    def with_ticker(
        self, indices: Iterable[int], taken: Sequence[Company], *, doubtful: bool = False
    ) -> list[Company]:
        """The companies of those words that are tickers, and no words of `taken`."""
        tickers: dict[WordSpan, str] = {}
        for index in indices:
            span = WordSpan(index, index + 1)
            ticker = self._possible_ticker(index)
            if ticker and not any(span.meets(other.span) for other in taken):
                tickers[span] = ticker
        known = self._known_tickers(tickers.values())
        return [
            Company(ticker.upper(), ticker, span, doubtful=doubtful)
            for span, ticker in tickers.items()
            if ticker.upper() in known
        ]

    def _possible_ticker(self, index: int) -> str:
        """A word as a ticker; empty if it cannot be one."""
        text = self._label(index, index + 1).lstrip("$")
        if not _WITH_CLASS.fullmatch(text):
            text = self.words[index]
        if not text.isascii() or len(text) > MAX_TICKER or text.isdigit():
            return ""
        if self._is_english(self.words[index]) and not self._is_written_as_ticker(index):
            return ""
        return text

    def _is_written_as_ticker(self, index: int) -> bool:
        """Whether a word is in capitals in a question that is not, behind "$", beside "ticker",
        "stock", "shares of" or similar, where a figure of companies wants a name ("the dividend of
        all"), or beside a ticker ("all or acw")."""
        chunk = self._label(index, index + 1)
        in_capitals = chunk.isupper() and not self._question.text.isupper()
        if in_capitals or chunk.startswith("$"):
            return True
        before = [_singular(word) for word in self.words[max(index - 2, 0) : index]]
        nearest = before[-1] if before else ""
        if nearest in _BEFORE_TICKER:
            return True
        if nearest in _BEHIND_SHARES and before[0] in _SHARES_OF | _BEFORE_TICKER:
            return True
        after = [_singular(word) for word in self.words[index + 1 : index + 2]]
        if after and after[0] in _SHARES_OF | _BEFORE_TICKER:
            return nearest not in _DETERMINERS
        return self._is_behind_figure(index) or self._is_beside_ticker(index)

    def _is_behind_figure(self, index: int) -> bool:
        if index == 0 or self.words[index - 1] not in _BEFORE_NAME:
            return False
        if not self._free.issuperset(self.words[index + 1 : index + 2]):
            return False  # "the earnings of key people"
        near = self.words[max(index - 1 - _NEAR, 0) : index - 1]
        return any(_singular(word) in _FIGURES | _SHARES_OF for word in near)

    def _is_beside_ticker(self, index: int) -> bool:
        neighbours = []
        if self.words[index + 1 : index + 2] and self.words[index + 1] in _BETWEEN:
            neighbours += self.words[index + 2 : index + 3]
        if index > 1 and self.words[index - 1] in _BETWEEN:
            neighbours.append(self.words[index - 2])
        tickers = [
            word
            for word in neighbours
            if word.isascii() and len(word) <= MAX_TICKER and not self._is_english(word)
        ]
        return bool(self._known_tickers(tickers))

    def _known_tickers(self, tickers: Iterable[str]) -> set[str]:
        """Those that an endpoint of the KG knows, in capitals."""
        calls = []
        for ticker in tickers:
            calls += [(endpoint, ticker.upper()) for endpoint in BY_TICKER]
        replies = self._names.call_many(calls)
        return {
            ticker for (_, ticker), reply in zip(calls, replies, strict=True) if reply is not None
        }

    def _label(self, first: int, last: int) -> str:
        """The words of a company as spelled, without a possessive ending."""
        text = self._question.spelled(WordSpan(first, last))
        for ending in ("'s", "’s", "'", "’"):
            text = text.removesuffix(ending)
        if text.count(".") == 1:
            return text.strip(_EDGE_PUNCTUATION + ".")
        return text.strip(_EDGE_PUNCTUATION)


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _without_repetitions(companies: Sequence[Company], names: NameFinder) -> list[Company]:
    """Each company once, also if its ticker follows its name: "acme widgets (acw)"."""
    unique: list[Company] = []
    for company in companies:
        before = unique[-1] if unique else None
        if before and before.span.end == company.span.first:
            (ticker,) = names.call_many([("/finance/get_ticker_by_name", before.name)])
            if company.name in (ticker, before.name):
                span = WordSpan(before.span.first, company.span.end)
                unique[-1] = Company(before.name, before.mention, span)
                continue
        if all(company.name != other.name for other in unique):
            unique.append(company)
    return unique
