"""The rows of the finance domain: a company's prices, dividends, figures and profile."""

from models.kg.language.functions import Entity, Function, Type
from models.kg.language.rows import DATE, NUMBER, YEAR, hidden, key, take
from models.records import Domain

_COMPANY = take(
    "name", "company company_name ticker ticker_name stock symbol", entity=Entity.COMPANY
)
_PRICES = (
    key("date", DATE, "day datetime timestamp", "time"),
    key("open", NUMBER, "opening open_price opening_price", "Open", "$", "opening price"),
    key("high", NUMBER, "highest high_price", "High", "$", "highest price"),
    key("low", NUMBER, "lowest low_price", "Low", "$", "lowest price"),
    key(
        "close",
        NUMBER,
        "closing close_price closing_price price adj_close adjusted_close adjusted_closing_price",
        "Close",
        "$",
        "closing price",
    ),
    key("volume", NUMBER, "trading_volume shares_traded", "Volume", "shares", "trading volume"),
)
_BETWEEN = (
    _COMPANY,
    take("t1", "date start start_date from from_date day", DATE, optional=True),
    take("t2", "end end_date to to_date", DATE, optional=True),
)


def _figure(
    name: str, aliases: str, label: str, *synonyms: str, unit: str = "", short: str = ""
) -> Function:
    """A function that gives one figure of a company; `short`: what models call that figure."""
    keys = (key("value", NUMBER, f"figure amount {short}", aliases, unit, label),)
    return Function(name, Domain.FINANCE, (_COMPANY,), keys, synonyms=synonyms)


FINANCE = (
    Function(
        "get_stock_price",
        Domain.FINANCE,
        _BETWEEN,
        _PRICES,
        row="day",
        about=("on {date}",),
        synonyms=("get_price", "get_price_history", "get_stock"),
    ),
    Function(
        "get_stock_detailed_price",
        Domain.FINANCE,
        _BETWEEN,
        _PRICES,
        row="minute",
        about=("on {date}",),
        synonyms=("get_detailed_price", "get_detailed_price_history"),
        note="minute by minute",
    ),
    Function(
        "get_stock_dividend",
        Domain.FINANCE,
        (_COMPANY, take("date", "year day period t1", DATE, optional=True)),
        (
            key("date", DATE, "day", "time", label="dividend date"),
            *hidden("year", YEAR),
            key("value", NUMBER, "amount dividend", unit="$", label="dividend"),
        ),
        row="dividend",
        about=("on {date}",),
        synonyms=("get_dividend", "get_dividends", "get_dividends_history"),
    ),
    _figure("get_stock_pe_ratio", "pe_ratio", "P/E ratio", "get_pe_ratio", "get_pe", short="pe"),
    _figure(
        "get_stock_market_cap",
        "market_cap",
        "market capitalization",
        "get_market_cap",
        "get_market_capitalization",
        unit="$",
    ),
    _figure("get_stock_eps", "eps", "earnings per share", "get_eps", unit="$"),
    Function(
        "get_stock_info",
        Domain.FINANCE,
        (_COMPANY,),
        (
            key("sector"),
            key("industry"),
            key("fullTimeEmployees", NUMBER, "employees", label="number of employees"),
            key("city"),
            key("country"),
            key("website"),
            key("longBusinessSummary", Type.TEXT, "summary business", label="business"),
        ),
        any_key=True,
        synonyms=("get_info", "get_company_info"),
    ),
    Function(
        "get_company",
        Domain.FINANCE,
        (_COMPANY,),
        (
            key("name", Type.TEXT, "full_name", "company_name"),
            key("ticker", Type.TEXT, "symbol", "ticker_name"),
        ),
        row="company",
        gives=Entity.COMPANY,
        synonyms=("get_company_name", "get_ticker", "get_ticker_by_name"),
        complete="the companies",
    ),
)
