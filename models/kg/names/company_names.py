"""Names of companies: their core, their legal form and the kind of their shares."""

import re
from collections.abc import Sequence

from models.english.likeness import likeness
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
# The first words of kinds of share, the most usual first; "" is a name without a kind.
_USUAL_KINDS = ("common", "class", "ordinary", "", "american", "capital", "ads", "adr", "sponsored")
_UNUSUAL_WORDS = ("preferred", "warrant")
MAX_TICKER = 6  # letters
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
    name = text
    kind = ""
    first_word, space, _ = text.partition(" ")
    if space:  # the first word is never a kind
        kind_match = _KIND.search(text, len(first_word) + 1)
        if kind_match:
            name = text[: kind_match.start()]
            kind = kind_match.group()
    name_words = _SPELLED_FORM.sub("", name.strip()).split()
    while len(name_words) > 1 and name_words[-1] in FORMS:
        name_words.pop()
    return " ".join(name_words), kind


def core_name(company: str) -> str:
    """The folded name of a company without its legal form and kind of share."""
    name, _ = split_name(company)
    return name


def rank_of_share(company: str) -> int:
    """0 for common stock, more for other kinds, most for warrants, units and similar."""
    _, kind = split_name(company)
    first_word = kind.split(" ")[0]
    is_unusual = any(word in kind for word in _UNUSUAL_WORDS)
    if is_unusual or first_word not in _USUAL_KINDS:
        return len(_USUAL_KINDS)
    return _USUAL_KINDS.index(first_word)


def best_listing(name: str, listings: Sequence[str]) -> str:
    """The one of a company's shares that `name` means: of the kind that it states, else common
    stock."""
    _, kind = split_name(name)
    kind = kind.removesuffix("s")  # "warrants"
    stated: list[str] = []
    if kind:
        stated = [listing for listing in listings if split_name(listing)[1].startswith(kind)]
    return min(
        stated or listings,
        key=lambda listing: (rank_of_share(listing), -likeness(name, listing)),
    )
