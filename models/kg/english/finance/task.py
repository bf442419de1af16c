"""What a question about shares asks for: the quantity, of which companies, and when."""

import re
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from models.kg.days import trading_day_before
from models.kg.english.finance.asked_for import COMPANY, IDIOMS, SUM_OF_MONEY, affords
from models.kg.english.finance.names import Company
from models.kg.english.finance.quantities import MULTIPLES, Kind, Quantity
from models.kg.english.finance.when import When
from models.kg.english.finance.words import CHEAP, CHEAP_MULTIPLE, LESS, MORE, REVERSED
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_COUNT_OF_SHARES = re.compile(r"\b(\d+) (?:\w+ )?(?:shares|stocks|units)\b")
_NUMBER = re.compile(r"(?<![\w.])\$?(\d[\d,]*(?:\.\d+)?)\s*(thousand|million|billion|[kmb])?\b")
_EASTERN, _CLOSE = ZoneInfo("America/New_York"), 16  # where and at which hour exchanges close
_SCALE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "b": 1e9}
_YES_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had)\b")
_CHOICE = r"which|what|who|whose|how"
_HANDS = re.compile(r"\bchang(?:e|es|ed|ing) hands\b")


@dataclass(frozen=True, slots=True)
class Task:
    """A question about shares, taken apart; `body` are its words without names and times."""

    asked: Asked
    body: Asked
    companies: tuple[Company, ...]
    whens: tuple[When, ...]
    quantities: tuple[Quantity, ...]
    of_dividend_day: bool = False

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
        return _HANDS.sub("traded", IDIOMS.sub("", self.body.plain))

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
        cheap = CHEAP_MULTIPLE if self.quantity in MULTIPLES else CHEAP
        if affords(self.body) or self.says(cheap):  # of cheaper shares the same money buys more
            return not self.says("fewer", "fewest", REVERSED)
        found = [word.text for word in Asked.of(self.plain).words if word.text in _DEGREES]
        return found[0] in LESS if found else None

    @property
    def amount(self) -> float | None:
        """A sum of money that the question names."""
        match = SUM_OF_MONEY.search(self.asked.text)
        return _scaled(match) if match else None

    @property
    def shares(self) -> float | None:
        """How many shares the question counts: "10 shares"."""
        match = _COUNT_OF_SHARES.search(self.body.plain)
        return float(match[1]) if match else None

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
