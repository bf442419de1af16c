"""How values of several companies, or several values of one, become a short answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.kg.english.finance.answers import Amount, Inner, money, numbers_of
from models.kg.execute import Outcome


@dataclass(frozen=True, slots=True)
class MostMoved:
    """Whose number, two statements each, grew most in per cent; `least`: least; `falling`: fell.
    `yes_no`: whether the first one's did."""

    names: tuple[str, ...]
    least: bool = False
    falling: bool = False
    yes_no: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes)
        if numbers is None or len(numbers) != 2 * len(self.names) or 0 in numbers[::2]:
            return None
        sign = -1 if self.falling else 1
        moved = [sign * (b - a) / abs(a) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
        wanted = min(moved) if self.least else max(moved)
        if self.falling and min(moved) < 0:
            return None  # "which fell more" where one did not fall
        if self.yes_no:
            return "yes" if moved[0] == wanted and moved[1] != wanted else "no"
        best = [name for name, change in zip(self.names, moved, strict=True) if change == wanted]
        return best[0] if len(best) == 1 else "same"


@dataclass(frozen=True, slots=True)
class Times:
    """How many times the smaller of two numbers goes into the greater."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes)
        if numbers is None or len(numbers) != 2 or min(numbers) <= 0:
            return None
        return f"{max(numbers) / min(numbers):.2f}"


@dataclass(frozen=True, slots=True)
class Together:
    """The sum of the statements' numbers, or their average."""

    template: str
    average: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes)
        if not numbers:
            return None
        return money(sum(numbers) / (len(numbers) if self.average else 1), self.template)


@dataclass(frozen=True, slots=True)
class Each:
    """A value for each of the names."""

    names: tuple[str, ...]
    template: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = [Amount(self.template)([outcome]) for outcome in outcomes]
        if None in said:
            return None
        return ", ".join(f"{name}: {text}" for name, text in zip(self.names, said, strict=True))


@dataclass(frozen=True, slots=True)
class Contrast:
    """Which of two is higher, and both values."""

    names: tuple[str, ...]
    template: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes)
        if numbers is None:
            return None
        (high, best), (low, other) = sorted(zip(numbers, self.names, strict=True), reverse=True)
        if high == low:
            return "same"
        said = (money(number, self.template) for number in (high, low))
        return f"{best} is higher, at {next(said)}, than {other}, at {next(said)}"


@dataclass(frozen=True, slots=True)
class MostPaid:
    """Which company paid more, or less: one of which the KG knows no payment paid none, unless it
    knows of none at all."""

    names: tuple[str, ...]
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes, absent=0.0)
        if numbers is None:
            return None
        if not any(numbers):
            known = all(outcome.complete for outcome in outcomes)
            return "same, neither paid a dividend" if known else None
        wanted = min(numbers) if self.least else max(numbers)
        best = [name for name, number in zip(self.names, numbers, strict=True) if number == wanted]
        return best[0] if len(best) == 1 else "same"


@dataclass(frozen=True, slots=True)
class WidestRange:
    """Which company's high and low, two statements each, lie further apart, or less far."""

    names: tuple[str, ...]
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = numbers_of(outcomes)
        if numbers is None:
            return None
        ranges = [high - low for high, low in zip(numbers[::2], numbers[1::2], strict=True)]
        wanted = min(ranges) if self.least else max(ranges)
        best = [name for name, width in zip(self.names, ranges, strict=True) if width == wanted]
        return best[0] if len(best) == 1 else "same"


@dataclass(frozen=True, slots=True)
class EverySecond:
    """What `inner` says of every second statement, which sorts the one before it."""

    inner: Inner

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return self.inner(outcomes[1::2])
