"""The words of questions about shares: what shows that one is, and what changes nothing in it."""

from models.kg.linking.question import any_of

# What is dear without shares: its price is not that of the company whose ticker it is.
COMMODITIES = frozenset("gold silver copper platinum palladium oil gas corn wheat coffee".split())
# What shows that a question is about shares at all.
ABOUT_SHARES = any_of(
    r"""
    quotes?|pricier|cheaper|outperform\w*|underperform\w*|(?:larger|bigger|smaller)
    going for|buy(?:ing)? up|symbols?
    stocks?|shares?|shareholders?|stockholders?|investors?|tickers?|trad(?:e|es|ed|ing|ers?)
    markets?|dividends?|ex div|prices?|eps|p e|pe|earnings|volumes?|nasdaq|nyse|capitali[sz]ation
    cap|open|opened|opening|opens|close|closed|closing|closes|worth|valuation|valued|payouts?
    chief \w+|chair(?:man|woman|person)
    revenues?|margins?|ceo|cfo|employees?|sector|industry|headquarter(?:s|ed)?|ebitda
    (?:daily|weekly|intra ?day|day|week) (?:highs?|lows?)|distributions?
    company|companies|corporation|profits? per|net income|profitab\w+|who runs
    (?:web|home) ?(?:site|page)|people (?:work|does)|work (?:for|at)|where .*based
    """
)
# None of these words is taken for a name at first.
CUES = frozenset(
    """
    able about above according accordingly accumulated accurate achieve achieved active actively
    activity actual actually adj adjusted advance advanced advances affordable affordably again
    aggregate aggregated all allocate allocated allocating allotted altogether among amongst
    amount amounts annual annually another any anyone appealing appreciate appreciated
    approximately around ask asset assets assist at attain attained attractive attractively
    available average averaged avg award awarded back ballpark bargain based basically beat
    beats began begin beginning bell belong belongs below beneath best better between bid big
    bigger biggest boast both bottom bought bounce bounced busier busiest business businesses
    buy buying can cap capitalisation capitalization capitalizations carry cash ceiling cents
    change changed changes cheaper cheapest check climb climbed climbs clock clocked close
    closed closer closes closing collectively combined command commanding commands commence
    commenced commencing companies company compare compared comparing comparison corporation
    cost costing costly costs cough could count couple crash crashed crest cumulative
    cumulatively curious current currently daily data date dates day days dearer declare
    declared declares declaring decline declined decrease decreased deliver delivered
    depreciated desirable details determine determining did differ difference differences
    different dip dipped dips disburse disbursed disbursement disbursements disburses disparity
    display distribute distributed distributes distributing distribution distributions divided
    dividend dividends does dollar dollars drop dropped dropping during e each earlier earliest
    earn earned earning earnings edge edged either employees end ended ending ends enlighten
    entire eps equal equals equities equity etf etfs evening eventually ever every ex exact
    exactly exceed exceeded exceeds exchange exchanged exhibit expensive experience experienced
    fall fallen falling far favorable favorably favourable fell fetch fetched fetching fewer
    fewest figure figures figuring fill final financial find finish finished finishes finishing
    firm firms first float floor fluctuate fluctuated following for fork formally forward four
    frequency frequent frequently full fund funds gain gained gaining gains gap gave generate
    generated generates generating get getting give given gives giving go goes going good great
    greater greatest green grew grow grown growth had half hand handed handing hands happen
    happened happening has have headquartered headquarters heavier heavily heftier held hello
    help here hey hi high higher highest highs historically hit hold holder holders hour hours
    hover hovered how identify if in inaugural inception income increase increased increases
    inferior info inform information initial initially initiate initiated initiates initiating
    inquire instance instances instrument instruments interested intra intraday introduce
    introduced investment investments investor investors is issuance issue issued issues issuing
    it its itself jump jumped kick kicked kind know know'd large larger largest last latest
    leads learn least legal less lesser let let's lets level levels liquid liquidity list listed
    listing live located loftier log logged long longer look looking lose losing loss lost lot
    low lower lowest lows made maiden maintain maintained make many margin market markets max
    maximum me mean min mind mine minimal minimum moment money month monthly months more morning
    most moved movement much multiple multiples my name names nasdaq negative net newest notch
    notched now number numbers nyse obtain obtained occasion occasions occur occurred occurs
    offer offered officially often on one ones only open opened opening openings opens operate
    operates operating original originally other out outperform outperformed outperforms
    outstanding over overall overpriced overvalued own owner owners p paid pay payed paying
    payment payments payout payouts pays pe peak peaked people per per-share percent percentage
    perform performance performed period periods please plummet plummeted plunge plunged point
    points portion positive possible post posted precisely present presently previous previously
    price priced prices pricey pricier priciest pricing print prints prior profit profitability
    profitable profits provide public publicly pull pulled purchase purchased purchases
    purchasing quarter quarterly question quick quickly quote quoted quotes rallied rally rang
    range rate ratio ratios reach reached reaches read reading reasonable reasonably receive
    received recent recently record recorded records red regarding regular relation relative
    release remind report reported reporting represent represents respect respective
    respectively result retail retailing return returned returns richer ring rings rise risen
    rising rose roughly rounded run runs s safe same sank saw say scale scaled scheduled search
    second securities security see seen sees sell selling send session sessions set settle
    settled settlement settles share shared shareholder shareholders shares sharing shell show
    showing shut similar since single sink sinks sir sit sits sitting size sizes slid slide slip
    slipped slump slumped small smaller smallest soar soared sold some someone soon sooner sort
    specific spike spiked sport sporting sports spread stand standing stands start started
    starting starts state stated stats status steeper still stock stockholder stockholders
    stocks stood stronger strongest sum summed sunk superior surge surged surpass surpassed swap
    swing symbol symbols take tank tanked tell terms territory than thank thanks that the then
    there these this those three tick ticker tickers time times to today together top topped
    topping tops tot total totaled totaling totalled totals touch touched trade traded trader
    traders trades trading transacted transaction transactions trough trying tumble tumbled two
    type typical typically ultimate ultimately under undergo underperform underperformed
    underpriced undervalued unit up update updated upon us usd use used uses using valuable
    valuation valuations value valued values valuing vary versus via volume volumes vs want was
    weaker weakest website week weekly weeks well went were what whats when where whether which
    while whole whose wind winds winner winning wise wish with within wondering work works worse
    worst worth would wound wrap wrapped wrapping wraps year yearly years yesterday yield you
    """.split()
)
LEGAL = frozenset(
    "ltd limited llc inc incorporated corp corporation co plc nv sa ag se holding holdings group"
    " common ordinary s".split()
)
# Words that change what is asked, where nothing above has taken them.
RISKY = frozenset(
    """
    eve christmas valentine thanksgiving easter holiday holidays weekend weekends halloween noon
    midnight median five six seven eight nine eleven twelve dozen not no never none neither
    without except excluding before after until till ago unless predict prediction forecast
    expected expect projected projection estimate estimates target next tomorrow future upcoming
    consecutive streak third fourth fifth sixth seventh eighth ninth tenth split splits ipo
    ipo'd ipos debut debuted index indices bond bonds option options futures crypto
    cryptocurrency bitcoin ethereum dogecoin commodity commodities ounce barrel gallon gdp
    inflation interest mortgage bankruptcy bankrupt merger merge acquired acquisition founder
    founded invented competitor competitors rival product products rank ranked ranks ranking
    premarket aftermarket overnight weight weighting constituents dow russell movie film song
    album band actor director game team player president premium prior preceding anniversary
    lockdown ytd mtd qtd wtd
    """.split()
)
_WEEKDAYS = r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
_MONTHS = any_of(
    r"""
    january|february|april|june|july|august|september|october|november|december
    jan|feb|apr|aug|sept?|oct|nov|dec
    """
)
# Times that no phrase has taken: what was asked is then not what is left.
UNREAD_TIME = any_of(
    rf"""
    (?<!52 )(?<!fifty two )weeks?|fortnights?|months?|quarters?|qtrs?|years?|decades?
    on (?:{_WEEKDAYS})|(?:last|this|past|previous) (?:{_WEEKDAYS})|{_MONTHS}|saturday|sunday
    the other day|(?:few|several|some) (?:\w+ )?(?:days?|sessions?)|to date|recent days
    (?:before|prior to|preceding) •|• (?:before|prior|earlier)
    """
)
