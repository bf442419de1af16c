"""Which quantities a question asks for."""

import re

from models.kg.english.finance.quantities import (
    CLOSE,
    DIVIDENDS,
    EPS,
    FIGURES,
    HIGH,
    LOW,
    MARKET_CAP,
    OFFICERS,
    OPEN,
    PRICE,
    TICKERS,
    VOLUME,
    WORTH,
    Quantity,
)
from models.kg.english.finance.words import AFFORD, CHANGE, MONEY, PERCENT, RANGE, UP_DAYS
from models.kg.linking.question import Asked

TIME, COMPANY = "•", "§"  # what stands in the place of a phrase of time, of a company
SUM_OF_MONEY = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)\s*(thousand|million|billion|[kmb])?\b")
# "most recent" and "at least" compare nothing.
IDIOMS = re.compile(r"\b(?:most recent(?:ly)?|at (?:the )?(?:most|least|latest|best)|best way)\b")
_LONGEST_WINS = (*FIGURES, TICKERS, OFFICERS, DIVIDENDS, VOLUME)
_BUYER = (
    r"(?:can|could|would|will|if) (?:i|we|you|one|someone|somebody|an investor) (?!tell|give|get)"
)
# Shares that change hands at a price are not counted.
_AT_A_PRICE = r"(?:at|for) (?:what|which) (?:price|cost)|what (?:price|cost)"
_A_COMPANY = r"compan(?:y|ies)|firms?|corporations?|business(?:es)?"
_SIZES = "larger|bigger|largest|biggest|smaller|smallest"
_SHARES = "shares?|stocks?"
# In the order in which they are said; an adjective, as in "the highest price", is none of these.
_COLUMNS = (
    (OPEN, OPEN.pattern),
    (CLOSE, CLOSE.pattern),
    (HIGH, r"(?:highs?|peak(?:ed|s)?|top(?:ped)?)"),
    (LOW, r"(?:lows?|bottom(?:ed)?|trough)"),
)


def quantities(asked: Asked, several: bool = False) -> tuple[Quantity, ...]:
    """What is asked for: one quantity, or prices where a question names several of them.

    Of several the one whose words are longest wins; prices of a day come after all others.
    `several`: where companies are compared, "the highest price" is not the day's high.
    """
    found = _longest(asked)
    return (found,) if found else _prices(asked, several) or _loosely(asked, several)


def affords(asked: Asked) -> bool:
    """Whether it asks how many shares some money buys."""
    if not asked.has(AFFORD):
        return False
    return bool(SUM_OF_MONEY.search(asked.text)) or asked.has(MONEY, _BUYER)


def _longest(asked: Asked) -> Quantity | None:
    matched = [
        (len(match.group()), quantity)
        for quantity in _LONGEST_WINS
        if (match := asked.match(quantity.pattern))
    ]
    if not matched:
        return None
    best = max(matched, key=lambda pair: pair[0])[1]
    if best is EPS and asked.has(DIVIDENDS.pattern):
        return DIVIDENDS  # what a share "earns in dividends"
    if best is VOLUME and (affords(asked) or asked.has(_AT_A_PRICE)):
        return None
    return best


def _prices(asked: Asked, several: bool) -> tuple[Quantity, ...]:
    named = tuple(quantity for quantity, pattern in _COLUMNS if asked.has(pattern))
    if named:
        return named
    if asked.has(RANGE):
        return (HIGH, LOW)
    plain = IDIOMS.sub("", asked.plain)
    if several or affords(asked):
        return ()
    return tuple(q for q in (HIGH, LOW) if re.search(rf"\b(?:{q.pattern})\b", plain))


def _loosely(asked: Asked, several: bool) -> tuple[Quantity, ...]:
    """What is meant where no quantity is named as such."""
    if asked.has(PRICE.pattern, AFFORD):
        return (PRICE,)
    if asked.has(CHANGE) and (asked.has(_SHARES, PERCENT, "how much") or TIME in asked.plain):
        return (PRICE,)
    if several and asked.has(_SIZES):
        return (MARKET_CAP,) if asked.has(_A_COMPANY) else ()
    if asked.has(UP_DAYS):
        return (CLOSE,)
    if asked.has(WORTH):
        return (PRICE,) if asked.has(_SHARES) else (MARKET_CAP,)
    return ()
