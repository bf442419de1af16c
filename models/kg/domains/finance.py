"""Companies: their prices, dividends and ratios."""

from collections.abc import Callable
from datetime import date
from typing import Any

from models.kg.dates import find_day
from models.kg.fetch.finance import core_name
from models.kg.linking import Asked, Client, Linked, named
from models.kg.schema import Attribute, Read, Says, ask, may, number, plain
from models.records import Domain
from utils.deadline import Deadline
from utils.text import words

_PRESENT = may("current currently forward latest moment now present ratio right today total")
_MAX_TICKER = 5


def _company(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """The company that a name or a ticker in `asked` means; `Linked.name` is its ticker."""
    unexplained = asked.unexplained(words(asked.text))
    mention = " ".join(unexplained)
    hits = client.call("/finance/get_company_name", deadline=deadline, query=asked.mention()) or []
    cores = [(core_name(str(hit)), str(hit)) for hit in hits]
    found = named(cores, asked) or _only_one(mention, cores)
    tickers: dict[str, Linked] = {}
    for linked in found:
        ticker = client.call(
            "/finance/get_ticker_by_name", deadline=deadline, query=str(linked.record)
        )
        if ticker:
            tickers[str(ticker)] = Linked(str(ticker), linked.record)
    if tickers:
        return list(tickers.values())
    if len(unexplained) == 1 and mention.isascii() and len(mention) <= _MAX_TICKER:
        return [Linked(mention.upper(), None)]
    return []


def _only_one(mention: str, cores: list[tuple[str, str]]) -> list[Linked]:
    """The company whose name begins with `mention`, if no other's does."""
    fitting = [(core, name) for core, name in cores if core.startswith(f"{mention} ")]
    if len({core for core, _ in fitting}) != 1:
        return []
    return [Linked(core, name) for core, name in fitting]


def _listing(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A company that is named in full, with its ticker as the record."""
    found = _company(asked, client, deadline)
    return [Linked(str(company.record), company.name) for company in found if company.record]


def _trading_day(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A company's prices on the one day that `asked` names."""
    when = find_day(asked.text, asked.at.date()) if asked.at else None
    if when is None:
        return []
    days = []
    for company in _company(asked.without(when.start, when.end), client, deadline):
        history = client.call("/finance/get_price_history", deadline=deadline, query=company.name)
        by_day = {date.fromisoformat(stamp[:10]): row for stamp, row in (history or {}).items()}
        day = when.pick(by_day)
        if day:
            days.append(Linked(f"{company.name} on {day}", by_day[day]))
    return days


def _of_day(
    name: str,
    column: str,
    template: str,
    *asks: str,
    extra: str = "",
    says: Says = Says.OTHER,
) -> Attribute:
    words_beside = may(f"stock share shares price prices market cost trade traded at {extra}")
    read = number(template, column)
    return Attribute(Domain.FINANCE, name, ask(*asks), _trading_day, read, None, words_beside, says)


def _of_company(name: str, endpoint: str, read: Read, *asks: str, extra: str = "") -> Attribute:
    words_beside = _PRESENT | may(extra)
    return Attribute(
        Domain.FINANCE, name, ask(*asks), _company, read, f"/finance/{endpoint}", words_beside
    )


def _dividend(pick: Callable[[list[str]], str], part: str) -> Read:
    """The first or last row of a company's dividends: its day, or its dollars a share."""

    def read(history: Any) -> str | None:
        if not isinstance(history, dict) or not history:
            return None
        day = pick(list(history))
        return day[:10] if part == "date" else f"${history[day]:.4g}"

    return read


def _ratio(value: Any) -> str | None:
    return f"{round(value, 2):g}" if isinstance(value, float) else plain(value)


_PAID = "pay paid payment payout payouts issue issued distribute distributed give gave go went"
_LAST, _FIRST = "latest/last/recent/newest", "first/earliest/initial"

ATTRIBUTES = (
    _of_company(
        "market_cap",
        "get_market_capitalization",
        number("${:,.2f}"),
        "market cap/capitalization/capitalisation/value",
        "worth stock",
        "worth market",
        extra="stock",
    ),
    _of_company(
        "pe_ratio",
        "get_pe_ratio",
        _ratio,
        "p e",
        "pe",
        "price earnings to",
        extra="earning",
    ),
    _of_company("eps", "get_eps", _ratio, "eps", "earnings per share"),
    Attribute(
        Domain.FINANCE,
        "ticker",
        ask("ticker", "stock symbol"),
        _listing,
        plain,
        may=may("symbol stock trade trades traded trading under listed use uses"),
    ),
    _of_company(
        "latest_dividend_date",
        "get_dividends_history",
        _dividend(max, "date"),
        f"when/date/day dividend/dividends {_LAST}",
        extra=f"{_PAID} most its investors shareholders",
    ),
    _of_company(
        "first_dividend_date",
        "get_dividends_history",
        _dividend(min, "date"),
        f"when/date/day dividend/dividends {_FIRST}",
        "when/date/day ex dividend first",
        extra=f"{_PAID} its investors shareholders stock",
    ),
    _of_company(
        "latest_dividend",
        "get_dividends_history",
        _dividend(max, "value"),
        f"dividend/dividends {_LAST}",
        extra=f"{_PAID} most big large per share value amount its",
    ),
    _of_day("open", "Open", "${:,.2f}", "open/opened/opening"),
    _of_day("close", "Close", "${:,.2f}", "close/closed/closing", extra="trading"),
    _of_day("high", "High", "${:,.2f}", "high/highest", extra="day's day"),
    _of_day("low", "Low", "${:,.2f}", "low/lowest", extra="day's day"),
    _of_day(
        "volume",
        "Volume",
        "{:.0f}",
        "volume",
        "shares traded",
        extra="trading number",
        says=Says.NUMBER,
    ),
)
