"""Companies: name -> ticker -> the requested figures and histories."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from statistics import mean
from typing import Any
from zoneinfo import ZoneInfo

from models.kg.baseline.open import tree as encyclopedia
from models.kg.baseline.protocol import Fact, Growing, Lookup, day_of, facts_of
from models.kg.days import Period
from models.kg.fetch.finance import find_company
from utils.crag_api import Call

ENDPOINTS = {
    "price": "/finance/get_price_history",
    "volume": "/finance/get_price_history",
    "minute_price": "/finance/get_detailed_price_history",
    "dividends": "/finance/get_dividends_history",
    "market_cap": "/finance/get_market_capitalization",
    "eps": "/finance/get_eps",
    "pe_ratio": "/finance/get_pe_ratio",
    "profile": "/finance/get_info",
}
_USUAL = ("market_cap", "pe_ratio", "eps", "price")
_LABELS = {
    "market_cap": "market capitalisation (US dollars)",
    "eps": "earnings a share (US dollars)",
    "pe_ratio": "price-to-earnings ratio",
}
# Aggregates over several days or minutes of prices.
_FIGURES: Sequence[tuple[str, str, Callable[[Sequence[float]], float]]] = (
    ("highest close", "Close", max),
    ("lowest close", "Close", min),
    ("average close", "Close", mean),
    ("highest price", "High", max),
    ("lowest price", "Low", min),
    ("highest volume", "Volume", max),
    ("lowest volume", "Volume", min),
    ("average volume", "Volume", mean),
    ("total volume", "Volume", sum),
)
_ROWS = 10  # of a history; of a longer one, rows from both ends
_ENDS = 3
_LATEST = 5  # rows without a requested time
_SPOKEN = {"dividends": "dividend a share", "minute_price": "price", "price": "price",
           "volume": "price"}  # fmt: skip
_PROFILE_CHARS = 80  # of a value; longer ones are prose
_PROFILE_FACTS = 25
_EASTERN = ZoneInfo("America/New_York")  # the time zone of timestamps


def tree(lookup: Lookup) -> Growing:
    """The company's figures; histories of the requested period, or the latest rows; with its
    profile, also the encyclopedia entry of its name."""
    company = yield from find_company(lookup.name)
    if company is None:
        return []
    ticker, name = company
    subject = f"{name} ({ticker})" if name else ticker
    wanted = [what for what in lookup.wanted if what in ENDPOINTS] or list(_USUAL)
    found = yield [Call(ENDPOINTS[what], {"query": ticker}) for what in wanted]
    facts: list[Fact] = []
    for what, value in zip(wanted, found, strict=True):
        if what in _LABELS:
            facts += facts_of(subject, [(_LABELS[what], value)])
        elif what == "profile":
            info = value or {}
            facts += _profile(subject, info)
            if called := str(info.get("longName") or name or ""):
                facts += yield from encyclopedia(replace(lookup, name=called))
        else:
            facts += _history(subject, what, value or {}, lookup)
    return facts


def _profile(subject: str, info: Mapping[str, Any]) -> list[Fact]:
    short = {
        key: value
        for key, value in info.items()
        if isinstance(value, str | int | float) and len(str(value)) <= _PROFILE_CHARS
    }
    return list(facts_of(subject, list(short.items())[:_PROFILE_FACTS]))


def _history(subject: str, what: str, stamped: Mapping[str, Any], lookup: Lookup) -> list[Fact]:
    rows = list(_known(stamped, lookup.now))
    period = lookup.period
    if period is not None:
        rows = _within(rows, period)
        if what == "dividends" and not rows:
            return [Fact(subject, f"dividends in {lookup.time}", "none known")]
    else:
        rows = rows[-_LATEST:]
    shown = rows if len(rows) <= _ROWS else [*rows[:_ENDS], *rows[-_ENDS:]]
    facts = [Fact(subject, f"{_SPOKEN[what]} {stamp}", _row(value)) for stamp, value in shown]
    if period is None or len(rows) < 2:
        return facts
    together = list(_together(subject, what, rows))
    return [*together, *facts] if len(rows) > _ROWS else [*facts, *together]


def _known(stamped: Mapping[str, Any], now: datetime | None) -> Iterator[tuple[str, Any]]:
    """The rows in order of time, without those after the question's time."""
    then = None
    if now is not None:
        local = now if now.tzinfo is None else now.astimezone(_EASTERN)
        then = f"{local:%Y-%m-%d %H:%M:%S}"
    for stamp, value in sorted(stamped.items()):
        if then is None or stamp[:19] <= then:
            yield stamp, value


def _within(rows: list[tuple[str, Any]], period: Period) -> list[tuple[str, Any]]:
    """The rows of the period; for a single day without rows, the last row before it."""
    kept = [row for row in rows if (day := day_of(row[0])) and period.holds(day)]
    if kept or period.first != period.last:
        return kept
    return [row for row in rows if (day := day_of(row[0])) and day < period.first][-1:]


def _together(subject: str, what: str, rows: list[tuple[str, Any]]) -> Iterator[Fact]:
    """Aggregates of a period's rows; a value from a single row has its time."""
    if what == "dividends":
        total = sum(value for _, value in rows)
        yield Fact(subject, "dividends in all", f"{round(total, 4)} in {len(rows)} payments")
        return
    for label, key, figure in _FIGURES:
        if (key == "Volume") is not (what == "volume"):
            continue
        known = {stamp: row[key] for stamp, row in rows if row.get(key) is not None}
        if known:
            value = figure(list(known.values()))
            at = next((f" ({stamp})" for stamp, own in known.items() if own == value), "")
            yield Fact(subject, f"{label} of the period", f"{round(value, 4)}{at}")


def _row(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{key} {part}" for key, part in value.items() if part is not None)
