"""Companies in a question, by their names, brands and kinds of share."""

import pytest

from mock_api.search import normalize
from models.english.question import QuestionText
from models.kg.names.companies import find_companies
from models.kg.names.company_names import best_listing
from models.kg.names.finder import NameFinder
from tests.models.kg.cases import SOON, Answering
from utils.crag_api import ApiCall

LISTINGS = (
    "Rainforest.com Inc. Common Stock",
    "Alphabet Inc. Class A Common Stock",
    "Elm Acquisition Corp. I Warrant",
    "Elm Acquisition Corp. I Class A Ordinary Share",
    "Oak BDC Inc. Common Stock",
    "Oak Group Inc. (The) Common Stock",
)
CUES = frozenset("close price stock share yesterday".split())


def listings_for(call: ApiCall) -> list[str] | None:
    """The listings that share a word with a query, without punctuation as the KG's search:
    "Rainforest.com" is one word."""
    if call.endpoint != "/finance/get_company_name":
        return None
    query_words = set(normalize(str(call.params["query"])).split())
    return [name for name in LISTINGS if query_words & set(normalize(name).split())]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what did rainforest close at yesterday?", LISTINGS[0]),
        ("what did google close at yesterday?", LISTINGS[1]),
        ("elm acquisition corp. i's stock price yesterday", LISTINGS[3]),
        ("what did elm acquisition corp. i warrants close at?", LISTINGS[2]),
        ("oak's close yesterday", LISTINGS[5]),  # a group before its subsidiaries
        ("what did pepper close at yesterday?", None),
    ],
)
def test_a_company_is_found(text: str, name: str | None) -> None:
    names = NameFinder(Answering(listings_for), SOON)
    companies = find_companies(QuestionText.of(text), names, CUES, frozenset(), lambda _: False)
    assert [company.name for company in companies] == ([name] if name else [])


WORDS = frozenset("all now it a key cost good shares much".split())


def with_tickers(call: ApiCall) -> object:
    """A KG of the tickers ALL, NOW, KEY, COST, ACW and GOOD."""
    if call.endpoint == "/finance/get_market_capitalization":
        return 1.0 if call.params["query"] in "ALL NOW KEY COST ACW GOOD".split() else None
    return None


@pytest.mark.parametrize(
    ("text", "tickers"),
    [
        ("what is the key difference between the prices?", []),
        ("how much did one share cost yesterday?", []),
        ("what is the price now?", []),
        ("what is a good price?", []),
        ("what is the cost of a share yesterday?", []),
        ("are the good stocks cheap?", []),
        ("WHAT IS THE KEY PRICE NOW?", []),
        ("what did KEY close at yesterday?", ["KEY"]),
        ("what did $cost close at yesterday?", ["COST"]),
        ("what did the ticker now close at?", ["NOW"]),
        ("what was the highest stock price of key?", ["KEY"]),
        ("what were shares of key at yesterday?", ["KEY"]),
        ("what was key's stock price yesterday?", ["KEY"]),
        ("when was the last dividend of good?", ["GOOD"]),
        ("which has the higher price, acw or good?", ["ACW", "GOOD"]),
        ("what did acw close at yesterday?", ["ACW"]),
    ],
)
def test_a_word_is_a_ticker_only_where_it_is_written_as_one(text: str, tickers: list[str]) -> None:
    names = NameFinder(Answering(with_tickers), SOON)
    is_english = WORDS.__contains__
    companies = find_companies(QuestionText.of(text), names, CUES, frozenset(), is_english)
    assert [company.name for company in companies] == tickers


def test_common_stock_is_meant_unless_a_kind_is_named() -> None:
    unit = "Elm Corp. Unit"
    shares = "Elm Corp. Common Stock"
    assert best_listing("elm stock", [unit, shares]) == shares
    assert best_listing("elm units", [shares, unit]) == unit
