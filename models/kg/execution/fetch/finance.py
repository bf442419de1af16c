"""Rows about companies and the prices, dividends and ratios of their shares."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from zoneinfo import ZoneInfo

from models.english.days import KnownDay, Period, is_trading_day
from models.english.likeness import LEAST_PART, best_matches, part_likeness
from models.english.periods import on_an_open_day, resolve
from models.kg.execution.fetch.protocol import (
    Arguments,
    CallGenerator,
    Fetched,
    Fetcher,
    FetchSteps,
    Row,
    ask,
    readings_of,
)
from models.kg.execution.known_facts import is_placeholder
from models.kg.names.company_names import BY_TICKER, DOT_COM, MAX_TICKER, best_listing, core_name
from models.kg.schema.codes import brands
from utils.crag_api import ApiCall
from utils.text import words

_CLOCK = re.compile(r"\s(\d\d:\d\d)(?::\d\d)?$")  # a time of day at the end of a phrase
_PRICE_KEYS = ("open", "high", "low", "close", "volume")
_EASTERN = ZoneInfo("America/New_York")
_DAY_LENGTH = len("2024-03-09")
_MINUTE_LENGTH = len("2024-03-09 09:30")
_SECOND_LENGTH = len("2024-03-09 09:30:00")
_COMPANY_NAME = "/finance/get_company_name"
_TICKER = "/finance/get_ticker_by_name"
_MARKET_CAP = "/finance/get_market_capitalization"
_INFO = "/finance/get_info"
_PRICES = "/finance/get_price_history"
_MINUTE_PRICES = "/finance/get_detailed_price_history"
_DIVIDENDS = "/finance/get_dividends_history"
_PE = "/finance/get_pe_ratio"
_EPS = "/finance/get_eps"


# --- companies


@dataclass(frozen=True, slots=True)
class _Company:
    """A company of the KG; without a name if only its ticker is known.

    Attributes:
        readings: a sentence if its name is not the requested one.
    """

    ticker: str
    name: str | None
    readings: tuple[str, ...] = ()


_FetchOfCompany = Callable[[_Company, Arguments], FetchSteps]


def _find_company(text: str) -> CallGenerator[_Company | None]:
    """The company that a name or ticker means; None where unclear.

    An upper-case word is tried as a ticker first, a lower-case one as a name first.
    """
    name = brands().get(tuple(words(text)), text)
    is_one_word = " " not in name
    queries = [name, f"{name}{DOT_COM}"] if is_one_word else [name]
    listing = None
    score = 0.0
    for query in queries:
        hits = yield from ask(_COMPANY_NAME, query=query)
        if listing is None:
            listing, score = _matching_listing(name, [str(hit) for hit in hits or []])
    looks_like_ticker = is_one_word and name.isascii() and len(name) <= MAX_TICKER
    if looks_like_ticker and (name.isupper() or listing is None):
        ticker = name.upper()
        values = yield [ApiCall(endpoint, {"query": ticker}) for endpoint in BY_TICKER]
        if any(value is not None for value in values):
            return _Company(ticker, name=None)
    if listing is None:
        return None
    ticker = yield from ask(_TICKER, query=listing)
    return _Company(str(ticker), listing, readings_of(name, listing, score)) if ticker else None


def _matching_listing(name: str, hits: Sequence[str]) -> tuple[str | None, float]:
    """The hit whose core is most similar to the name's, else the one that begins with most of its
    words; among several, the most similar one in full, with common stock first. And its score."""
    core = core_name(name)
    matches, score = best_matches(core, [(core_name(hit), hit) for hit in hits])
    if not matches:
        matches = [hit for hit in hits if core_name(hit).startswith(f"{core} ")]
        companies = {core_name(hit) for hit in matches}
        if len(companies) != 1:
            return None, 0.0
        (company,) = companies
        score = part_likeness(core, company)
        if score <= LEAST_PART:
            return None, score
    return best_listing(name, matches), score


def _fetcher_by_company(fetch_of_company: _FetchOfCompany, *endpoints: str) -> Fetcher:
    """Fetches what a function gives on the company that the first argument names."""

    def fetch(arguments: Arguments) -> FetchSteps:
        name = arguments.text(0)
        if not name:
            return Fetched()
        company = yield from _find_company(name)
        if company is None:
            return Fetched()
        fetched = yield from fetch_of_company(company, arguments)
        return replace(
            fetched, entities=(company.name or company.ticker,), readings=company.readings
        )

    return Fetcher(fetch, (_COMPANY_NAME, _TICKER, *BY_TICKER, *endpoints))


# --- prices and dividends


def _prices(endpoint: str, company: _Company, arguments: Arguments) -> FetchSteps:
    """Rows per day (or minute) in order of time, between two time phrases; without a time, the
    latest first. The latest price is that of the last known minute or day."""
    first_phrase = arguments.text(1)
    last_phrase = arguments.text(2)
    period = _period_between(first_phrase, last_phrase, arguments.now)
    edge = period.edge if period else None
    rows: list[Row] = []
    if endpoint == _PRICES or edge is KnownDay.LATEST:
        history = yield from ask(_PRICES, query=company.ticker)
        rows += _daily_rows(history)
    if endpoint == _MINUTE_PRICES or edge is KnownDay.LATEST:
        history = yield from ask(_MINUTE_PRICES, query=company.ticker)
        rows += _minute_rows(history, arguments.now)
    if period is None:
        return Fetched(tuple(reversed(rows)))
    if edge is not None:
        rows = _with_a_value(rows, arguments)
    rows = _rows_in_period(rows, period)
    if endpoint == _MINUTE_PRICES:
        rows = _between_times_of_day(rows, first_phrase or "", last_phrase or "")
    notes = _closed_day_note(period)
    if edge is KnownDay.FIRST:
        notes = ("this is the earliest day of which the knowledge graph has a price",)
    return Fetched(tuple(rows), notes=notes)


def _period_between(first: str | None, last: str | None, now: datetime | None) -> Period | None:
    """The days from one time phrase to another; None without the first."""
    if first is None:
        return None
    period = on_an_open_day(first, resolve(first, now))
    if last is None:
        return period
    return Period(period.first, resolve(last, now).last)


def _between_times_of_day(rows: list[Row], first_phrase: str, last_phrase: str) -> list[Row]:
    """The rows from the time of day in the first phrase, on their first day, to that in the last
    phrase, on their last day."""
    first_time = _CLOCK.search(first_phrase)
    if first_time is None or not rows:
        return rows
    last_time = _CLOCK.search(last_phrase) or first_time
    since = f"{rows[0]['date'][:_DAY_LENGTH]} {first_time[1]}"
    until = f"{rows[-1]['date'][:_DAY_LENGTH]} {last_time[1]}"
    return [row for row in rows if since <= row["date"] <= until]


def _daily_rows(history: Mapping[str, Row] | None) -> list[Row]:
    rows = []
    for stamp, prices in sorted((history or {}).items()):
        if is_placeholder(stamp[:_DAY_LENGTH]):
            continue
        row: Row = {"date": stamp[:_DAY_LENGTH], "time": stamp}
        for key, value in prices.items():
            row[key.lower()] = value
        rows.append(row)
    return rows


def _minute_rows(history: Mapping[str, Row] | None, now: datetime | None) -> list[Row]:
    """Rows per minute, stamped in New York's time, up to the question's time.

    The prices within a minute are nearly equal; a missing one is replaced by another.
    """
    rows = _daily_rows(history)
    for row in rows:
        row["date"] = row["time"][:_MINUTE_LENGTH]
        price = row.get("close", row.get("open"))
        row.setdefault("open", price)
        row.setdefault("close", price)
    if now is None or now.tzinfo is None:
        return rows
    time_there = f"{now.astimezone(_EASTERN):%Y-%m-%d %H:%M:%S}"
    return [row for row in rows if row["time"][:_SECOND_LENGTH] <= time_there]


def _rows_in_period(rows: list[Row], period: Period) -> list[Row]:
    """The rows of a period, or of one of its ends."""
    rows_within = [
        row for row in rows if period.holds(date.fromisoformat(row["date"][:_DAY_LENGTH]))
    ]
    if period.edge is None:
        return rows_within
    rows_within.sort(key=lambda row: str(row.get("time", row["date"])))
    return rows_within[:1] if period.edge is KnownDay.FIRST else rows_within[-1:]


def _with_a_value(rows: list[Row], arguments: Arguments) -> list[Row]:
    """The rows with a value of what is asked for: the latest price is the last known one. All, if
    none has."""
    keys = [key for key in _PRICE_KEYS if arguments.wants(key)]
    kept = []
    for row in rows:
        values = [row.get(key) for key in keys]
        if any(value is not None and not is_placeholder(value) for value in values):
            kept.append(row)
    return kept or rows


def _closed_day_note(period: Period) -> tuple[str, ...]:
    """That a day without prices is none on which shares are traded."""
    if period.edge is not None or period.first != period.last or is_trading_day(period.first):
        return ()
    return (f"exchanges are closed on {period.first:%A} {period.first}",)


def _dividends(company: _Company, arguments: Arguments) -> FetchSteps:
    """One row per dividend, in order of time."""
    when = arguments.text(1)
    history = yield from ask(_DIVIDENDS, query=company.ticker)
    rows = []
    for stamp, value in sorted((history or {}).items()):
        if is_placeholder(stamp[:_DAY_LENGTH]):
            continue
        rows.append({"date": stamp[:_DAY_LENGTH], "year": stamp[:4], "value": value})
    if when is not None:
        rows = _rows_in_period(rows, resolve(when, arguments.now))
    return Fetched(tuple(rows), complete=bool(history))


# --- other facts


def _figure(endpoint: str, company: _Company, _: Arguments) -> FetchSteps:
    """One row with one value."""
    value = yield from ask(endpoint, query=company.ticker)
    return Fetched(({"value": value},) if value is not None else ())


def _info(company: _Company, _: Arguments) -> FetchSteps:
    """One row with all known facts of a company."""
    info = yield from ask(_INFO, query=company.ticker)
    return Fetched((info,) if isinstance(info, dict) else ())


def _ticker_and_name(company: _Company, _: Arguments) -> FetchSteps:
    """A company's full name and ticker, which need no further call."""
    yield from ()
    return Fetched(({"ticker": company.ticker, "name": company.name},))


FETCHERS: dict[str, Fetcher] = {
    "get_stock_price": _fetcher_by_company(partial(_prices, _PRICES)),
    "get_stock_detailed_price": _fetcher_by_company(
        partial(_prices, _MINUTE_PRICES), _MINUTE_PRICES
    ),
    "get_stock_dividend": _fetcher_by_company(_dividends),
    "get_stock_pe_ratio": _fetcher_by_company(partial(_figure, _PE), _PE),
    "get_stock_market_cap": _fetcher_by_company(partial(_figure, _MARKET_CAP)),
    "get_stock_eps": _fetcher_by_company(partial(_figure, _EPS), _EPS),
    "get_stock_info": _fetcher_by_company(_info),
    "get_company": _fetcher_by_company(_ticker_and_name),
}
