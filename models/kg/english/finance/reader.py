"""Questions about companies and their shares: prices, volumes, dividends and figures."""

import re

from models.kg.english.finance.asked_for import COMPANY, TIME, quantities
from models.kg.english.finance.cues import ABOUT_SHARES, CUES, LEGAL, RISKY, UNREAD_TIME
from models.kg.english.finance.names import Company, find_companies
from models.kg.english.finance.one import read_one
from models.kg.english.finance.quantities import CLOSE, OPEN, Kind
from models.kg.english.finance.several import read_several
from models.kg.english.finance.spelling import mended, times_mended
from models.kg.english.finance.task import Task
from models.kg.english.finance.times import find_times
from models.kg.english.finance.when import When
from models.kg.english.finance.words import (
    A_YEAR,
    AVERAGE,
    DIVIDEND_DAY,
    GREATEST,
    HOW_MANY,
    SMALLEST,
    WHICH_DAYS,
)
from models.kg.english.names import Names
from models.kg.english.reading import Reading
from models.kg.linking.question import Asked
from utils.text import FUNCTION_WORDS

_MOST_UNEXPLAINED = 2
_YEAR_ASKED = r"(?:what|which) year"
# A part of a period that no phrase of time has taken: what is left would be the whole of it.
_OVER_PERIOD = f"{AVERAGE}|{WHICH_DAYS}|{GREATEST}|{SMALLEST}|{HOW_MANY}"
_PART_OF_PERIOD = (
    r"(?:first|second|third|fourth|last|final|1st|2nd|3rd|4th) (?:\w+ )?(?:weeks?|months?|quarters?"
    r"|half|halves|years?)"
)


def read(asked: Asked, names: Names) -> list[Reading]:
    """The readings of a question about shares; see `models/kg/english/reading.py`."""
    asked = times_mended(asked)
    readings = _read(asked, names)
    if not readings and (changed := mended(asked)):
        return _read(changed, names)
    return readings


def _read(asked: Asked, names: Names) -> list[Reading]:
    whens = find_times(asked)
    rest = asked.without((when.span for when in whens), TIME)
    asks = quantities(rest) or quantities(rest, several=True)
    of_a_day = bool(whens) and any(quantity.kind is Kind.PRICE for quantity in asks)
    if not asks or not (of_a_day or rest.has(ABOUT_SHARES)):
        return []
    companies = find_companies(rest, names, CUES)
    if not companies:
        return []
    task = _task(asked, rest, whens, companies)
    if task is None:
        return []
    return read_one(task) if len(companies) == 1 else read_several(task)


def _task(asked: Asked, rest: Asked, whens: list[When], companies: list[Company]) -> Task | None:
    """What is asked, with the words that are left; None where one of them may change it."""
    body = rest.without((company.span for company in companies), COMPANY)
    event = body.match(DIVIDEND_DAY)
    of_prices = quantities(_before(body, event)) if event else ()
    on_dividend_day = bool(of_prices) and of_prices[0].kind is Kind.PRICE
    found = of_prices if on_dividend_day else quantities(body, several=len(companies) > 1)
    if not found or body.has(_PART_OF_PERIOD) or (len(companies) == 1 and _links(body)):
        return None
    if len(whens) == 1 and found in ((OPEN,), (CLOSE,)) and not body.has(_OVER_PERIOD):
        edge = re.search(rf"\b(?:(clos|end|finish)|open|start|beg[iau]n)\w* {TIME}", body.plain)
        if edge:
            whens = [whens[0].edge(last=edge[1] is not None)]
    if (
        body.has(UNREAD_TIME)
        and not body.has(A_YEAR, _YEAR_ASKED)
        and found[0].kind is not Kind.FIGURE
    ):
        return None
    task = Task(asked, body, tuple(companies), tuple(whens), found, on_dividend_day)
    explained = CUES | FUNCTION_WORDS | LEGAL | {TIME, COMPANY}
    left = [
        index
        for index, word in enumerate(body.words)
        if word.text not in explained and not task.explains(index)
    ]
    numbers = [index for index in left if body.words[index].text[0].isdigit()]
    if numbers and task.bound is None and task.amount is None and task.shares is None:
        return None
    left = [index for index in left if index not in numbers]
    if len(left) > _MOST_UNEXPLAINED or any(body.words[index].text in RISKY for index in left):
        return None
    beside = {
        near
        for index, word in enumerate(body.words)
        if word.text == COMPANY
        for near in (index - 1, index + 1)
    }
    return None if any(not _is_verb(body, index) for index in beside & set(left)) else task


def _is_verb(body: Asked, index: int) -> bool:
    """Whether the word is what a company "did": no part of its name."""
    before = [word.text for word in body.words[max(0, index - 2) : index]]
    return before[-1:] == [COMPANY] and before[0] in ("did", "does", "do")


def _before(body: Asked, match: re.Match[str]) -> Asked:
    """The words in front of a match over `body.plain`."""
    return Asked(body.text, body.words[: body.plain[: match.start()].count(" ")], body.at)


def _links(body: Asked) -> bool:
    """Whether a company is linked with something that was not found."""
    return (
        re.search(rf"(?:\b(?:or|vs|versus) {COMPANY}|{COMPANY} (?:or|vs|versus)\b)", body.plain)
        is not None
    )
