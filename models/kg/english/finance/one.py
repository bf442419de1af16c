"""Questions about one company."""

from models.kg.english.compose import Difference, Invalid, Listed
from models.kg.english.finance.answers import (
    Affordable,
    Amount,
    AnyPaid,
    Beyond,
    Change,
    Covered,
    DaysWhere,
    Each,
    Exceeds,
    Officer,
)
from models.kg.english.finance.change import is_change, read_change
from models.kg.english.finance.task import DIVIDENDS, OFFICERS, TICKERS, Task, statement
from models.kg.english.finance.times import When
from models.kg.english.finance.words import (
    AFFORD,
    AT_WHAT_TIME,
    AVERAGE,
    CHANGE,
    CLOSE,
    COMMODITIES,
    DIFFERENCE,
    FIRST_ONE,
    FLUCTUATION,
    GREATEST,
    HIGH,
    HOW_MANY,
    LAST_ONE,
    LOW,
    OF_DAY,
    OFFICER,
    OPEN,
    PERCENT,
    PRICE,
    SMALLEST,
    TOTAL,
    VOLUME,
    WHICH_DAYS,
    Kind,
)
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted

_COMPARED = r"higher|lower|more|less|larger|smaller|bigger|fewer|greater|above|below|over|under|exceed\w*|than"


def read_one(task: Task) -> list[Reading]:
    """The readings of a question about one company."""
    if task.quantity is TICKERS:
        return _ticker(task)
    if task.body.has(
        r"(?:which|what) (?:companies|stocks|compan(?:y|ies) (?:\w+ ){0,3}?(?:highest"
        r"|lowest|most|largest|biggest|smallest|least))"
    ):
        pass
    if task.quantity.kind is Kind.FIGURE:
        return _figure(task)
    if task.quantity is DIVIDENDS:
        return _dividend(task)
    return _price(task)


def _reading(task: Task, compose: Compose, *statements: str) -> list[Reading]:
    return [Reading("; ".join(statements), compose)]


def _ticker(task: Task) -> list[Reading]:
    (company,) = task.companies
    if company.name.isupper() and " " not in company.name and len(company.name) <= 6:
        program = f'get_stock_info({quoted(company.name)})["longName"]'
        return [Reading(program, Amount("{}"))]
    return [Reading(statement(company, TICKERS), Amount("{}"))]


def _figure(task: Task) -> list[Reading]:
    """What a company has one of at a time; only today's is known."""
    (company,) = task.companies
    if not task.is_about_now or task.says(
        CHANGE, AVERAGE, DIFFERENCE, "(?:how many|number of) days"
    ):
        return []
    program = statement(company, task.quantity)
    if task.quantity is OFFICERS:
        found = task.body.match(OFFICER)
        titles = _TITLES.get(found.group(), found.group()) if found else ""
        return [Reading(f"ALL {program}", Officer(titles))]
    if task.says(_COMPARED):
        if task.bound is None or not task.is_yes_no or task.wants_less is None:
            return []
        return [Reading(program, Beyond(task.bound, below=task.wants_less))]
    if task.bound is not None or task.is_yes_no and task.wants_less is not None:
        return []
    return [Reading(program, Amount(task.quantity.template))]


_TITLES = {
    "ceo": "ceo|chief executive officer|chief executive",
    "cfo": "cfo|chief financial officer",
    "coo": "coo|chief operating officer",
    "cto": "cto|chief technology officer",
}


def _dividend(task: Task) -> list[Reading]:
    (company,) = task.companies
    if len(task.whens) > 1 or task.bound is not None or task.says(CHANGE, DIFFERENCE, _COMPARED):
        return []
    when = task.whens[0] if task.whens else None
    if when is not None and when.period.last >= task.today and when.is_day:
        when = None  # "as of today"
    template = DIVIDENDS.template
    order, pick = _which_dividend(task)
    if task.says(HOW_MANY) and not task.says(r"amount|how much"):
        return _reading(task, Amount("{:.0f}"), statement(company, DIVIDENDS, when, reduce="LEN"))
    if order is None and when is not None and not task.is_yes_no:
        if task.says(AT_WHAT_TIME):
            return _reading(
                task, Listed(), f"ALL {statement(company, DIVIDENDS, when, key='date')}"
            )
        reduce = "AVG" if task.says(AVERAGE) else "SUM"
        shown = "${:.2f}" if reduce == "SUM" else template
        return _reading(task, Amount(shown), statement(company, DIVIDENDS, when, reduce=reduce))
    rows = statement(company, DIVIDENDS, when)
    if order is None:
        if task.is_yes_no:
            return _reading(task, AnyPaid(), rows)
        if task.says(TOTAL, r"how much .*\bin dividends", "ever"):
            return _reading(task, Amount("${:.2f}"), statement(company, DIVIDENDS, reduce="SUM"))
        if task.says(AT_WHAT_TIME) and not task.body.has("next|upcoming"):
            order, pick = "-date", "date"  # "when did it pay dividends": the last time
        else:
            order, pick = "-date", "value"
    sorted_ = f"sort(None, {order})[{quoted(pick)}]"
    compose = Amount("{}" if pick == "date" else template)
    return _reading(task, Invalid(compose), rows, sorted_)


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


def _price(task: Task) -> list[Reading]:
    (company,) = task.companies
    if any(when.period.first > task.today for when in task.whens):
        return []
    generic = task.quantity in (PRICE, HIGH, LOW)
    if generic and company.label.lower() in COMMODITIES and not task.body.has("stocks?|shares?"):
        return []  # "the price of gold" is no share's
    if task.body.has(AFFORD) and task.amount is not None:
        when = task.whens[0] if task.whens else None
        return _reading(task, Affordable(task.amount), statement(company, CLOSE, when))
    extremes = {HIGH, LOW} & set(task.quantities)
    if is_change(task) and not (extremes and len(task.whens) == 1 and not task.says(DIFFERENCE)):
        return read_change(task)
    when = task.whens[0] if task.whens else None
    if when is not None and not when.is_day:
        return _period(task, when.until(task.today))
    if task.says(AVERAGE) or (task.says(HOW_MANY) and task.quantity is not VOLUME):
        return []
    return _day(task, when)


def _period(task: Task, when: When) -> list[Reading]:
    """Something over several days: the days themselves, a sum, an average, an extreme."""
    (company,) = task.companies
    quantity = task.quantity
    if task.says(WHICH_DAYS, HOW_MANY):
        for pattern, more, less in OF_DAY:
            if task.says(pattern):
                count = task.says(r"how many|number of|count")
                rows = f"ALL {statement(company, quantity, when, key='date')}"
                return _reading(task, DaysWhere(more, less, count), rows)
    if len(task.quantities) > 1:
        return []
    reduce = reduction(task)
    if reduce is None:
        return []
    if task.says(AT_WHAT_TIME) and reduce in ("MAX", "MIN"):
        order = f"{'-' if reduce == 'MAX' else ''}{quantity.key}"
        rows = f"ALL {statement(company, quantity, when)}"
        compose: Compose = Covered(quantity.key, when.trading_days(), Amount("{}"))
        return _reading(task, compose, rows, f'sort(None, {order})["date"]')
    compose = Covered(quantity.key, when.trading_days(), Amount(quantity.template))
    return _reading(task, compose, statement(company, quantity, when, reduce=reduce))


def reduction(task: Task) -> str | None:
    """How a price of several days becomes one number; None where the question leaves it open."""
    if task.says(AVERAGE):
        return "AVG"
    if task.quantity is VOLUME and task.says(TOTAL):
        return "SUM"
    if task.quantity is HIGH and not task.says(r"lowest|min(?:imum)?|smallest"):
        return "MAX"
    if task.quantity is LOW and not task.says(r"highest|max(?:imum)?|largest"):
        return "MIN"
    if len(task.companies) == 1 and task.says(GREATEST):
        return "MAX"
    if len(task.companies) == 1 and task.says(SMALLEST):
        return "MIN"
    return "SUM" if task.quantity is VOLUME else None


def _day(task: Task, when: When | None) -> list[Reading]:
    """A price on one day; without one, the latest."""
    (company,) = task.companies
    quantity = task.quantity
    if len(task.quantities) == 2:
        return _two_prices(task, when)
    if len(task.quantities) > 2:
        return []
    on_day = statement(company, quantity, when)
    bounded = task.says(_COMPARED) and quantity not in (HIGH, LOW)
    if bounded or task.bound is not None:
        if task.bound is None or not task.is_yes_no or task.wants_less is None:
            return []
        return _reading(task, Beyond(task.bound, below=task.wants_less), on_day)
    amount = Amount(quantity.template)
    is_today = when is not None and when.period.first == task.today
    if quantity is PRICE and (when is None or is_today):
        name = quoted(company.name)
        minutes = f'ALL get_stock_detailed_price({name}, "today")["open"]'
        today = f'get_stock_price({name}, "today")["close"]'
        readings = [Reading(minutes, Amount(quantity.template, last=True))]
        # before the day is over its close is another price than the latest
        return [*readings, Reading(today, amount)] if task.is_after_close else readings
    if when is None and quantity is OPEN:
        on_day = f'get_stock_price({quoted(company.name)}, "today")["open"]'
    if when is None and quantity in (HIGH, LOW) and not task.says("day|daily|today"):
        return []
    return _reading(task, amount, on_day)


def _two_prices(task: Task, when: When | None) -> list[Reading]:
    """Two prices of one day: their difference, or whether the one is above the other."""
    (company,) = task.companies
    programs = [statement(company, quantity, when) for quantity in task.quantities]
    if task.is_yes_no:
        for pattern, more, less in OF_DAY:
            if task.says(pattern):
                keyed = (statement(company, CLOSE, when, key=key) for key in (more, less))
                return _reading(task, Exceeds(), *keyed)
        return []
    if task.says(PERCENT):
        return _reading(task, Change(), *programs)
    if task.says(DIFFERENCE, CHANGE, FLUCTUATION):
        return _reading(task, Difference(task.quantity.template), *programs)
    names = tuple(quantity.key for quantity in task.quantities)
    return _reading(task, Each(names, task.quantity.template), *programs)
