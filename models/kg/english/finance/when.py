"""The days that a question about shares means."""

from dataclasses import dataclass, replace
from datetime import date

from models.kg.days import DAY, Period, is_trading_day, trading_day_before, trading_day_from
from models.kg.linking.question import Span


@dataclass(frozen=True, slots=True)
class When:
    """The days from `first` to `last`, as the language writes them; one day where `last` is None.

    `span`: the words of the question that say so; `points`: its two ends, where it names both.
    """

    span: Span
    period: Period
    first: str
    last: str | None = None
    points: tuple["When", "When"] | None = None

    @property
    def is_day(self) -> bool:
        return self.period.first == self.period.last

    @property
    def arguments(self) -> str:
        return f'"{self.first}"' if self.last is None else f'"{self.first}", "{self.last}"'

    @classmethod
    def between(cls, first: date, last: date | None = None) -> "When":
        """The days from `first` to `last`; the one day without it."""
        ends = (str(first), str(last) if last else None)
        return cls(Span(0, 0), Period(first, last or first), *ends)

    def until(self, today: date) -> "When":
        """Without today and what comes after, where days before are left: a day that is not over
        has neither a high nor a close."""
        if self.is_day or self.period.last < today or self.period.first >= today:
            return self
        period = replace(self.period, last=today - DAY)
        return replace(self, period=period, first=str(period.first), last=str(period.last))

    def edge(self, *, last: bool) -> "When":
        """The last or first trading day of the period, as in "closed 2023 at …"; a day as it is."""
        if self.is_day:
            return self
        first, end = self.period.first, self.period.last
        day = trading_day_before(end + DAY) if last else trading_day_from(first)
        return replace(self, period=Period(day, day), first=str(day), last=None)

    def trading_days(self) -> tuple[str, ...]:
        """The days of the period on which exchanges are open."""
        count = (self.period.last - self.period.first).days + 1
        days = (self.period.first + n * DAY for n in range(count))
        return tuple(day.isoformat() for day in days if is_trading_day(day))
