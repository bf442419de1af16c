"""Names of companies: their core, their legal form and the kind of their shares."""

import re
from collections.abc import Sequence

from models.kg.english.likeness import likeness
from utils.text import words

# Legal forms, and other words, that may be missing where a company is named.
FORMS = frozenset(
    "ab ag and co com company corp corporation cv inc incorporated limited llc lp ltd nv plc publ"
    " sa se spa the trust holding holdings group".split()
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
MAX_TICKER = 6
# A ticker exists if one of these knows it.
BY_TICKER = (
    "/finance/get_market_capitalization",
    "/finance/get_price_history",
    "/finance/get_dividends_history",
    "/finance/get_info",
)


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


def best_listing(name: str, listings: Sequence[str]) -> str:
    """The one of a company's shares that `name` means: of the kind that it states, else common
    stock."""
    kind = split_name(name)[1].removesuffix("s")  # "warrants"
    stated = [hit for hit in listings if kind and split_name(hit)[1].startswith(kind)]
    return min(stated or listings, key=lambda hit: (rank_of_share(hit), -likeness(name, hit)))
