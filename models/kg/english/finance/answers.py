"""How prices, dividends and figures become a short answer; see `compose.py` for the common ways."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from models.kg.execute import Outcome
from models.kg.operators import as_number, compare

Inner = Callable[[Sequence[Outcome]], str | None]


def money(value: float, template: str) -> str:
    """A number in a template; the sign of a loss stands before the dollars: "-$3.26"."""
    exact = Decimal(str(round(abs(value), 9)))  # else 0.745 is shown as 0.74
    places = re.search(r"\.(\d)f", template)
    if places:
        exact = exact.quantize(Decimal(1).scaleb(-int(places[1])), ROUND_HALF_UP)
    text = template.format(exact)
    return f"-{text}" if value < 0 and any(c in "123456789" for c in text) else text


def first_number(outcome: Outcome) -> float | None:
    return as_number(outcome.values[0]) if outcome.values else None


def numbers_of(outcomes: Sequence[Outcome], absent: float | None = None) -> list[float] | None:
    found = [first_number(outcome) for outcome in outcomes]
    known = [absent if number is None else number for number in found]
    return None if None in known else [number for number in known if number is not None]


@dataclass(frozen=True, slots=True)
class Amount:
    """The number of the last statement, or its text as it is; `last`: of several the last.

    `mean`: an average of prices in cents; where it lies half-way between two cents, it is said
    with a place more, as the prices behind the cents decide to which of them it belongs.
    """

    template: str
    last: bool = False
    mean: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = outcomes[-1].values
        if not values:
            return None
        value = values[-1] if self.last else values[0]
        number = as_number(value)
        if number is None or self.template == "{}":
            return str(value)
        if self.mean and round(number, 9) == round(number, 3) != round(number, 2):
            half_way = round(number * 1000) % 10 == 5
            return money(number, self.template.replace(".2f", ".3f" if half_way else ".2f"))
        return money(number, self.template)


@dataclass(frozen=True, slots=True)
class Covered:
    """What `inner` says, if every statement has `key` on each of `days`: else a reduction over
    them would be over some only."""

    key: str
    days: tuple[str, ...]
    inner: Inner

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        for outcome in outcomes:
            known = {row.get("date") for row in outcome.rows if row.get(self.key) is not None}
            if not known.issuperset(self.days):
                return None
        return self.inner(outcomes)


@dataclass(frozen=True, slots=True)
class DaysWhere:
    """The days on which the key `more` is above the key `less`, or how many there are."""

    more: str
    less: str
    count: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = [
            r
            for r in outcomes[-1].rows
            if compare(r.get(self.more), r.get(self.less)) is not None
            and r.get(self.more) is not None
        ]
        days = [str(r["date"]) for r in rows if (compare(r[self.more], r[self.less]) or 0) > 0]
        if not rows:
            return None
        if self.count:
            return str(len(days))
        return ", ".join(days) or None


@dataclass(frozen=True, slots=True)
class DaysBeyond:
    """The days on which `key` is above `bound`, or below it, or how many there are."""

    key: str
    bound: float
    below: bool = False
    count: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        known = [(r["date"], as_number(r.get(self.key))) for r in outcomes[-1].rows]
        days = [
            str(day)
            for day, number in known
            if number is not None and (number < self.bound if self.below else number > self.bound)
        ]
        return str(len(days)) if self.count else ", ".join(days) or "none"


@dataclass(frozen=True, slots=True)
class Exceeds:
    """Yes or no: whether the first statement's value is above the last one's, or below it."""

    below: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if not outcomes[0].values or not outcomes[-1].values:
            return None
        sign = compare(outcomes[0].values[0], outcomes[-1].values[0])
        if sign is None:
            return None
        return "yes" if (sign < 0 if self.below else sign > 0) else "no"


@dataclass(frozen=True, slots=True)
class Beyond:
    """Yes or no: whether the value is above `bound`, or below it."""

    bound: float
    below: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        number = first_number(outcomes[-1])
        if number is None:
            return None
        return "yes" if (number < self.bound if self.below else number > self.bound) else "no"


@dataclass(frozen=True, slots=True)
class Change:
    """From the first statement's number to the last one's, in per cent or as it is; `loss`: how
    far it fell, as a number without a sign."""

    template: str = "{:.2f}%"
    percent: bool = True
    loss: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        first, last = first_number(outcomes[0]), first_number(outcomes[-1])
        if first is None or last is None or (self.percent and first == 0):
            return None
        change = (last - first) / abs(first) * 100 if self.percent else last - first
        return money(abs(change) if self.loss and change < 0 else change, self.template)


@dataclass(frozen=True, slots=True)
class Moved:
    """Whether the number of the second statement is above that of all others, or below all;
    nothing where above some only. `up`: yes means above; None: "up" or "down" is said."""

    up: bool | None = True

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes)
        if numbers is None:
            return None
        before, now, *opening = numbers
        signs = {(now > other) - (now < other) for other in (before, *opening)}
        if len(signs) != 1 or 0 in signs:
            return None
        rose = signs == {1}
        if self.up is None:
            return "up" if rose else "down"
        return "yes" if rose == self.up else "no"


@dataclass(frozen=True, slots=True)
class Cost:
    """What so many shares cost."""

    count: float

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        price = first_number(outcomes[-1])
        return None if price is None else money(price * self.count, "${:,.2f}")


@dataclass(frozen=True, slots=True)
class PaidOn:
    """The date of the last statement, or its year; that there is none where none was paid."""

    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if outcomes[-1].values:
            return str(outcomes[-1].values[0])[: 4 if self.year else None]
        return "none of the days" if outcomes[0].complete and not outcomes[0].rows else None


@dataclass(frozen=True, slots=True)
class Affordable:
    """How many whole shares a sum buys."""

    amount: float

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        price = first_number(outcomes[-1])
        return str(int(self.amount // price)) if price else None


@dataclass(frozen=True, slots=True)
class Officer:
    """The name of the one officer whose title fits a pattern, without "Mr." and the like."""

    title: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        officers: list[Any] = [o for o in outcomes[-1].values if isinstance(o, dict)]
        fitting = [
            str(officer.get("name"))
            for officer in officers
            if re.search(rf"\b(?:{self.title})\b", str(officer.get("title", "")).lower())
        ]
        if not fitting:
            return None
        return re.sub(r"^(?:mr|ms|mrs|dr)\.?\s+", "", fitting[0], flags=re.I)


@dataclass(frozen=True, slots=True)
class AnyPaid:
    """Yes or no: whether there is a row; no only where the KG is complete."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if outcomes[-1].rows:
            return "yes"
        return "no" if outcomes[-1].complete else None
