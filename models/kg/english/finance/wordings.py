"""The words of phrases of time, as patterns, and their other spellings."""

import re
from collections.abc import Callable

COUNTS = {
    name: number
    for number, names in enumerate(
        "zero;a an one;two couple;three;four;five;six;seven;eight;nine;ten;eleven;twelve".split(";")
    )
    for name in names.split()
}
ORDINALS = "first second third fourth".split()
WEEKDAY = "monday|tuesday|wednesday|thursday|friday"
_SHORT_DAYS = {
    short: day
    for day, shorts in (
        ("monday", "mon"),
        ("tuesday", "tue tues"),
        ("wednesday", "wed weds"),
        ("thursday", "thu thur thurs"),
        ("friday", "fri"),
    )
    for short in shorts.split()
}
_SHORT_DAY = "|".join(_SHORT_DAYS)
MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(COUNTS)})(?: of)?"
TRADING = r"(?:trading|business|market|working)"
UNIT = r"(?P<unit>day|session|week|month|year)s?"
BEFORE = r"(?:last|previous|past|prior|preceding)"
LATEST = rf"(?:{BEFORE}|latest|(?:most )?recent|final)"
OF = r"(?: (?:of|in|from|during|for|the|this|that))*"
_PERIOD = "week|month|quarter|half|year"
# A month that is also another word is one only where something says so.
DOUBTFUL = frozenset(("may", "mar", "march", "sat", "sun"))
# A phrase of time has one of these at the least.
HINTS = re.compile(
    rf"\d|\b(?:{WEEKDAY}|{_SHORT_DAY}|{MONTH}|saturday|sunday|today|now|yesterday|tomorrow|ago"
    r"|date|[ymqw]td|q[1-4]|days?|sessions?|weeks?|months?|quarters?|years?|morning|afternoon"
    r"|weekend|fortnight)\b"
)
# Other spellings of words, in order. A short day's name alone may be a ticker.
_SPELLINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b(\w+)\.(?!\d)", r"\1"),
        (r"\b(\d{4})/(\d\d?)/(\d\d?)\b", r"\1-\2-\3"),
        (r"\b(?:qtr|quater)\b", "quarter"),
        (r"\bfortnight\b", "2 weeks"),
        (r"^(?:for|over|during|in|throughout|within) the (?=(?:week|month|year)$)", "this "),
        (rf"^((?:on|the|this|last|previous|past|most|recent|latest) (?:.* )?)({_SHORT_DAY})\b",
         lambda match: match[1] + _SHORT_DAYS[match[2]]),
        (rf"^({_SHORT_DAY})\b(?= (?:of|in|from|last|this|past|\w+ \d))",
         lambda match: _SHORT_DAYS[match[1]]),
        (r"^(?:(?:as of|on|in|during|for|over|within|throughout|at|of|from) )+", ""),
        (r"^(?:this past|the|our) ", ""),
        (rf"\b(?:{TRADING}|calendar|full|entire|whole) (?=week|month|quarter|year)", ""),
        (rf"\b(?:opening|initial|starting|1st) (?=(?:{_PERIOD})\b)", "first "),
        (rf"\b(?:closing|final|concluding|ending) (?=(?:{_PERIOD})\b)", "last "),
        (r"\b2nd (?=week|half)", "second "),
        (r"\b3rd (?=week)", "third "),
        (r"\b4th (?=week)", "fourth "),
        (r"\bquarter (?:number |no )?([1-4])\b", r"q\1"),
    )
)  # fmt: skip


def spelled_out(text: str) -> str:
    """A phrase of time with its words spelled as the patterns of phrases have them."""
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return text
