"""Rows about companies and the prices, dividends and ratios of their shares."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from zoneinfo import ZoneInfo

from models.kg.english.company_names import BY_TICKER, DOT_COM, MAX_TICKER, best_listing, core_name
from models.kg.english.days import (
    Edge,
    Period,
    is_trading_day,
    trading_day_before,
    trading_day_from,
)
from models.kg.english.likeness import best
from models.kg.english.periods import resolve
from models.kg.execution.fetch.protocol import (
    ApiSteps,
    Arguments,
    Fetched,
    Fetcher,
    FetchSteps,
    Row,
    ask,
)
from models.kg.schema.codes import brands
from utils.crag_api import ApiCall
from utils.text import words

_CLOCK = re.compile(r"\s(\d\d:\d\d)(?::\d\d)?$")  # a time of day at the end of a phrase
_EASTERN = ZoneInfo("America/New_York")
_FIND = ("/finance/get_company_name", "/finance/get_ticker_by_name")
_MARKET_CAP, _INFO = "/finance/get_market_capitalization", "/finance/get_info"
_PRICES, _DIVIDENDS = "/finance/get_price_history", "/finance/get_dividends_history"
_MINUTES = "/finance/get_detailed_price_history"
_PE, _EPS = "/finance/get_pe_ratio", "/finance/get_eps"
_Company = tuple[str, str | None]  # ticker, full name


def find_company(name: str) -> ApiSteps[_Company | None]:
    """(ticker, full name) of the company that a name or ticker means; None where unclear.

    An upper-case word is tried as a ticker first, a lower-case one as a name first.
    """
    name = brands().get(tuple(words(name)), name)
    chosen = None
    for query in (name,) if " " in name else (name, f"{name}{DOT_COM}"):
        hits = (yield from ask("/finance/get_company_name", query=query)) or []
        chosen = chosen or _choose(name, [str(hit) for hit in hits])
    looks_like_ticker = name.isascii() and len(name) <= MAX_TICKER and " " not in name
    if looks_like_ticker and (name.isupper() or chosen is None):
        known = yield [ApiCall(endpoint, {"query": name.upper()}) for endpoint in BY_TICKER]
        if any(value is not None for value in known):
            return name.upper(), None
    if chosen is None:
        return None
    ticker = yield from ask("/finance/get_ticker_by_name", query=chosen)
    return (str(ticker), chosen) if ticker else None


def _choose(name: str, hits: Sequence[str]) -> str | None:
    """The hit whose core is most similar to the name's, else the one that begins with it; among
    several, the most similar one in full, with common stock first."""
    asked = core_name(name)
    found, _ = best(asked, [(core_name(hit), hit) for hit in hits])
    if not found:
        found = [hit for hit in hits if core_name(hit).startswith(f"{asked} ")]
        if len(set(map(core_name, found))) != 1:
            return None
    return best_listing(name, found)


def _of_company(read: Callable[[_Company, Arguments], FetchSteps], *endpoints: str) -> Fetcher:
    """What `read` gives on the company that the first argument names."""

    def fetch(arguments: Arguments) -> FetchSteps:
        name = arguments.text(0)
        company = (yield from find_company(name)) if name else None
        if company is None:
            return Fetched()
        found = yield from read(company, arguments)
        return replace(found, entities=(company[1] or company[0],))

    return Fetcher(fetch, (*_FIND, *BY_TICKER, *endpoints))


def _history(endpoint: str, company: _Company, arguments: Arguments) -> FetchSteps:
    """Rows per day (or minute) in order of time, between two time phrases; without a time, the
    latest first. The latest price is that of the last known minute or day."""
    first, last = arguments.text(1), arguments.text(2)
    period = resolve(first, arguments.now) if first is not None else None
    if period and last is not None:
        period = Period(period.first, resolve(last, arguments.now).last)
    edge = period and period.edge
    rows: list[Row] = []
    if endpoint == _PRICES or edge is Edge.LATEST:
        rows += _daily((yield from ask(_PRICES, query=company[0])))
    if endpoint == _MINUTES or edge is Edge.LATEST:
        rows += _minutes((yield from ask(_MINUTES, query=company[0])), arguments.now)
    if period is None:
        return Fetched(tuple(rows[::-1]))
    rows = _within(rows, period, arguments.now)
    times = [_CLOCK.search(phrase) for phrase in (first or "", last or "")]
    if times[0] and rows and endpoint == _MINUTES:  # times of the first and last day
        since = f"{rows[0]['date'][:10]} {times[0][1]}"
        until = f"{rows[-1]['date'][:10]} {(times[1] or times[0])[1]}"
        rows = [row for row in rows if since <= row["date"] <= until]
    earliest = "this is the earliest day of which the knowledge graph has a price"
    return Fetched(tuple(rows), notes=(earliest,) if edge is Edge.FIRST else ())


def _daily(history: Mapping[str, Row] | None) -> list[Row]:
    return [
        {"date": stamp[:10], "time": stamp, **{k.lower(): v for k, v in row.items()}}
        for stamp, row in sorted((history or {}).items())
    ]


def _minutes(history: Mapping[str, Row] | None, now: datetime | None) -> list[Row]:
    """Rows per minute, stamped in New York's time, up to the question's time.

    The prices within a minute are nearly equal; a missing one is replaced by another.
    """
    rows = [{**row, "date": row["time"][:16]} for row in _daily(history)]
    for row in rows:
        price = row.get("close", row.get("open"))
        row.update({key: row.get(key, price) for key in ("open", "close")})
    if now is None or now.tzinfo is None:
        return rows
    then = f"{now.astimezone(_EASTERN):%Y-%m-%d %H:%M:%S}"
    return [row for row in rows if row["time"][:19] <= then]


def _within(rows: list[Row], period: Period, now: datetime | None) -> list[Row]:
    """The rows of a period, or of one of its ends. A day on which exchanges are closed is replaced
    by the next open one, or, if that is in the future, by the previous one."""
    kept = [row for row in rows if period.holds(date.fromisoformat(row["date"][:10]))]
    if period.edge is not None:
        kept.sort(key=lambda row: str(row.get("time", row["date"])))
        return kept[:1] if period.edge is Edge.FIRST else kept[-1:]
    one_day = period.first == period.last
    if not kept and one_day and not is_trading_day(period.first):
        day = trading_day_from(period.first)
        if now is not None and day >= now.date() > period.first:
            day = trading_day_before(period.first)
        return [row for row in rows if row["date"][:10] == day.isoformat()]
    return kept


def _dividends(company: _Company, arguments: Arguments) -> FetchSteps:
    """One row per dividend, in order of time."""
    when = arguments.text(1)
    history = yield from ask(_DIVIDENDS, query=company[0])
    rows = [
        {"date": stamp[:10], "year": stamp[:4], "value": value}
        for stamp, value in sorted((history or {}).items())
    ]
    if when is not None:
        rows = _within(rows, resolve(when, arguments.now), arguments.now)
    return Fetched(tuple(rows), complete=isinstance(history, dict))


def _figure(endpoint: str, company: _Company, _: Arguments) -> FetchSteps:
    """One row with one value."""
    value = yield from ask(endpoint, query=company[0])
    return Fetched(({"value": value},) if value is not None else ())


def _info(company: _Company, _: Arguments) -> FetchSteps:
    """One row with all known facts of a company."""
    info = yield from ask(_INFO, query=company[0])
    return Fetched((info,) if isinstance(info, dict) else ())


def _names(company: _Company, _: Arguments) -> FetchSteps:
    """A company's full name and ticker."""
    yield from ()
    return Fetched(({"ticker": company[0], "name": company[1]},))


FETCHERS: dict[str, Fetcher] = {
    "get_stock_price": _of_company(partial(_history, _PRICES)),
    "get_stock_detailed_price": _of_company(partial(_history, _MINUTES), _MINUTES),
    "get_stock_dividend": _of_company(_dividends),
    "get_stock_pe_ratio": _of_company(partial(_figure, _PE), _PE),
    "get_stock_market_cap": _of_company(partial(_figure, _MARKET_CAP)),
    "get_stock_eps": _of_company(partial(_figure, _EPS), _EPS),
    "get_stock_info": _of_company(_info),
    "get_company": _of_company(_names),
}
