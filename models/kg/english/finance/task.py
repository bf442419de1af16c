"""What a question about shares asks for: the quantity, of which companies, and when."""

import re
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from models.kg.english.finance.names import Company
from models.kg.english.finance.times import When
from models.kg.english.finance.words import (
    AFFORD,
    CHANGE,
    CLOSE,
    DIVIDEND,
    FIGURES,
    HIGH,
    LESS,
    LOW,
    MORE,
    OFFICER,
    OPEN,
    PRICE,
    RANGE,
    TICKER,
    VOLUME,
    WORTH,
    Kind,
    Quantity,
)
from models.kg.english.question import Asked
from models.kg.language.printer import quoted
from models.kg.periods import trading_day_before

DIVIDENDS = Quantity(Kind.DIVIDEND, "get_stock_dividend", "value", "${:.4g}", DIVIDEND)
TICKERS = Quantity(Kind.FIGURE, "get_company", "ticker", "{}", TICKER)
OFFICERS = Quantity(Kind.FIGURE, "get_stock_info", "companyOfficers", "{}", OFFICER)
MARKET_CAP = next(q for q in FIGURES if q.function == "get_stock_market_cap")
_LONGEST_WINS = (*FIGURES, TICKERS, OFFICERS, DIVIDENDS, VOLUME)
_SUM_OF_MONEY = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)\s*(thousand|million|billion|[kmb])?\b")
_NUMBER = re.compile(r"(?<![\w.])\$?(\d[\d,]*(?:\.\d+)?)\s*(thousand|million|billion|[kmb])?\b")
TIME, COMPANY = "•", "§"  # what stands in the place of a phrase of time, of a company
_EASTERN, _CLOSE = ZoneInfo("America/New_York"), 16  # where and at which hour exchanges close
_SCALE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "b": 1e9}
_YES_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had)\b")
_CHOICE = r"which|what|who|whose|how"
# "most recent" and "at least" compare nothing.
_IDIOMS = re.compile(r"\b(?:most recent(?:ly)?|at (?:the )?(?:most|least|latest|best)|best way)\b")
_NOUN_HIGH = r"(?:highs?|peak(?:ed|s)?|top(?:ped)?)"
_NOUN_LOW = r"(?:lows?|bottom(?:ed)?|trough)"


def quantities(asked: Asked, several: bool = False) -> tuple[Quantity, ...]:
    """What is asked for: one quantity, or two prices where a question names both.

    Of several the one whose words are longest wins; prices of a day come after all others.
    `several`: where companies are compared, "the highest price" is not the day's high.
    """
    matched = [
        (len(match.group()), quantity)
        for quantity in _LONGEST_WINS
        if (match := asked.match(quantity.pattern))
    ]
    if matched:
        best = max(matched, key=lambda pair: pair[0])[1]
        if best is not VOLUME or not asked.has(AFFORD):
            return (best,)
    columns = ((OPEN, OPEN.pattern), (CLOSE, CLOSE.pattern), (HIGH, _NOUN_HIGH), (LOW, _NOUN_LOW))
    named = tuple(quantity for quantity, pattern in columns if asked.has(pattern))
    if named:
        return named
    if asked.has(RANGE):
        return (HIGH, LOW)
    plain = _IDIOMS.sub("", asked.plain)
    if not several and not asked.has(AFFORD):
        named = tuple(q for q in (HIGH, LOW) if re.search(rf"\b(?:{q.pattern})\b", plain))
    if named:
        return named
    if asked.has(PRICE.pattern, AFFORD):
        return (PRICE,)
    if asked.has(CHANGE) and asked.has("stocks?|shares?"):
        return (PRICE,)
    if not asked.has(WORTH):
        return ()
    return (PRICE,) if asked.has("shares?|stocks?") else (MARKET_CAP,)


@dataclass(frozen=True, slots=True)
class Task:
    """A question about shares, taken apart; `body` are its words without names and times."""

    asked: Asked
    body: Asked
    companies: tuple[Company, ...]
    whens: tuple[When, ...]
    quantities: tuple[Quantity, ...]

    @property
    def quantity(self) -> Quantity:
        return self.quantities[0]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(company.label for company in self.companies)

    @property
    def today(self) -> date:
        return self.asked.at.date() if self.asked.at else date.max

    @property
    def is_after_close(self) -> bool:
        """Whether the question came when the exchanges had closed for the day."""
        at = self.asked.at
        return at is not None and at.tzinfo is not None and at.astimezone(_EASTERN).hour >= _CLOSE

    @property
    def plain(self) -> str:
        """The body without idioms that look like comparisons."""
        return _IDIOMS.sub("", self.body.plain).replace(" changed hands", " traded")

    def says(self, *patterns: str) -> bool:
        return re.search(rf"\b(?:{'|'.join(patterns)})\b", self.plain) is not None

    @property
    def is_yes_no(self) -> bool:
        """ "is …" and "did …", and no "which" in it."""
        choice = self.body.has(_CHOICE) or f"{COMPANY} or {COMPANY}" in self.body.plain
        return bool(_YES_NO.match(self.asked.plain)) and not choice

    @property
    def is_about_now(self) -> bool:
        """Whether what is so now is asked for: no time is named, or today, or the last day."""
        last = trading_day_before(self.today) if self.asked.at else date.max
        return all(when.is_day and when.period.last >= last for when in self.whens)

    @property
    def wants_less(self) -> bool | None:
        """Whether the lesser or the greater is asked for; None where neither."""
        if self.body.has(AFFORD):  # more shares for the same money are cheaper ones
            return not self.says("fewer", "fewest", "less", "least")
        found = [word.text for word in Asked.of(self.plain).words if word.text in _DEGREES]
        return found[0] in LESS if found else None

    @property
    def amount(self) -> float | None:
        """A sum of money that the question names."""
        match = _SUM_OF_MONEY.search(self.asked.text)
        return _scaled(match) if match else None

    @property
    def bound(self) -> float | None:
        """The one number of the question that is no part of a name or a time."""
        texts = [
            self.asked.text[word.start : word.end]
            for index, word in enumerate(self.body.words)
            if word.text[0].isdigit() and not self.explains(index)
        ]
        if len(set(texts)) != 1:
            return None
        start = self.asked.text.index(texts[0])
        match = _NUMBER.match(self.asked.text, start)
        return _scaled(match) if match else None

    def explains(self, index: int) -> bool:
        """Whether a word of the body is one of those by which the quantity is asked for."""
        offset = sum(len(word.text) + 1 for word in self.body.words[:index])
        return any(
            match.start() <= offset < match.end()
            for quantity in self.quantities
            for match in re.finditer(rf"\b(?:{quantity.pattern})\b", self.body.plain)
        )


_DEGREES = {*MORE, *LESS}


def _scaled(match: re.Match[str]) -> float:
    return float(match[1].replace(",", "")) * _SCALE.get(match[2] or "", 1.0)


def statement(
    company: Company,
    quantity: Quantity,
    when: When | None = None,
    *,
    reduce: str = "",
    key: str = "",
) -> str:
    """A statement of the language that gives a quantity of a company, on a day or over several."""
    arguments = quoted(company.name)
    if quantity.kind is Kind.PRICE:
        arguments += f", {when.arguments if when else quoted('the last trading day')}"
    elif quantity.kind is Kind.DIVIDEND and when is not None:
        arguments += f", {_within(when)}"
    front = f"{reduce} " if reduce and reduce != "LEN" else ""
    back = '["len"]' if reduce == "LEN" else ""
    return f"{front}{quantity.function}({arguments})[{quoted(key or quantity.key)}]{back}"


def _within(when: When) -> str:
    first, last = when.period.first, when.period.last
    if first == last:
        return f'eq(date, "{first}")'
    return f'[ge(date, "{first}"), le(date, "{last}")]'
