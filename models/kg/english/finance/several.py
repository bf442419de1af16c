"""Questions that compare companies."""

from models.kg.english.finance.answers import Covered
from models.kg.english.finance.answers_several import Each, WidestRange
from models.kg.english.finance.change import compare_changes
from models.kg.english.finance.compared import compared
from models.kg.english.finance.dividends import compare_dividends
from models.kg.english.finance.one import reduction
from models.kg.english.finance.quantities import (
    CLOSE,
    DIVIDENDS,
    HIGH,
    LOW,
    OFFICERS,
    PRICE,
    TICKERS,
    Kind,
)
from models.kg.english.finance.task import Task, statement
from models.kg.english.finance.words import AVERAGE, CHANGE, RANGE
from models.kg.english.reading import Reading


def read_several(task: Task) -> list[Reading]:
    """The readings of a question about two companies or more."""
    if len(task.whens) > 1:
        return []
    if task.quantities == (HIGH, LOW) and task.body.has(RANGE):
        return _ranges(task)
    if len(task.quantities) > 1:
        return []
    if task.quantity in (TICKERS, OFFICERS):
        return _each(task)
    if task.quantity is DIVIDENDS:
        return compare_dividends(task)
    if task.quantity.kind is Kind.FIGURE:
        if not task.is_about_now or task.says(CHANGE):
            return []
        return compared(task, [statement(c, task.quantity) for c in task.companies])
    return _prices(task)


def _ranges(task: Task) -> list[Reading]:
    """Whose prices of one day lay further apart."""
    when = task.whens[0] if task.whens else None
    if (when and not when.is_day) or task.wants_less is None or task.is_yes_no:
        return []
    programs = [statement(c, q, when) for c in task.companies for q in task.quantities]
    return [Reading("; ".join(programs), WidestRange(task.labels, task.wants_less))]


def _prices(task: Task) -> list[Reading]:
    quantity = CLOSE if task.quantity is PRICE else task.quantity
    when = task.whens[0] if task.whens else None
    if task.says(CHANGE) and quantity is CLOSE:
        return compare_changes(task)
    if when is None or when.is_day:
        if task.says(AVERAGE):
            return []
        return compared(task, [statement(c, quantity, when) for c in task.companies])
    when, reduce = when.until(task.today), reduction(task)
    if reduce is None:
        return []
    programs = [statement(c, quantity, when, reduce=reduce) for c in task.companies]
    return [
        Reading(reading.program, Covered(quantity.key, when.trading_days(), reading.compose))
        for reading in compared(task, programs)
    ]


def _each(task: Task) -> list[Reading]:
    if task.quantity is OFFICERS:
        return []
    programs = [statement(company, task.quantity) for company in task.companies]
    return [Reading("; ".join(programs), Each(task.labels, "{}"))]
