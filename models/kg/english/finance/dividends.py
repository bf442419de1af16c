"""Questions about dividends: of one company, of several, and prices on the day of one."""

from datetime import date

from models.kg.english.compose import Difference, Invalid, Listed, Most
from models.kg.english.finance.answers import Amount, AnyPaid, Exceeds, PaidOn
from models.kg.english.finance.answers_several import EverySecond, MostPaid
from models.kg.english.finance.compared import SAME, compared
from models.kg.english.finance.quantities import DIVIDENDS
from models.kg.english.finance.task import Task, statement
from models.kg.english.finance.when import When
from models.kg.english.finance.words import (
    A_YEAR,
    AT_WHAT_TIME,
    AVERAGE,
    CHANGE,
    COMPARED,
    DIFFERENCE,
    DIVIDEND_DAY,
    EARLIER,
    FIRST_ONE,
    HOW_MANY,
    LAST_ONE,
    LATER,
    TOTAL,
)
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted

_OFTEN = r"(?:more|most|less|least) (?:often|frequent\w*|times)|number of|how many|count|more times"


def _reading(compose: Compose, *statements: str) -> list[Reading]:
    return [Reading("; ".join(statements), compose)]


def read_dividend(task: Task) -> list[Reading]:
    """The readings of a question about one company's dividends."""
    (company,) = task.companies
    if len(task.whens) == 2 and task.wants_less is not None:
        return _of_two_times(task)
    if len(task.whens) > 1 or task.bound is not None or task.says(CHANGE, DIFFERENCE, COMPARED):
        return []
    when = task.whens[0] if task.whens else None
    if when is not None and when.period.last >= task.today and when.is_day:
        when = None  # "as of today"
    order, pick = _which_dividend(task)
    if task.says(HOW_MANY) and not task.says(r"amount|how much"):
        if when is None and task.says(A_YEAR):
            when = _last_year(task)
        return _reading(Amount("{:.0f}"), statement(company, DIVIDENDS, when, reduce="LEN"))
    if order is not None:
        return _first_of(task, when, order, pick)
    if task.is_yes_no:
        return _reading(AnyPaid(), statement(company, DIVIDENDS, when))
    if when is not None:
        return _within(task, when)
    if task.says(TOTAL, r"how much .*\bin dividends", "ever"):
        return _reading(Amount("${:.2f}"), statement(company, DIVIDENDS, reduce="SUM"))
    # "when did it pay dividends", and "what is its dividend": the last one
    return _first_of(task, None, "-date", pick)


def _within(task: Task, when: When) -> list[Reading]:
    """All dividends of a time: their dates, sum or average."""
    (company,) = task.companies
    if task.says(AT_WHAT_TIME):
        return _reading(Listed(), f"ALL {statement(company, DIVIDENDS, when, key='date')}")
    reduce = "AVG" if task.says(AVERAGE) else "SUM"
    shown = "${:.2f}" if reduce == "SUM" else DIVIDENDS.template
    return _reading(Amount(shown), statement(company, DIVIDENDS, when, reduce=reduce))


def _first_of(task: Task, when: When | None, order: str, pick: str) -> list[Reading]:
    """The dividend that comes first in an order, or its date."""
    (company,) = task.companies
    rows = statement(company, DIVIDENDS, when)
    first = f"sort(None, {order})[{quoted(pick)}]"
    if pick == "date":
        return _reading(PaidOn(year=task.body.has(r"(?:what|which) year")), rows, first)
    return _reading(Invalid(Amount(DIVIDENDS.template)), rows, first)


def _which_dividend(task: Task) -> tuple[str | None, str]:
    """In which order the dividend that is asked for comes first, and what of it is asked for."""
    pick = "date" if task.says(AT_WHAT_TIME) else "value"
    if task.says(r"how (?:much|large|big|high)", "amount", "value"):
        pick = "value"
    plain = task.body
    if plain.has(r"(?:largest|biggest|highest|greatest|most|maximum|max)(?! recent)"):
        return "-value", pick
    if plain.has("smallest|lowest|least|minimum"):
        return "value", pick
    if plain.has(LAST_ONE):
        return "-date", pick
    if plain.has(FIRST_ONE):
        return "date", pick
    return None, pick


def _of_two_times(task: Task) -> list[Reading]:
    """When more was paid, or whether at the first time."""
    (company,) = task.companies
    sums = [statement(company, DIVIDENDS, when, reduce="SUM") for when in task.whens]
    if task.is_yes_no:
        return _reading(Exceeds(below=bool(task.wants_less)), *sums)
    if task.says(DIFFERENCE):
        return _reading(Difference("${:.2f}"), *sums)
    labels = tuple(task.asked.spelled(when.span) for when in task.whens)
    return _reading(Most(labels, bool(task.wants_less), SAME), *sums)


def _last_year(task: Task) -> When:
    """The last whole year, for what happens so often a year."""
    year = task.today.year - 1
    return When.between(date(year, 1, 1), date(year, 12, 31))


def read_price_of_dividend_day(task: Task) -> list[Reading]:
    """A price on the day of the last dividend, or the first; invalid where none was paid."""
    (company,) = task.companies
    if len(task.quantities) > 1 or task.whens or task.is_yes_no:
        return []
    day = task.body.match(DIVIDEND_DAY)
    first = day is not None and task.body.has(rf"(?:{FIRST_ONE})") and not task.says(LAST_ONE)
    name, order = quoted(company.name), "date" if first else "-date"
    return _reading(
        Invalid(Amount(task.quantity.template)),
        f'get_stock_dividend({name}); sort(None, {order})["date"]',
        f"get_stock_price({name}, *)[{quoted(task.quantity.key)}]",
    )


def compare_dividends(task: Task) -> list[Reading]:
    """Which paid more in all, or more often; which dividend is greater; which date is earlier."""
    when = task.whens[0] if task.whens else None
    if task.says(CHANGE):
        return []
    if when is None and task.says(LAST_ONE, FIRST_ONE, *EARLIER, *LATER):
        return _single_dividends(task)
    if when is None and not task.body.has("dividends"):
        return _single_dividends(task)  # "a higher dividend": the latest
    reduce = "LEN" if task.says(_OFTEN) else "SUM"
    programs = [statement(c, DIVIDENDS, when, reduce=reduce) for c in task.companies]
    if task.wants_less is not None and not task.is_yes_no and not task.says(DIFFERENCE):
        return [Reading("; ".join(programs), MostPaid(task.labels, task.wants_less))]
    return compared(task, programs, "{:.0f}" if reduce == "LEN" else "${:.2f}")


def _single_dividends(task: Task) -> list[Reading]:
    dates = task.says(AT_WHAT_TIME, "earlier|later|sooner|recently") or task.wants_less is None
    dates = dates and not task.says("larger?|bigger|higher|smaller|lower|amount")
    first = task.says("first|earliest|earlier|initial|sooner") and not task.says("latest|last")
    key, order = "date" if dates else "value", "date" if first else "-date"
    programs = [f'{statement(c, DIVIDENDS)}; sort(None, {order})["{key}"]' for c in task.companies]
    compose: Compose = (
        Most(task.labels, least=first, tie=SAME)
        if dates
        else Most(task.labels, bool(task.wants_less), SAME)
    )
    if task.says(HOW_MANY):
        return []
    return [Reading("; ".join(programs), EverySecond(compose))]
