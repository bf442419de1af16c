"""How English asks about companies and their shares, as data: words, and what each is about."""

from dataclasses import dataclass
from enum import StrEnum


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


def _figure(function: str, template: str, pattern: str) -> Quantity:
    return Quantity(Kind.FIGURE, f"get_stock_{function}", "value", template, pattern)


def _price(key: str, template: str, pattern: str) -> Quantity:
    return Quantity(Kind.PRICE, "get_stock_price", key, template, pattern)


def _info(key: str, pattern: str, template: str = "{}") -> Quantity:
    return Quantity(Kind.FIGURE, "get_stock_info", key, template, pattern)


# Of several that fit, the one whose match is longest; of those the first.
FIGURES = (
    _figure(
        "pe_ratio",
        _ROUNDED,
        r"p e(?: ratios?| multiples?| values?)?|pe(?: ratios?| multiples?| values?)"
        r"|pe|per ratio|price (?:to )?earnings?(?: ratios?| multiples?)?|earnings? multiples?"
        r"|forward p ?e(?: ratios?)?|(?:multiple|times) (?:of |its )*earnings",
    ),
    _figure(
        "eps",
        _ROUNDED,
        r"eps|earnings? (?:per|a|for each|for every|on each) share|(?:net )?(?:profits?|income) per"
        r" share|(?:earn\w*|profit|ma[dk]e) (?:\w+ ){0,2}?(?:per|for each|for every) share|per share (?:earnings?"
        r"|profits?)|forward eps",
    ),
    _figure(
        "market_cap",
        _MONEY,
        r"market (?:cap\w*|values?|valuations?|worth|size)|(?:market )?capitali[sz]ations?"
        r"|(?:stock market|total|overall|corporate|entire|company) (?:market )?(?:worth|valuations?"
        r"|values?)|valuations?|mkt cap|(?:total|whole) (?:company|business) (?:is )?worth"
        r"|market cap\w* values?|(?:total|combined|aggregate|market) (?:\w+ )?value of .*\bshares"
        r"|(?:company|corporation|firm|business) worth",
    ),
    _info("dividendYield", r"(?:dividend|stock) yields?|yields?"),
    _info("payoutRatio", r"(?:dividend )?payout ratios?"),
    _info("dividendRate", r"dividend rates?"),
    _info("exDividendDate", r"ex dividend dates?"),
    _info("profitMargins", r"(?:net |profit )+margins?"),
    _info("grossMargins", r"gross (?:profit )?margins?"),
    _info("operatingMargins", r"operating (?:profit )?margins?"),
    _info("ebitdaMargins", r"ebitda margins?"),
    _info("grossProfits", r"gross (?:profits?|income)", _MONEY),
    _info("ebitda", r"ebitda", _MONEY),
    _info("totalRevenue", r"(?:total |annual )?(?:revenues?|sales|turnover)", _MONEY),
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
          r" \w+ employ)|employ(?:s|ed)?", "{:.0f}"),
    _info("industry", r"industry|industries|(?:line|kind|type) of business"),
    _info("sector", r"(?:economic |business |market )?sectors?"),
    _info("country", r"(?:what|which) country|country"),
    _info("state", r"(?:what|which) state"),
    _info("city", r"headquarter(?:s|ed)?|head ?office|(?:what|which) city|where .*\b(?:based|located)"),
    _info("website", r"websites?|web ?site|web ?page|homepage|url|web address"),
    _info("phone", r"(?:tele)?phone(?: numbers?)?"),
    _info("address1", r"(?:street )?address"),
    _info("zip", r"zip(?: codes?)?|postal codes?"),
    _info("currency", r"currency"),
    _info("exchange", r"(?:what|which) (?:stock )?exchange|(?:stock )?exchange is"),
    _info("longBusinessSummary",
          r"what does \w+(?: \w+)? (?:do|make|produce|sell)|business summary"),
)  # fmt: skip
TICKER = (
    r"ticker(?: symbols?| names?)?|(?:stock|trading|nasdaq|nyse|exchange|market) symbols?|symbols?"
    r"|trad(?:e|es|ed|ing) under|trades? as"
)
OFFICER = (
    r"ceo|chief executive(?: officer)?|cfo|chief financial officer|coo|chief operating officer"
    r"|cto|chief technology officer|chairman|chairwoman|chairperson|president"
)
AFFORD = (
    r"(?:buy|purchase|get|afford|own|acquire|obtain|pick up|receive) (?:\w+ ){0,3}?(?:shares?|stocks?)"
    r"|(?:more|most|fewer|fewest|less|many) (?:\w+ ){0,3}?shares? (?:\w+ ){0,4}?(?:buy|purchase|get"
    r"|afford|own|acquire|for|with)|(?:more|fewer) shares"
    r"|(?:buy|purchase|afford|get|own|acquire) (?:\w+ ){0,2}?(?:more|most|fewer|less) of"
)
VOLUME = _price(
    "volume",
    "{:.0f}",
    rf"(?:trading |traded |trade |share |stock |total |daily )*volumes?|trading activity"
    rf"|{_SHARES} (?:\w+ ){{0,3}}?(?:traded|exchanged|changed? hands|change hands|bought and sold)"
    rf"|how active|(?:how many|number of|amount of|many) {_SHARES}|traded (?:more|most|less|least|the most|the"
    r" least)|(?:more|most|less|least|fewer|greatest|heavily|actively|frequently) (?:actively"
    r" |heavily |frequently |often )?traded|actively traded|trading frequency|busi(?:er|est)"
    r"|(?:more|most|less|least) (?:active|liquid)|trade (?:more|most|less|least)(?: frequently"
    r"| often| actively| heavily)?|liquidity|turnover of shares|(?:more|most|less|least|much) trading",
)
_DAYS_END = r"(?:the )?(?:trading |market |business |that )?(?:day|session|trading|market|hours)"
CLOSE = _price(
    "close",
    _MONEY,
    rf"(?:adjusted |adj )?clos(?:e|es|ed|ing)|(?:at |by )?(?:the )?end of {_DAYS_END}|end|ended|ends"
    r"|ending|finish(?:ed|es|ing)?|settle[ds]?|settlement|final price|last price"
    rf"|when {_DAYS_END} (?:was |is )?over|after (?:the )?(?:market |trading |business )?"
    r"(?:clos(?:e|es|ed|ing)|end(?:ed|s)?|trading|hours end)",
)
OPEN = _price(
    "open",
    _MONEY,
    rf"first (?:\w+ )?price|open(?:s|ed|ing|ings)?|(?:at )?(?:the )?(?:start|beginning) of {_DAYS_END}|start(?:ed|s|ing)?"
    r"|began|begin|initial price|kick(?:ed)? off|first traded|first trade",
)
HIGH = _price(
    "high",
    _MONEY,
    r"(?:intra ?day |daily |day |weekly )?highs?|highest|max(?:imum|imal)?|peak(?:ed|s)?|top(?:ped)?"
    r"|greatest|largest|biggest|best|ceiling|most expensive",
)
# What a company is worth, or, where shares are named, what one of them is.
WORTH = r"worth|valuable|valued|value|net worth"
LOW = _price(
    "low",
    _MONEY,
    r"(?:intra ?day |daily |day |weekly )?lows?|lowest|min(?:imum|imal)?|bottom(?:ed)?|smallest"
    r"|least|cheapest|trough|floor|worst",
)
PRICE = _price(
    "close",
    _MONEY,
    rf"(?:{_SHARES}|market|trading|per share)? ?(?:prices?|quotes?|cost(?:s|ing)?|rates?)|priced"
    rf"|trad(?:e|es|ed|ing)(?= •| at| for|$)|{_SHARES} (?:go|going|went|sell\w*|sold) for"
    rf"|(?:value|worth) of (?:(?:a|one|each|the|its) )*{_SHARES}|{_SHARES} (?:values?|worth)"
    rf"|how much (?:is|was|are|were|does|did)\b.*?\b{_SHARES}|pay for (?:a|one) share"
    rf"|how much (?:is|was) (?:a|one|each) {_SHARES}|trading at|go(?:es)? for|selling for",
)
DIVIDEND = (
    r"dividends?(?: payments?| payouts?| distributions?| amounts?)?|payouts?|distributions?"
    r"|distribut(?:e|es|ed)"
)

# Of which of two, or of which value of several, a question asks.
MORE = (
    "higher highest more most greater greatest larger largest bigger biggest better best maximum max"
    " pricier priciest expensive above exceed exceeds exceeded outperform outperformed outperforms"
    " richer heavier leads over topped surpassed surpass surpasses beat beats upper superior peak"
    " longer top strongest stronger richest"
).split()
LESS = (
    "lower lowest less least smaller smallest fewer fewest cheaper cheapest worse worst minimum min"
    " below under inexpensive lesser lighter weaker weakest bottom beneath trails inferior slightest"
).split()
EARLIER, LATER = ("earlier", "earliest", "first", "sooner"), ("later", "latest", "recently")
AVERAGE = r"averages?|averaged|mean|on average|avg|typical(?:ly)?"
TOTAL = (
    r"totals?|totall?ed|totall?ing|sum|summed|cumulative(?:ly)?|combined|altogether|in all"
    r"|aggregate[ds]?|in sum|overall|collectively|accumulated|together|added up|add up"
)
GREATEST = r"max(?:imum|imal)?|highest|highs?|peak(?:ed)?|most|greatest|largest|biggest|best|top"
SMALLEST = r"min(?:imum|imal)?|lowest|lows?|bottom(?:ed)?|least|smallest|cheapest|worst|fewest"
DIFFERENCE = (
    r"difference|gap|differs?|(?:by )?how much (?:\w+ ){0,2}?(?:higher|lower|more|less|larger|bigger"
    r"|greater|smaller|cheaper|fewer)|margin between|spread between|by how much|how many more"
    r"|how many fewer|disparity"
)
FLUCTUATION = r"fluctuat\w+|volatil\w+|swings?|swung|var(?:y|ied|iation)"
RANGE = rf"(?:price |trading |daily |intra ?day )*ranges?|{FLUCTUATION}"
# What is dear without shares: its price is not that of the company whose ticker it is.
COMMODITIES = frozenset("gold silver copper platinum palladium oil gas corn wheat coffee".split())
RATIO = r"how many times|ratio between|times (?:larger|bigger|higher|greater|more|as)"
PERCENT = r"percent(?:age)?s?|rate of (?:change|return)|pct|%"
CHANGE = (
    r"chang(?:e|ed|es|ing)|gain(?:ed|s)?|los(?:e|t|s|es)|increas(?:e|ed|es)|decreas(?:e|ed|es)"
    r"|r(?:i|o)se|risen|fall|fell|fallen|drop(?:ped|s)?|gr(?:o|e)w(?:n|th)?|declin(?:e|ed|es)"
    r"|mov(?:e|ed|ement)|return(?:ed|s)?|perform(?:ed|s|ance)?|appreciat\w*|depreciat\w*|jump\w*"
    r"|climb\w*|plung\w*|surg\w*|went (?:up|down)|go(?:ne)? (?:up|down)|swing"
)
# The days of a period: which, or how many.
WHICH_DAYS = (
    r"(?:which|what|any|the|all) (?:\w+ ){0,2}?(?:days?|dates?|sessions?)|when|days? when"
    r"|dates? when|(?:list|name)\b.*\b(?:days?|dates?)|dates|days"
)
HOW_MANY = r"how many|number of|count|how often|many times|frequency"
OF_DAY = (  # one price of a day against another of that day, or of the day before
    (r"clos\w* (?:\w+ ){0,6}?(?:higher|up|above|in the green|gains?|greater|more)", "close", "open"),
    (r"(?:higher|greater|upper) (?:\w+ ){0,2}?(?:clos\w+|end\w*|finish\w*)", "close", "open"),
    (r"(?:end|finish)\w* (?:\w+ ){0,3}?(?:higher|up|above|in the green)", "close", "open"),
    (r"clos\w* (?:\w+ ){0,6}?(?:lower|down|below|in the red|loss\w*|less)", "open", "close"),
    (r"(?:lower|smaller|lesser) (?:\w+ ){0,2}?(?:clos\w+|end\w*|finish\w*)", "open", "close"),
    (r"(?:end|finish)\w* (?:\w+ ){0,3}?(?:lower|down|below|in the red)", "open", "close"),
    (r"open\w* (?:\w+ ){0,6}?(?:higher|above) than (?:\w+ ){0,4}?clos\w*", "open", "close"),
    (r"open\w* (?:\w+ ){0,6}?(?:lower|below) than (?:\w+ ){0,4}?clos\w*", "close", "open"),
)  # fmt: skip
FIRST_ONE = r"since (?:when|what)|first|earliest|initial(?:ly)?|oldest|inaugural|start(?:ed)?|begin|began|1st|original(?:ly)?"
LAST_ONE = r"last|latest|most recent(?:ly)?|recent(?:ly)?|newest|final|current(?:ly)?|previous"
AT_WHAT_TIME = (
    r"when|what (?:\w+ ){0,3}?(?:dates?|days?|time|year)|which (?:\w+ )?(?:dates?|days?)|dates?"
)
NOW = r"now|currently|current|today|latest|recent|present(?:ly)?|moment|right now|most recent"


# What shows that a question is about shares at all.
ABOUT_SHARES = (
    r"stocks?|shares?|shareholders?|stockholders?|investors?|tickers?|trad(?:e|es|ed|ing|ers?)"
    r"|markets?|dividends?|prices?|eps|p e|pe|earnings|volumes?|nasdaq|nyse|capitali[sz]ation|cap"
    r"|open(?:ed|ing|s)? at|clos(?:e|ed|ing) at|open|opened|close|closed|closing|opening|worth"
    r"|valuation|revenues?|margins?|ceo|cfo|employees?|sector|industry|headquarter(?:s|ed)?|ebitda"
    r"|(?:daily|weekly|intra ?day|day) (?:highs?|lows?)|payouts?|company|companies|corporation|valued|distributions?"
)
# The words by which questions about shares are asked: none of them is taken for a name at first.
CUES = frozenset(
    """
    able about above achieve achieved allocate allocated allocating approximately precisely
    attain attained award awarded basically boast carry command commence commenced commencing
    declare declared declares declaring deliver delivered disbursement disbursements display enlighten
    equal equals exhibit experience experienced fetch formally generate generated hand handed
    handing hands historically hover initiate initiated initiates initiating introduce introduced
    log logged maintain maintained notch officially post posted remind represent represents see
    sit sits sitting swap touch touched undergo assist fill among amongst between two three four saw seen sees according accordingly accurate activity actively actual adj adjusted again
    aggregate aggregated all altogether amount amounts another annual annually any april around ask
    at available average averaged avg back based began begin beginning bell below beneath best better
    big bigger biggest both bottom bought business businesses busier busiest buy buying can cap
    capitalisation capitalization capitalizations ceiling cents change changed changes cheaper
    cheapest check climb climbed close closed closer closes closing collectively combined companies
    company compare compared comparing comparison corporation cost costing costs could count couple
    cumulative cumulatively curious current currently daily data date dates day days decline
    declined decrease decreased details determine did difference differences differ different
    disburse disbursed disburses distribute distributed distributes distributing distribution
    distributions dividend dividends does dollar dollars drop dropped during each earliest earlier
    earn earned earning earnings either end ended ending ends entire eps equities equity ever every
    evening ex exceed exceeded exceeds exact exchange exchanged expensive fall fallen far fell fewer
    fewest figure figures final financial find finish finished finishes finishing firm firms first
    net active fluctuate fluctuated floor following for forward frequency frequent frequently full gain gained gains gap
    gave get getting give given gives giving go goes going good great greater greatest grew grow
    grown growth had half happen has have heavier heavily held hello help here hi high higher highest
    highs hit hold holder holders how identify if inception in income increase increased increases
    info inform information initial initially interested intraday intra investor investors is issue
    issued issues issuance issuing it its itself kick kicked know largest larger large last latest
    learn least less lesser let level levels liquid liquidity list listed listing long longer look
    looking lose loss lost low lower lowest lows made make many margin market markets max maximum
    mean min minimum minimal moment money month monthly months more morning most moved
    movement much multiple multiples name names nasdaq newest now number numbers nyse obtain obtained
    offer offered often on one ones only open opened opening openings opens original originally other
    out outstanding over overall own owner owners owners' paid pay payed paying payment payments payout payouts
    pays p pe peak peaked per percent percentage perform performance performed period periods
    please point points possible present presently previous previously price priced prices pricey
    pricier priciest pricing prior profit profitable profits provide public publicly purchase
    purchased purchases purchasing quarter quarterly question quick quickly quote quoted quotes
    range rate ratio ratios reach reached reaches read reading receive received recent recently
    record recorded records regarding regular release report reported reporting respective
    respectively result return returned returns rise risen rose roughly rounded safe same say
    scheduled search second see sell selling send session sessions settle settled settlement share
    shared shareholder shareholders shares sharing show showing similar since single size sizes small
    smaller smallest sold some soon sooner specific spread stand standing stands start started
    starting starts state stated stats status still stock stockholder stockholders stocks stood
    strongest stronger sum summed surpass surpassed swing symbol symbols take tell terms than thank
    thanks that the then there these this those tick ticker tickers time times tiny to today
    together top topped topping total totaled totaling totalled totals trade traded trader traders
    trades trading transacted transaction transactions trough typical typically ultimate under unit
    up update updated upon us usd use used uses using valuable valuation valuations value valued
    values versus via volume volumes vs want was week weekly weeks well went were what whats when
    where whether which while whole wish with within wondering worse worst worth would year yearly
    years yesterday yield you sir hey mind happening currently' hours hour bought exchange inquire
    curious let's lets know'd trying figuring determining accumulated disparity per-share weaker
    weakest beat beats surge surged jump jumped plunge plunged appreciate appreciated depreciated
    tops leads outperform outperformed outperforms richer inferior superior occur occurred occurs s
    occasion occasions instances instance happened cash e
    """.split()
) - {"in'", "april", "tiny"}
LEGAL = frozenset(
    "ltd limited llc inc incorporated corp corporation co plc nv sa ag se holding holdings group"
    " common ordinary s".split()
)
# Words that change what is asked, where nothing above has taken them.
RISKY = frozenset(
    """
    eve christmas valentine thanksgiving easter holiday holidays weekend weekends halloween noon
    midnight median five six seven eight nine eleven twelve dozen
    not no never none neither without except excluding before after until till ago unless
    predict prediction forecast expected expect projected projection estimate estimates target next
    tomorrow future upcoming consecutive streak third fourth fifth sixth seventh eighth ninth tenth
    split splits ipo ipo'd ipos debut debuted etf etfs index indices fund funds bond bonds option
    options futures crypto cryptocurrency bitcoin ethereum dogecoin commodity commodities ounce
    barrel gallon gdp inflation interest mortgage bankruptcy bankrupt merger merge acquired
    acquisition founder founded invented competitor competitors rival product products rank ranked
    ranks ranking premarket aftermarket overnight weight weighting constituents dow russell movie
    film song album band actor director game team player president
    """.split()
)
