"""Questions about prices of two days: the change between them, and whose was greater."""

from dataclasses import replace
from datetime import date

from models.kg.days import DAY, Period, trading_day_before, trading_day_from
from models.kg.english.compose import Most
from models.kg.english.finance.answers import Change, Exceeds, Moved
from models.kg.english.finance.answers_several import MostMoved
from models.kg.english.finance.asked_for import TIME
from models.kg.english.finance.quantities import CLOSE, OPEN, PRICE, Quantity
from models.kg.english.finance.task import Task, statement
from models.kg.english.finance.when import When
from models.kg.english.finance.words import CHANGE, DIFFERENCE, FELL, OF_DAY, PERCENT, ROSE
from models.kg.english.reading import Reading

_UP_OR_DOWN = r"(?:up|higher|gain|rise) or (?:\w+ )?(?:down|lower|lose|loss|fall)|(?:down|lower) or"


def is_change(task: Task) -> bool:
    """Whether a price of two days is asked for, or how much it changed over a period."""
    if len(task.whens) > 1:
        return True
    return len(task.quantities) == 1 and task.says(CHANGE, DIFFERENCE, PERCENT)


def read_change(task: Task) -> list[Reading]:
    """The readings of such a question."""
    days = _two_days(task)
    if days is None or len(task.quantities) > 1:
        return []
    (company,) = task.companies
    quantity = _closing(task)
    programs = "; ".join(statement(company, quantity, day) for day in days)
    labels = tuple(task.asked.spelled(when.span) for when in task.whens)
    is_choice = f"{TIME} or {TIME}" in task.body.plain or task.body.has(
        r"which (?:\w+ )?(?:day|date)"
    )
    if len(labels) == 2 and task.wants_less is not None and not task.says(DIFFERENCE, PERCENT):
        if is_choice:
            return [Reading(programs, Most(labels, task.wants_less, "same"))]
        if task.is_yes_no:
            return [Reading(programs, Exceeds(below=task.wants_less))]
    if task.is_yes_no and len(labels) < 2:
        return read_direction(task)
    if not task.says(CHANGE, DIFFERENCE, PERCENT) or is_choice or task.is_yes_no:
        return []
    first, last = sorted(days, key=lambda day: day.period.first)
    percent = task.says(PERCENT)
    program = "; ".join(statement(company, quantity, day) for day in (first, last))
    template = "{:.2f}%" if percent else quantity.template
    fell = task.says(FELL) and not task.says(ROSE)
    return [Reading(program, Change(template, percent, loss=fell))]


def asks_direction(task: Task) -> bool:
    """Whether it is asked if the price of one share went up, or down."""
    if not task.is_yes_no or len(task.quantities) != 1 or len(task.whens) > 1:
        return False
    moves = task.says(ROSE, FELL, *(pattern for pattern, _, less in OF_DAY if less))
    return task.quantity in (PRICE, CLOSE) and moves and task.bound is None


def read_direction(task: Task) -> list[Reading]:
    """Whether the price rose: from the close before and from the day's own opening alike."""
    days = _two_days(task)
    if days is None or task.body.has("than|more|less"):
        return []
    (company,) = task.companies
    before, last = days
    programs = [statement(company, CLOSE, before), statement(company, CLOSE, last)]
    if len(task.whens) < 1 or task.whens[0].is_day:
        programs.append(statement(company, OPEN, last))
    up: bool | None = not task.says(FELL, r"lower|down|below")
    if task.says(_UP_OR_DOWN):
        up = None
    return [Reading("; ".join(programs), Moved(up))]


def compare_changes(task: Task) -> list[Reading]:
    """Whose price changed more, in per cent."""
    days = _two_days(task)
    if days is None or task.wants_less is None or task.says(DIFFERENCE):
        return []
    quantity = _closing(task)
    programs = [statement(c, quantity, day) for c in task.companies for day in days]
    falling = task.says(FELL) and not task.says(ROSE)
    compose = MostMoved(task.labels, task.wants_less, falling, yes_no=task.is_yes_no)
    return [Reading("; ".join(programs), compose)]


def _closing(task: Task) -> Quantity:
    return CLOSE if task.quantity is PRICE else task.quantity


def _two_days(task: Task) -> tuple[When, When] | None:
    """The two days that are compared: those that are named; else the ends of the period, which for
    a day, a month or a year is compared with the close before it."""
    if len(task.whens) == 2:
        first, last = task.whens
        return (first, last) if first.is_day and last.is_day else None
    if len(task.whens) != 1:
        return None
    (when,) = task.whens
    if when.points:
        first, last = (point.edge(last=bool(i)) for i, point in enumerate(when.points))
        return first, _known(task, last)
    if when.is_day:
        day = when.period.first
        before = _on(when, trading_day_before(day))
        return (before, when) if _known(task, when) is when else None
    first_day, last_day = when.period.first, min(when.period.last, task.today - DAY)
    if when.last is not None:  # counted back from today
        first = _on(when, trading_day_from(first_day))
    elif task.quantity is OPEN:
        return None
    else:
        first = _on(when, trading_day_before(first_day))
    return first, _on(when, trading_day_before(last_day + DAY))


def _known(task: Task, when: When) -> When:
    """The day, or the last trading day where it is today, whose close is not known yet."""
    if when.period.first != task.today or task.is_after_close or task.quantity is OPEN:
        return when
    return _on(when, trading_day_before(task.today))


def _on(when: When, day: date) -> When:
    return replace(when, period=Period(day, day), first=str(day), last=None, points=None)
