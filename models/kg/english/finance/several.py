"""Questions that compare companies."""

from models.kg.english.compose import Difference, Most
from models.kg.english.finance.answers import (
    Change,
    Covered,
    Each,
    EverySecond,
    Exceeds,
    MostPaid,
    Times,
    Together,
    WidestRange,
)
from models.kg.english.finance.one import reduction
from models.kg.english.finance.task import DIVIDENDS, OFFICERS, TICKERS, Task, statement
from models.kg.english.finance.words import (
    AT_WHAT_TIME,
    AVERAGE,
    CHANGE,
    CLOSE,
    DIFFERENCE,
    EARLIER,
    FIRST_ONE,
    HIGH,
    HOW_MANY,
    LAST_ONE,
    LATER,
    LOW,
    PERCENT,
    PRICE,
    RANGE,
    RATIO,
    TOTAL,
    Kind,
)
from models.kg.english.reading import Compose, Reading

_SAME = "same"
_OFTEN = r"(?:more|most|less|least) (?:often|frequent\w*|times)|number of|how many|count|more times"


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
        return _dividends(task)
    if task.quantity.kind is Kind.FIGURE:
        if not task.is_about_now or task.says(CHANGE):
            return []
        return _compared(task, [statement(c, task.quantity) for c in task.companies])
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
    if when is None or when.is_day:
        if task.says(CHANGE, AVERAGE):
            return []
        return _compared(task, [statement(c, quantity, when) for c in task.companies])
    if when.points and task.says(CHANGE, PERCENT):
        return []
    when, reduce = when.until(task.today), reduction(task)
    if reduce is None or task.says(CHANGE):
        return []
    programs = [statement(c, quantity, when, reduce=reduce) for c in task.companies]
    return [
        Reading(reading.program, Covered(quantity.key, when.trading_days(), reading.compose))
        for reading in _compared(task, programs)
    ]


def _compared(task: Task, programs: list[str], template: str = "") -> list[Reading]:
    """One value a company: which is more, whether it is, or by how much."""
    template, program = template or task.quantity.template, "; ".join(programs)
    compose: Compose | None = None
    two = len(programs) == 2
    if task.says(RATIO):
        compose = Times() if two else None
    elif task.says(DIFFERENCE):
        percent = task.says(PERCENT)
        compose = (Change() if percent else Difference(template)) if two else None
    elif task.is_yes_no and task.wants_less is not None:
        compose = Exceeds(below=task.wants_less) if two else None
    elif task.wants_less is not None:
        compose = Most(task.labels, task.wants_less, _SAME)
    elif task.says(TOTAL, r"sum"):
        compose = Together(template)
    elif task.says(AVERAGE):
        compose = Together(template, average=True)
    elif not task.body.has("which|or"):
        compose = Each(task.labels, template)
    return [Reading(program, compose)] if compose else []


def _each(task: Task) -> list[Reading]:
    if task.quantity is OFFICERS:
        return []
    programs = [statement(company, task.quantity) for company in task.companies]
    return [Reading("; ".join(programs), Each(task.labels, "{}"))]


def _dividends(task: Task) -> list[Reading]:
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
    return _compared(task, programs, "{:.0f}" if reduce == "LEN" else "${:.2f}")


def _single_dividends(task: Task) -> list[Reading]:
    dates = task.says(AT_WHAT_TIME, "earlier|later|sooner|recently") or task.wants_less is None
    dates = dates and not task.says("larger?|bigger|higher|smaller|lower|amount")
    first = task.says("first|earliest|earlier|initial|sooner") and not task.says("latest|last")
    key, order = "date" if dates else "value", "date" if first else "-date"
    programs = [f'{statement(c, DIVIDENDS)}; sort(None, {order})["{key}"]' for c in task.companies]
    compose: Compose = (
        Most(task.labels, least=first, tie=_SAME)
        if dates
        else Most(task.labels, bool(task.wants_less), _SAME)
    )
    if task.says(HOW_MANY):
        return []
    return [Reading("; ".join(programs), EverySecond(compose))]
