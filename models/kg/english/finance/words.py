"""How English compares, reduces and orders what is asked about shares, as data.

In the patterns `§` stands for a company and `•` for a time.
"""

from models.kg.linking.question import any_of

_GAP = r"(?:[\w§•]+ )"
_BUY = (
    r"(?:buy|bought|purchased?|get|got|gotten|afford(?:ed)?|own(?:ed)?|acquired?|obtain(?:ed)?"
    r"|pick(?:ed)? up|received?)"
)
AFFORD = any_of(
    rf"""
    {_BUY} {_GAP}{{0,3}}?(?:shares?|stocks?)|{_BUY} {_GAP}{{0,2}}?(?:more|most|fewer|less) of
    (?:more|most|fewer|fewest|less|many) {_GAP}{{0,3}}?shares? {_GAP}{{0,6}}?{_BUY}
    (?:more|most|fewer|fewest|less|many) {_GAP}{{0,3}}?shares? {_GAP}{{0,4}}?(?:for|with)
    """
)
MONEY = r"money|budget|dollars?|sum|cash|invest(?:ed|ing)?|bucks"
COST = r"cost|pay|price|spend|worth|value|much"

# Of which of two, or of which value of several, a question asks.
MORE = (
    "higher highest more most greater greatest larger largest bigger biggest better best maximum"
    " max pricier priciest dearer dearest loftier loftiest steeper heftier expensive above exceed"
    " exceeds exceeded outperform outperformed"
    " outperforms richer heavier leads over topped surpassed surpass surpasses beat beats upper"
    " superior peak longer top strongest stronger richest"
).split()
LESS = (
    "lower lowest less least smaller smallest fewer fewest cheaper cheapest worse worst minimum"
    " min below under inexpensive lesser lighter weaker weakest bottom beneath trails inferior"
    " slightest underperform underperformed underperforms"
).split()
# What has more of these costs less. Of a multiple of earnings, what is better does so, too.
CHEAP = r"affordabl[ey]|economical(?:ly)?|accessible|budget friendly"
CHEAP_MULTIPLE = any_of(
    rf"""
    {CHEAP}|attractive(?:ly)?|favou?rabl[ey]|appealing(?:ly)?|undervalued|underpriced|better|best
    bargain|desirable|enticing|inviting|good value|superior|reasonabl[ey]
    """
)
REVERSED = r"less|least|worse|worst|not as"
COMPARED = (
    r"higher|lower|more|less|larger|smaller|bigger|fewer|greater|above|below|over|under|exceed\w*"
    r"|than"
)
EARLIER, LATER = ("earlier", "earliest", "first", "sooner"), ("later", "latest", "recently")
AVERAGE = r"averages?|averaged|mean|on average|avg|typical(?:ly)?"
TOTAL = (
    r"totals?|totall?ed|totall?ing|sum|summed|cumulative(?:ly)?|combined|altogether|in all"
    r"|aggregate[ds]?|in sum|overall|collectively|accumulated|together|added up|add up"
)
GREATEST = r"max(?:imum|imal)?|highest|highs?|peak(?:ed)?|most|greatest|largest|biggest|best|top"
SMALLEST = r"min(?:imum|imal)?|lowest|lows?|bottom(?:ed)?|least|smallest|cheapest|worst|fewest"
_COMPARATIVE = r"(?:higher|lower|more|less|larger|bigger|greater|smaller|cheaper|fewer)"
DIFFERENCE = (
    rf"difference|gap|differs?|(?:by )?how much (?:\w+ ){{0,2}}?{_COMPARATIVE}"
    r"|margin between|spread between|by how much|how many more|how many fewer|disparity"
)
FLUCTUATION = r"fluctuat\w+|volatil\w+|swings?|swung|var(?:y|ied|iation)"
RANGE = rf"(?:price |trading |daily |intra ?day )*ranges?|{FLUCTUATION}"
RATIO = r"how many times|ratio between|times (?:larger|bigger|higher|greater|more|as)"
PERCENT = r"percent(?:age)?s?|rate of (?:change|return)|pct|%"
ROSE = any_of(
    r"""
    gain(?:ed|s)?|increas(?:e|ed|es)|r(?:i|o)se|risen|rising|gr(?:o|e)w|climb\w*|surg\w*|jump\w*
    appreciat\w*|advanc(?:e|ed)|rall(?:y|ied)|(?:go|went|gone|move[ds]?|trad(?:e|ed)) up
    in the green|in positive territory
    """
)
FELL = any_of(
    r"""
    los(?:e|t|s|es)|decreas(?:e|ed|es)|fall|fell|fallen|drop(?:ped|s)?|declin(?:e|ed|es)|plung\w*
    depreciat\w*|slid(?:e|es)?|slump\w*|tumbl\w*|(?:go|went|gone|move[ds]?|trad(?:e|ed)) down
    in the red|in negative territory
    """
)
CHANGE = (
    rf"{ROSE}|{FELL}|chang(?:e|ed|es|ing)|growth|mov(?:e|ed|ement)|return(?:ed|s)?"
    r"|perform(?:ed|s|ance)?|swing|fare[ds]?|(?:out|under)perform\w*"
)
# The days of a period: which, or how many.
WHICH_DAYS = (
    r"(?:which|what|any|the|all) (?:\w+ ){0,2}?(?:days?|dates?|sessions?)|when|days? when"
    r"|dates? when|(?:list|name)\b.*\b(?:days?|dates?)|dates|days"
)
HOW_MANY = (
    r"how many|number of|count|how often|many times|frequency|how (?:frequent|regular)(?:ly)?"
)
A_YEAR = r"(?:per|a|each|every|any|one) (?:\w+ )?year|annually|yearly"
_UP = r"(?:higher|up|above|in the green|gains?|greater|more|positive)"
_DOWN = r"(?:lower|down|below|in the red|loss\w*|less|negative)"
_ENDS = r"(?:clos|end|finish|settl)\w*"
_SESSIONS = r"(?:days?|sessions?|closes?)"
UP_DAYS = rf"(?:up|positive|green|winning|gaining|down|negative|red|losing) {_SESSIONS}"
# One price of a day against another of that day, or of the day before. In order: the first counts.
OF_DAY = (
    (rf"open\w* {_GAP}{{0,5}}?{_UP}(?! than| {_ENDS})", "open", "close"),
    (rf"open\w* {_GAP}{{0,5}}?{_DOWN}(?! than| {_ENDS})", "close", "open"),
    (rf"{_ENDS} {_GAP}{{0,6}}?{_UP}", "close", "open"),
    (rf"(?:higher|greater|upper) (?:\w+ ){{0,2}}?{_ENDS}", "close", "open"),
    (rf"{_ENDS} {_GAP}{{0,6}}?{_DOWN}", "open", "close"),
    (rf"(?:lower|smaller|lesser) (?:\w+ ){{0,2}}?{_ENDS}", "open", "close"),
    (rf"open\w* {_GAP}{{0,6}}?(?:higher|above) than {_GAP}{{0,4}}?clos\w*", "open", "close"),
    (rf"open\w* {_GAP}{{0,6}}?(?:lower|below) than {_GAP}{{0,4}}?clos\w*", "close", "open"),
    (rf"(?:up|positive|green|winning|gaining) {_SESSIONS}", "close", "open"),
    (rf"(?:down|negative|red|losing) {_SESSIONS}", "open", "close"),
    (rf"(?:{_SESSIONS}|times) {_GAP}{{0,6}}?(?:{ROSE})", "close", "open"),
    (rf"(?:{_SESSIONS}|times) {_GAP}{{0,6}}?(?:{FELL})", "open", "close"),
)
FIRST_ONE = (
    r"since (?:when|what)|first|earliest|initial(?:ly)?|oldest|inaugural|maiden|debut"
    r"|start(?:ed)?|begin|began"
    r"|begun|commence[ds]?|initiate[ds]?|1st|original(?:ly)?"
)
LAST_ONE = r"last|latest|most recent(?:ly)?|recent(?:ly)?|newest|final|current(?:ly)?|previous"
AT_WHAT_TIME = (
    r"when|what (?:\w+ ){0,3}?(?:dates?|days?|time|year)|which (?:\w+ )?(?:dates?|days?|year)"
    r"|dates?"
)
# Two events in one question: a price on the day of a dividend.
_PAID = r"(?:paid|pa(?:y|ys|yed)|distribut\w+|issued?|gave|hand(?:ed|s)|declared|disbursed|went ex)"
_ON_THE = r"(?:on|at|of|for|during) (?:the|its|their|§)"
DIVIDEND_DAY = any_of(
    rf"""
    {_ON_THE} (?:\w+ ){{0,2}}?(?:day|date|time) {_GAP}{{0,4}}?{_PAID}.*
    when {_GAP}{{0,3}}?(?:last |first |most recently )?{_PAID}.*
    {_ON_THE} {_GAP}{{0,3}}?(?:ex dividend|dividend|payout)s? (?:\w+ )?(?:day|date).*
    (?:day|date) of {_GAP}{{0,4}}?(?:dividend|payout|distribution)s?.*
    """
)
