"""Rows about companies and the prices, dividends and ratios of their shares."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from models.kg.codes import brands
from models.kg.days import Edge, Period, is_trading_day, trading_day_before, trading_day_from
from models.kg.fetch.protocol import Arguments, Asking, Fetch, Fetched, Fetcher, Function, Row, ask
from models.kg.match import THRESHOLD, likeness
from models.kg.periods import resolve
from utils.crag_api import Call
from utils.text import words

# Legal forms after a company's name.
FORMS = frozenset(
    "ab ag and co com company corp corporation cv inc incorporated limited llc lp ltd nv plc publ"
    " sa se spa the trust holding holdings".split()
)
_SPELLED_FORM = re.compile(r" (?:s a(?: b)?(?: de c v)?|de c v|n v|s p a|l p|l l c|p l c)$")
# Words for shares of any kind.
SHARES = frozenset("stock share common ordinary".split())
# Words that begin the kind of share after the company's name.
_KIND = re.compile(
    r"\b(?:american depos[ia]t[ao]ry|adrs?|ads|sponsored|deposit[ao]ry|common|ordinary|ord|capital"
    r" stock|class [a-z]|series [a-z0-9]+|warrants?|units?|rights?|prefe(?:rred|rence)|perpetual"
    r"|non cumulative|cumulative|fixed|floating|subordinate[d]?|voting|senior|junior|notes?"
    r"|debentures?|shares?|stock|new york registry|registered|each|representing|redeemable"
    r"|convertible|beneficial interest|depositary|\d+ \d+(?: \d+)?(?= (?:series|senior|fixed|notes?"
    r"|cumulative|preferred)))\b.*"
)
DOT_COM = ".com"  # the KG's search takes "Amazon.com" for one word
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_USUAL = ("common", "class", "ordinary", "", "american", "capital", "ads", "adr", "sponsored")
_MAX_TICKER = 6
_CLOCK = re.compile(r"\s(\d\d:\d\d)(?::\d\d)?$")  # a time of day at the end of a phrase
_EASTERN = ZoneInfo("America/New_York")


def split_name(company: str) -> tuple[str, str]:
    """A company's folded name without its legal form, and the kind of share after it: ("acme i
    widgets", "unit"), ("acme", "common stock")."""
    text = " ".join(words(_IN_BRACKETS.sub(" ", company))).removeprefix("the ")
    kind = _KIND.search(text, text.find(" ") + 1 if " " in text else len(text))
    kept = _SPELLED_FORM.sub("", (text[: kind.start()] if kind else text).strip()).split()
    while len(kept) > 1 and kept[-1] in FORMS:
        kept.pop()
    return " ".join(kept), kind.group() if kind else ""


def core_name(company: str) -> str:
    """The folded name of a company without its legal form and kind of share."""
    return split_name(company)[0]


def rank_of_share(company: str) -> int:
    """0 for common stock, more for other kinds, most for warrants, units and similar."""
    kind = split_name(company)[1]
    if "preferred" in kind or "warrant" in kind or kind.split(" ")[0] not in _USUAL:
        return len(_USUAL)
    return _USUAL.index(kind.split(" ")[0])


def find_company(name: str) -> Asking[tuple[str, str | None] | None]:
    """(ticker, full name) of the company that a name or ticker means; None where unclear.

    An upper-case word is tried as a ticker first, a lower-case one as a name first.
    """
    name = brands().get(tuple(words(name)), name)
    chosen = None
    for query in (name,) if " " in name else (name, f"{name}{DOT_COM}"):
        hits = (yield from ask("/finance/get_company_name", query=query)) or []
        chosen = chosen or _choose(name, [str(hit) for hit in hits])
    looks_like_ticker = name.isascii() and len(name) <= _MAX_TICKER and " " not in name
    if looks_like_ticker and (name.isupper() or chosen is None):
        known = yield [
            Call("/finance/get_market_capitalization", {"query": name.upper()}),
            Call("/finance/get_price_history", {"query": name.upper()}),
            Call("/finance/get_dividends_history", {"query": name.upper()}),
            Call("/finance/get_info", {"query": name.upper()}),
        ]
        if any(value is not None for value in known):
            return name.upper(), None
    if chosen is None:
        return None
    ticker = yield from ask("/finance/get_ticker_by_name", query=chosen)
    return (str(ticker), chosen) if ticker else None


def _choose(name: str, hits: Sequence[str]) -> str | None:
    """The hit whose core is most similar to the name's; among several, the most similar one in
    full, with common stock first."""
    asked = core_name(name)
    scored = [(likeness(asked, core_name(hit)), hit) for hit in hits]
    top = max((score for score, _ in scored), default=0.0)
    if top < THRESHOLD:
        begins = [hit for hit in hits if core_name(hit).startswith(f"{asked} ")]
        if len({core_name(hit) for hit in begins}) != 1:
            return None
        scored, top = [(1.0, hit) for hit in begins], 1.0
    return best_listing(name, [hit for score, hit in scored if score == top])


def best_listing(name: str, listings: Sequence[str]) -> str:
    """The one of a company's shares that `name` means: of the kind that it states, else common
    stock."""
    kind = split_name(name)[1].removesuffix("s")  # "warrants"
    stated = [hit for hit in listings if kind and split_name(hit)[1].startswith(kind)]
    return min(stated or listings, key=lambda hit: (rank_of_share(hit), -likeness(name, hit)))


def _history(endpoint: str) -> Function:
    def fetch(arguments: Arguments) -> Fetch:
        """Rows per day (or minute) in order of time, between two time phrases.

        The latest price is that of the last known minute or day.
        """
        name, first, last = (arguments.text(index) for index in range(3))
        company = (yield from find_company(name)) if name else None
        if company is None:
            return Fetched()
        period = resolve(first, arguments.now) if first is not None else None
        if period and last is not None:
            period = Period(period.first, resolve(last, arguments.now).last)
        latest = period is not None and period.edge is Edge.LATEST
        rows: list[Row] = []
        if latest or endpoint == _PRICES:
            rows += _daily((yield from ask(_PRICES, query=company[0])))
        if latest or endpoint == _MINUTES:
            rows += _minutes((yield from ask(_MINUTES, query=company[0])), arguments.now)
        times = [_CLOCK.search(phrase) for phrase in (first or "", last or "")]
        # without a time, the latest comes first
        rows = rows[::-1] if period is None else _within(rows, period, arguments.now)
        if times[0] and rows and endpoint == _MINUTES:  # times of the first and last day
            since = f"{rows[0]['date'][:10]} {times[0][1]}"
            until = f"{rows[-1]['date'][:10]} {(times[1] or times[0])[1]}"
            rows = [row for row in rows if since <= row["date"] <= until]
        edge = period and period.edge is Edge.FIRST
        notes = ("this is the earliest day of which the knowledge graph has a price",) * bool(edge)
        return Fetched(tuple(rows), (company[1] or company[0],), notes=notes)

    return fetch


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


def get_stock_dividend(arguments: Arguments) -> Fetch:
    """One row per dividend, in order of time."""
    name, when = arguments.text(0), arguments.text(1)
    company = (yield from find_company(name)) if name else None
    if company is None:
        return Fetched()
    history = yield from ask("/finance/get_dividends_history", query=company[0])
    rows = [
        {"date": stamp[:10], "year": stamp[:4], "value": value}
        for stamp, value in sorted((history or {}).items())
    ]
    if when is not None:
        rows = _within(rows, resolve(when, arguments.now), arguments.now)
    return Fetched(tuple(rows), (company[1] or company[0],), complete=isinstance(history, dict))


def _figure(endpoint: str) -> Function:
    def fetch(arguments: Arguments) -> Fetch:
        """One row with one value."""
        name = arguments.text(0)
        company = (yield from find_company(name)) if name else None
        if company is None:
            return Fetched()
        value = yield from ask(endpoint, query=company[0])
        entity = company[1] or company[0]
        return Fetched(({"value": value},) if value is not None else (), (entity,))

    return fetch


def get_stock_info(arguments: Arguments) -> Fetch:
    """One row with all known facts of a company."""
    name = arguments.text(0)
    company = (yield from find_company(name)) if name else None
    info = (yield from ask("/finance/get_info", query=company[0])) if company else None
    if company is None or not isinstance(info, dict):
        return Fetched()
    return Fetched((info,), (company[1] or company[0],))


def get_company(arguments: Arguments) -> Fetch:
    """A company's full name and ticker."""
    name = arguments.text(0)
    company = (yield from find_company(name)) if name else None
    if company is None:
        return Fetched()
    return Fetched(({"ticker": company[0], "name": company[1]},), (company[1] or company[0],))


_FIND = ("/finance/get_company_name", "/finance/get_ticker_by_name")
_MARKET_CAP, _INFO = "/finance/get_market_capitalization", "/finance/get_info"
_PRICES, _DIVIDENDS = "/finance/get_price_history", "/finance/get_dividends_history"
_MINUTES = "/finance/get_detailed_price_history"
_PE, _EPS = "/finance/get_pe_ratio", "/finance/get_eps"
_TICKER = (_MARKET_CAP, _PRICES, _DIVIDENDS, _INFO)  # each of them indicates that a ticker exists

FETCHERS: dict[str, Fetcher] = {
    "get_stock_price": Fetcher(_history(_PRICES), (*_FIND, *_TICKER)),
    "get_stock_detailed_price": Fetcher(_history(_MINUTES), (*_FIND, *_TICKER, _MINUTES)),
    "get_stock_dividend": Fetcher(get_stock_dividend, (*_FIND, *_TICKER)),
    "get_stock_pe_ratio": Fetcher(_figure(_PE), (*_FIND, *_TICKER, _PE)),
    "get_stock_market_cap": Fetcher(_figure(_MARKET_CAP), (*_FIND, *_TICKER)),
    "get_stock_eps": Fetcher(_figure(_EPS), (*_FIND, *_TICKER, _EPS)),
    "get_stock_info": Fetcher(get_stock_info, (*_FIND, *_TICKER)),
    "get_company": Fetcher(get_company, (*_FIND, *_TICKER)),
}
