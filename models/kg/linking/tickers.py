"""Finds tickers in a question, and where a company's name must be, by the surrounding words."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from models.kg.linking.names import NameFinder
from models.kg.linking.question import Asked, Span
from utils.text import FUNCTION_WORDS

_LONGEST_TICKER = 6
_TICKER_ENDPOINTS = (
    "/finance/get_market_capitalization",
    "/finance/get_price_history",
    "/finance/get_dividends_history",
    "/finance/get_info",
)
# The name of the company asked about follows these words, or precedes those.
_BEFORE_NAME = frozenset(
    "of for did does do is was has have had by in at are were can from than or and between vs"
    " versus symbol ticker company".split()
)
# Words that link two companies; without one, the question is about one company.
_LINK = re.compile(
    r"\b(?:or|and|vs|versus|than|between|compar\w+|both|against|with|to|relative|either|two)\b"
)
_LINKING_MARK = re.compile(r"[,&/(;]")
_BEHIND_NAME = frozenset(
    "stock stocks share shares or and close open opened closed pay paid trade have had has vs"
    " versus corp corporation inc company than as".split()
)


@dataclass(frozen=True, slots=True)
class Company:
    """A company by the KG's name (its full name, or a ticker), and as in the question."""

    name: str
    label: str
    span: Span


_DOTTED = re.compile(r"[A-Za-z]{1,4}[.\-/][A-Za-z]{1,2}")  # a class of shares: "brk.b"


def _spelled_ticker(asked: Asked, index: int) -> str:
    text = label_of(asked, Span(index, index + 1)).lstrip("$")
    whole = _DOTTED.fullmatch(text) or text.lower() == asked.words[index].text
    return text if whole else asked.words[index].text


def by_ticker(asked: Asked, names: NameFinder, indices: Sequence[int]) -> list[Company]:
    spelled = {index: _spelled_ticker(asked, index) for index in indices}
    tickers = {
        index: text.upper()
        for index, text in spelled.items()
        if text.isascii() and len(text) <= _LONGEST_TICKER and not text.isdigit()
    }
    calls = [(endpoint, ticker) for ticker in tickers.values() for endpoint in _TICKER_ENDPOINTS]
    replies = dict(zip(calls, names.call_many(calls), strict=True))
    return [
        Company(ticker, spelled[index], Span(index, index + 1))
        for index, ticker in tickers.items()
        if any(replies[endpoint, ticker] is not None for endpoint in _TICKER_ENDPOINTS)
    ]


def label_of(asked: Asked, span: Span) -> str:
    text = asked.spelled(span)
    for ending in ("'s", "’s", "'", "’"):
        text = text.removesuffix(ending)
    return text.strip(' ,;:?!"().') if text.count(".") == 1 else text.strip(' ,;:?!"()')


def links_companies(asked: Asked) -> bool:
    """Whether a word or sign that may link two companies is at this position."""
    said = " ".join(word.text for word in asked.words)
    return _LINK.search(said) is not None or _LINKING_MARK.search(asked.text) is not None


def stands_as_name(asked: Asked, span: Span) -> bool:
    """Whether it has the position of a name: after "of", before "stock", or with "'s"."""
    before = asked.words[span.first - 1].text if span.first else ""
    behind = asked.words[span.last].text if span.last < len(asked.words) else ""
    spelled = asked.text[asked.words[span.first].start : asked.words[span.first].end].lower()
    return (
        before in _BEFORE_NAME
        or behind in _BEHIND_NAME
        or spelled.endswith(("'s", "’s"))
        or spelled.startswith("$")
    )


def places_of_names(
    asked: Asked, taken: Collection[int], known: Sequence[bool], *, anything: bool
) -> Iterator[int]:
    """Words with another known meaning in a position that requires a company's name: around "or";
    if no name was found at all, also after "of" or before "stock" and "'s"."""
    at = asked.words

    def is_free(index: int) -> bool:
        return 0 <= index < len(at) and index not in taken and at[index].text.isalnum()

    links = {"or", "vs", "versus"}
    links |= {"and"} if any(word.text in ("between", "compare", "both") for word in at) else set()
    for index, word in enumerate(at):
        if word.text in links and (index - 1 in taken or index + 1 in taken or anything):
            yield from (i for i in (index - 1, index + 1) if is_free(i) and known[i])
        if not anything or not is_free(index) or word.text in ("the", "a", "an", "its"):
            continue
        possessive = asked.text[word.start : word.end].lower().endswith(("'s", "’s"))
        before = at[index - 1].text if index else ""
        behind = at[index + 1].text if not index + 1 == len(at) else ""
        contraction = word.text in ("what", "who", "it", "that", "how", "where", "let", "when")
        named = before in ("did", "does") or (
            before in _BEFORE_NAME and (behind in _BEHIND_NAME or not behind.isalnum())
        )
        if word.text in FUNCTION_WORDS:
            named = index + 1 == len(at) and before in ("of", "for")
        if named or (possessive and not contraction):
            yield index
