"""Questions about one company."""

from models.kg.english.compose import Difference
from models.kg.english.finance.answers import (
    Affordable,
    Amount,
    Beyond,
    Change,
    Cost,
    Covered,
    DaysBeyond,
    DaysWhere,
    Exceeds,
    Officer,
)
from models.kg.english.finance.answers_several import Each, Together
from models.kg.english.finance.change import asks_direction, is_change, read_change, read_direction
from models.kg.english.finance.cues import COMMODITIES
from models.kg.english.finance.dividends import read_dividend, read_price_of_dividend_day
from models.kg.english.finance.quantities import (
    CLOSE,
    COMPANY_NAME,
    DIVIDENDS,
    HIGH,
    LOW,
    OFFICERS,
    OPEN,
    PRICE,
    TICKERS,
    VOLUME,
    Kind,
)
from models.kg.english.finance.task import Task, statement
from models.kg.english.finance.when import When
from models.kg.english.finance.words import (
    AFFORD,
    AT_WHAT_TIME,
    AVERAGE,
    CHANGE,
    COMPARED,
    COST,
    DIFFERENCE,
    FLUCTUATION,
    GREATEST,
    HOW_MANY,
    OF_DAY,
    PERCENT,
    SMALLEST,
    TOTAL,
    WHICH_DAYS,
)
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted


def read_one(task: Task) -> list[Reading]:
    """The readings of a question about one company."""
    if task.quantity is TICKERS:
        return _ticker(task)
    if task.of_dividend_day:
        return read_price_of_dividend_day(task)
    if task.quantity.kind is Kind.FIGURE:
        return _figure(task)
    if task.quantity is DIVIDENDS:
        return read_dividend(task)
    return _price(task)


def _reading(task: Task, compose: Compose, *statements: str) -> list[Reading]:
    return [Reading("; ".join(statements), compose)]


def _ticker(task: Task) -> list[Reading]:
    (company,) = task.companies
    if task.body.has(COMPANY_NAME):
        program = f'get_company({quoted(company.name)})["name"]'
        info = f'get_stock_info({quoted(company.name)})["longName"]'
        return [Reading(text, Amount("{}")) for text in (program, info)]
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
        found = task.body.match(OFFICERS.pattern)
        titles = _TITLES.get(found.group(), found.group()) if found else ""
        return [Reading(f"ALL {program}", Officer(titles))]
    if task.says(COMPARED):
        if task.bound is None or not task.is_yes_no or task.wants_less is None:
            return []
        return [Reading(program, Beyond(task.bound, below=task.wants_less))]
    if task.bound is not None or task.is_yes_no and task.wants_less is not None:
        return []
    return [Reading(program, Amount(task.quantity.template))]


_TITLES = {
    spoken: titles
    for titles, all_spoken in (
        ("ceo|chief executive officer|chief executive", "ceo,chief executive,runs"),
        ("cfo|chief financial officer", "cfo"),
        ("coo|chief operating officer", "coo"),
        ("cto|chief technology officer", "cto"),
    )
    for spoken in (*all_spoken.split(","), *titles.split("|"))
}


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
    if task.shares is not None and task.says(COST):
        when = task.whens[0] if len(task.whens) == 1 and task.whens[0].is_day else None
        wanted = CLOSE if task.quantity is PRICE else task.quantity
        return _reading(task, Cost(task.shares), statement(company, wanted, when))
    if asks_direction(task):
        return read_direction(task)
    days = len(task.whens) == 1 and not task.whens[0].is_day
    if days and (_of_day(task) or task.bound is not None):
        return _period(task, task.whens[0].until(task.today))
    extremes = {HIGH, LOW} & set(task.quantities)
    if is_change(task) and not (extremes and len(task.whens) == 1 and not task.says(DIFFERENCE)):
        return read_change(task)
    when = task.whens[0] if task.whens else None
    if when is not None and not when.is_day:
        return _period(task, when.until(task.today))
    if (
        len(task.quantities) < 2
        and task.says(AVERAGE)
        or (task.says(HOW_MANY) and task.quantity is not VOLUME)
    ):
        return []
    return _day(task, when)


def _period(task: Task, when: When) -> list[Reading]:
    """Something over several days: the days themselves, a sum, an average, an extreme."""
    (company,) = task.companies
    quantity = task.quantity
    if task.bound is not None:
        return _days_beyond(task, when)
    compared = _of_day(task)
    if compared:
        rows = f"ALL {statement(company, quantity, when, key='date')}"
        return _reading(task, DaysWhere(*compared, task.says(HOW_MANY)), rows)
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
    compose = Covered(
        quantity.key, when.trading_days(), Amount(quantity.template, mean=reduce == "AVG")
    )
    return _reading(task, compose, statement(company, quantity, when, reduce=reduce))


def _days_beyond(task: Task, when: When) -> list[Reading]:
    """The days on which a price was above a bound, or below it, or how many there were."""
    (company,) = task.companies
    if task.bound is None or task.wants_less is None or not task.says(WHICH_DAYS, HOW_MANY):
        return []
    key = CLOSE.key if task.quantity is PRICE else task.quantity.key
    compose = DaysBeyond(key, task.bound, task.wants_less, task.says(HOW_MANY))
    rows = f"ALL {statement(company, task.quantity, when, key='date')}"
    return _reading(task, Covered(key, when.trading_days(), compose), rows)


def _of_day(task: Task) -> tuple[str, str] | None:
    """Which price of a day is above which, where such days are listed or counted."""
    if not task.says(WHICH_DAYS, HOW_MANY):
        return None
    return next(((more, less) for pattern, more, less in OF_DAY if task.says(pattern)), None)


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
    if len(task.quantities) > 1:
        return _several_prices(task, when)
    on_day = statement(company, quantity, when)
    bounded = task.says(COMPARED) and quantity not in (HIGH, LOW)
    if bounded or task.bound is not None:
        if task.bound is None or not task.is_yes_no or task.wants_less is None:
            return []
        return _reading(task, Beyond(task.bound, below=task.wants_less), on_day)
    amount = Amount(quantity.template)
    is_today = when is not None and when.period.first == task.today
    if quantity is PRICE and (when is None or is_today):
        return _latest(task, company.name)
    if when is None and quantity is OPEN:
        on_day = f'get_stock_price({quoted(company.name)}, "today")["open"]'
    if when is None and quantity in (HIGH, LOW) and not task.says("day|daily|today"):
        return []
    return _reading(task, amount, on_day)


def _latest(task: Task, name: str) -> list[Reading]:
    """The latest price, by the day's minutes. Where the KG lacks these the day's price of its table
    is another one, unless the day is over."""
    template, named = task.quantity.template, quoted(name)
    minutes = f'ALL get_stock_detailed_price({named}, "today")["open"]'
    readings = [Reading(minutes, Amount(template, last=True))]
    if task.is_after_close:
        day = f'get_stock_price({named}, "today")["close"]'
        readings.append(Reading(day, Amount(template)))
    return readings


def _several_prices(task: Task, when: When | None) -> list[Reading]:
    """Prices of one day; of two their difference, or whether the one is above the other."""
    (company,) = task.companies
    programs = [statement(company, quantity, when) for quantity in task.quantities]
    if task.is_yes_no:
        for pattern, more, less in OF_DAY:
            if task.says(pattern):
                keyed = (statement(company, CLOSE, when, key=key) for key in (more, less))
                return _reading(task, Exceeds(), *keyed)
        return []
    if len(programs) > 2 and task.says(PERCENT, DIFFERENCE, CHANGE, AVERAGE):
        return []
    if task.says(AVERAGE):
        return _reading(task, Together(task.quantity.template, average=True), *programs)
    if task.says(PERCENT):
        return _reading(task, Change(), *programs)
    if task.says(DIFFERENCE, CHANGE, FLUCTUATION):
        return _reading(task, Difference(task.quantity.template), *programs)
    names = tuple(quantity.key for quantity in task.quantities)
    return _reading(task, Each(names, task.quantity.template), *programs)
