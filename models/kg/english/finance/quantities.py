"""The quantities that may be asked of a company and its shares, each with how English asks for it.

In the patterns `§` stands for a company and `•` for a time.
"""

from dataclasses import dataclass
from enum import StrEnum

from models.kg.linking.question import any_of


class Kind(StrEnum):
    """What a quantity is one of."""

    FIGURE = "a company has one at a time"
    PRICE = "a company has one a day"
    DIVIDEND = "a company has one a payment"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What may be asked of a company: `function` and `key` of the language, its form in an answer,
    and the pattern by which it is asked for."""

    kind: Kind
    function: str
    key: str
    template: str
    pattern: str


_MONEY, _ROUNDED = "${:,.2f}", "{:.2f}"
_SHARES = "(?:shares?|stocks?|units?)"
_GAP = r"(?:[\w§•]+ )"  # a word between two that belong together
_PROFIT = r"(?:net )?(?:earnings?|profits?|income)"
_BRINGS = r"(?:earn|generate|make|produce|bring)\w*"
_EACH = r"(?:per|each|every|a single|one|a)(?: (?:outstanding|common|single|individual))*"


def _figure(function: str, template: str, pattern: str) -> Quantity:
    return Quantity(Kind.FIGURE, f"get_stock_{function}", "value", template, any_of(pattern))


def _price(key: str, template: str, pattern: str) -> Quantity:
    return Quantity(Kind.PRICE, "get_stock_price", key, template, any_of(pattern))


def _info(key: str, pattern: str, template: str = "{}") -> Quantity:
    return Quantity(Kind.FIGURE, "get_stock_info", key, template, pattern)


PE_RATIO = _figure(
    "pe_ratio",
    _ROUNDED,
    rf"""
    (?:p e|pe)(?: ratios?| multiples?| values?)?|per ratio|forward p ?e(?: ratios?)?
    price (?:to )?earnings?(?: per share)?(?: ratios?| multiples?)?|earnings? multiples?
    (?:multiple|times) (?:of |its )*earnings
    price {_GAP}?(?:to|over|divided by|versus|against) {_GAP}{{0,3}}?{_PROFIT}(?: per share)?
    (?:trad|pric|valu)\w+ {_GAP}{{0,3}}?(?:relative|compared) (?:to|with) {_GAP}{{0,3}}?{_PROFIT}
    (?:each|every|a|one|per) dollar of {_GAP}{{0,2}}?{_PROFIT}
    """,
)
EPS = _figure(
    "eps",
    _ROUNDED,
    rf"""
    eps|forward eps|per share {_PROFIT}
    {_PROFIT} (?:per|a|for each|for every|on each|on every|of each) share
    {_PROFIT} {_GAP}{{0,5}}?(?:per|to|for|by|on|behind|from|of) (?:{_EACH} )?share
    {_PROFIT} (?:to|over|divided by|relative to|against) {_GAP}{{0,4}}?shares?(?: outstanding)?
    (?:earn\w*|profit\w*|ma[dk]e|making|generat\w+) {_GAP}{{0,4}}?(?:{_EACH}|for {_EACH}) share
    (?:{_PROFIT}|money|much) {_GAP}{{0,4}}?(?:each|every|one|a) share {_GAP}{{0,4}}?{_BRINGS}
    profitab\w+ {_GAP}{{0,3}}?(?:per|each|every) share
    (?:each|every) share {_PROFIT}|bottom line per share
    """,
)
MARKET_CAP = _figure(
    "market_cap",
    _MONEY,
    rf"""
    market (?:cap\w*|values?|valuations?|worth|size)|(?:market )?capitali[sz]ations?|mkt cap
    market cap\w* values?
    (?:stock market|total|overall|corporate|entire|company) (?:market )?(?:worth|values?)
    (?:stock market|total|overall|corporate|entire|company) (?:market )?valuations?
    valuations?|(?:total|whole) (?:company|business) (?:is )?worth
    (?:total|combined|aggregate|market) (?:\w+ )?value of .*\bshares
    (?:value|worth) of (?:all|every one) .*\bshares
    (?:company|corporation|firm|business) worth|worth {_GAP}{{0,4}}?(?:stock )?market
    (?:buy|own|acquire|purchase) (?:up |out )?(?:all|every|the whole|the entire|the lot)\b.*
    """,
)
# Of several that fit, the one whose match is longest; of those the first.
FIGURES = (
    PE_RATIO,
    EPS,
    MARKET_CAP,
    _info("dividendYield", r"(?:dividend|stock) yields?|yields?"),
    _info("payoutRatio", r"(?:dividend )?payout ratios?"),
    _info("dividendRate", r"dividend rates?"),
    _info("profitMargins", r"(?:net |profit )+margins?"),
    _info("grossMargins", r"gross (?:profit )?margins?"),
    _info("operatingMargins", r"operating (?:profit )?margins?"),
    _info("ebitdaMargins", r"ebitda margins?"),
    _info("grossProfits", r"gross (?:profits?|income)", _MONEY),
    _info("ebitda", r"ebitda", _MONEY),
    _info("totalRevenue", r"(?:total |annual )?(?:revenues?|sales)", _MONEY),
    _info("revenuePerShare", r"revenues? per share", _MONEY),
    _info("revenueGrowth", r"revenue growth"),
    _info("earningsGrowth", r"earnings growth"),
    _info("netIncomeToCommon", r"net (?:income|profits?|earnings)", _MONEY),
    _info("totalCash", r"(?:total )?cash(?: on hand| reserves?)?", _MONEY),
    _info("totalDebt", r"(?:total )?debts?", _MONEY),
    _info("debtToEquity", r"debt to equity(?: ratios?)?"),
    _info("freeCashflow", r"free cash ?flow", _MONEY),
    _info("operatingCashflow", r"operating cash ?flow", _MONEY),
    _info("enterpriseValue", r"enterprise values?", _MONEY),
    _info("bookValue", r"book values?(?: per share)?"),
    _info("priceToBook", r"price to book(?: ratios?)?|p b ratios?"),
    _info("priceToSalesTrailing12Months", r"price to sales(?: ratios?)?|p s ratios?"),
    _info("pegRatio", r"peg(?: ratios?)?"),
    _info("trailingPE", r"trailing (?:p e|pe|price to earnings)(?: ratios?)?", _ROUNDED),
    _info("trailingEps", r"trailing (?:eps|earnings per share)", _ROUNDED),
    _info("beta", r"betas?"),
    _info("fiftyTwoWeekHigh", r"(?:52|fifty two) week highs?", _MONEY),
    _info("fiftyTwoWeekLow", r"(?:52|fifty two) week lows?", _MONEY),
    _info("fiftyDayAverage", r"(?:50|fifty) day (?:moving )?average", _MONEY),
    _info("twoHundredDayAverage", r"(?:200|two hundred) day (?:moving )?average", _MONEY),
    _info("averageVolume", r"average (?:trading )?volume(?: overall)?$", "{:.0f}"),
    _info("sharesOutstanding", r"(?:shares? outstanding|outstanding shares?)", "{:,.0f}"),
    _info("floatShares", r"(?:public |share )?float", "{:,.0f}"),
    _info("returnOnEquity", r"return on equity|roe"),
    _info("returnOnAssets", r"return on assets|roa"),
    _info("currentRatio", r"current ratios?"),
    _info("quickRatio", r"quick ratios?"),
    _info("recommendationKey", r"(?:analysts? )?(?:recommendations?|ratings?)"),
    _info("targetMeanPrice", r"(?:average |mean |analysts? )*(?:price targets?|target prices?)",
          _MONEY),
    _info("fullTimeEmployees",
          r"(?:full time )?(?:employees?|workers?|staff|workforce|headcount)|people (?:work|does"
          r" \w+ employ)|employ(?:s|ed)?|work (?:for|at)", "{:.0f}"),
    _info("industry", r"industry|industries|(?:line|kind|type) of business"),
    _info("sector", r"(?:economic |business |market )?sectors?"),
    _info("country", r"(?:what|which) country|country"),
    _info("state", r"(?:what|which) state"),
    _info("city", r"headquarter(?:s|ed)?|head ?office|(?:what|which) city"
          r"|where .*\b(?:based|located)"),
    _info("website", r"websites?|web ?site|web ?page|homepage|url|web address"),
    _info("phone", r"(?:tele)?phone(?: numbers?)?"),
    _info("address1", r"(?:street )?address"),
    _info("zip", r"zip(?: codes?)?|postal codes?"),
    _info("currency", r"currency"),
    _info("exchange", r"(?:what|which) (?:stock )?exchange|(?:stock )?exchange is"),
    _info("longBusinessSummary",
          r"what does \w+(?: \w+)? (?:do|make|produce|sell)|business summary"),
)  # fmt: skip
COMPANY_NAME = r"(?:full|legal|official|complete)? ?(?:company|corporate) name|legal name"
TICKERS = Quantity(
    Kind.FIGURE,
    "get_company",
    "ticker",
    "{}",
    any_of(
        rf"""
        ticker(?: symbols?| names?)?|(?:stock|trading|nasdaq|nyse|exchange|market) symbols?
        symbols?|trad(?:e|es|ed|ing) under|trades? as
        {COMPANY_NAME}
        """
    ),
)
OFFICERS = Quantity(
    Kind.FIGURE,
    "get_stock_info",
    "companyOfficers",
    "{}",
    any_of(
        r"""
        ceo|chief executive(?: officer)?|cfo|chief financial officer|coo|chief operating officer
        cto|chief technology officer|chairman|chairwoman|chairperson|president|(?<=who )runs
        """
    ),
)
_GIVES = r"(?:pa(?:y|ys|id|ying)|hand(?:s|ed)?|distribut\w+|return(?:s|ed)?|g[ia]ve)(?: out| back)?"
DIVIDENDS = Quantity(
    Kind.DIVIDEND,
    "get_stock_dividend",
    "value",
    "${:.4g}",
    any_of(
        rf"""
        {_GIVES}(?: {_GAP}{{0,3}}?to)? (?:its |their |the )*(?:share|stock)holders|pa(?:y|ys|id) out
        {_GIVES} {_GAP}{{0,5}}?(?:per share|cash|income) to (?:its |their )?(?:share|stock)holders
        {_GIVES} (?:its |their |the )*(?:share|stock)holders
        dividends?(?: payments?| payouts?| distributions?| amounts?)?|payouts?|distributions?
        distribut(?:e|es|ed)|ex (?:dividend|div)(?: dates?)?|goes ex|went ex
        """
    ),
)
VOLUME = _price(
    "volume",
    "{:.0f}",
    rf"""
    (?:trading |traded |trade |share |stock |total |daily )*volumes?|trading activity
    {_SHARES} (?:\w+ ){{0,3}}?(?:traded|exchanged|changed? hands|change hands|bought and sold)
    how active|(?:how many|number of|amount of|many) {_SHARES}
    trad(?:e|es|ed|ing) {_GAP}?(?:more|most|less|least|fewer|fewest)(?: {_SHARES})?
    (?:more|most|less|least|fewer|greatest|heavily|actively|frequently) (?:\w+ )?traded
    how (?:heavily|actively|frequently|much) {_GAP}{{1,4}}?trad(?:e|ed|ing)
    actively traded|trading frequency|busi(?:er|est)|(?:more|most|less|least) (?:active|liquid)
    trade (?:more|most|less|least) (?:frequently|often|actively|heavily)
    liquidity|(?:share|stock|trading) turnover|turnover of shares
    (?:more|most|less|least|much) trading|trades were made|number of trades
    """,
)
_DAYS_END = r"(?:the )?(?:trading |market |business |that )?(?:day|session|trading|market|hours)"
CLOSE = _price(
    "close",
    _MONEY,
    rf"""
    (?:adjusted |adj )?clos(?:e|es|ed|ing)|(?:at |by )?(?:the )?end of {_DAYS_END}
    end|ended|ends|ending|finish(?:ed|es|ing)?|settle[ds]?|settlement|final price|last price
    when {_DAYS_END} (?:was |is )?over|(?:wrapped|wrap|wound) up|wind up
    after (?:the )?(?:market |trading |business )?(?:clos(?:e|es|ed|ing)|end(?:ed|s)?|trading)
    after (?:the )?(?:market |trading |business )?hours end
    """,
)
OPEN = _price(
    "open",
    _MONEY,
    rf"""
    (?:first|initial) (?:\w+ )?price|open(?:s|ed|ing|ings)?
    (?:at )?(?:the )?(?:start|beginning) of {_DAYS_END}|start(?:ed|s|ing)?|began|begin
    kick(?:ed|s)? off|first traded|first trade
    """,
)
HIGH = _price(
    "high",
    _MONEY,
    r"""
    (?:intra ?day |daily |day |weekly )?highs?|highest|max(?:imum|imal)?|peak(?:ed|s)?|top(?:ped)?
    greatest|largest|biggest|best|ceiling|most expensive
    most (?:anyone|someone|investors?|traders?|people|buyers?) (?:\w+ )?paid
    """,
)
LOW = _price(
    "low",
    _MONEY,
    r"""
    (?:intra ?day |daily |day |weekly )?lows?|lowest|min(?:imum|imal)?|bottom(?:ed)?|smallest
    least|cheapest|trough|floor|worst
    """,
)
PRICE = _price(
    "close",
    _MONEY,
    rf"""
    (?:{_SHARES}|market|trading|per share)? ?(?:prices?|quotes?|cost(?:s|ing)?|rates?)|priced
    trad(?:e|es|ed|ing)(?= •| at| for|$)|where (?:is )?{_GAP}{{0,3}}?(?:at|trading|sitting)
    (?:set|sets|setting) (?:me|you|us|one|someone|\w+ investor|an? buyer) back
    (?:shell(?:ed)?|fork(?:ed)?|pay|paid|cough(?:ed)?|hand(?:ed)?) (?:out|over|up) for
    going rate|(?:last|latest|final) (?:trade|print|tick)|price ?wise
    {_SHARES} (?:go|going|went|sell\w*|sold) for
    (?:value|worth) of (?:(?:a|one|each|the|its) )*{_SHARES}|{_SHARES} (?:values?|worth)
    how much (?:is|was|are|were|does|did)\b.*?\b{_SHARES}|pay for (?:a|one) share
    how much (?:is|was) (?:a|one|each) {_SHARES}|trading at
    (?:go(?:es|ing)?|went|sell(?:ing|s)?|sold|fetch\w*)(?: for)?(?= •| for|$)
    chang(?:e|es|ed|ing) hands (?:at|for)|quoted at|(?:at|for) what price .*
    pricier|priciest|cheaper|(?:more|less|most|least) (?:expensive|affordable|costly)
    """,
)
# What a company is worth, or, where shares are named, what one of them is.
WORTH = r"worth|valuable|valued|value|net worth"
# Where less is better: a buyer pays less for the same.
MULTIPLES = (
    PE_RATIO,
    *(q for q in FIGURES if q.key in ("pegRatio", "priceToBook", "trailingPE")),
    *(q for q in FIGURES if q.key == "priceToSalesTrailing12Months"),
)
