"""Companies in a question, by their names, brands and kinds of share."""

import pytest

from mock_api.search import normalize
from models.kg.english.companies import find_companies
from models.kg.english.company_names import best_listing
from models.kg.english.names import NameFinder
from models.kg.english.question import QuestionText
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


def test_common_stock_is_meant_unless_a_kind_is_named() -> None:
    unit = "Elm Corp. Unit"
    shares = "Elm Corp. Common Stock"
    assert best_listing("elm stock", [unit, shares]) == shares
    assert best_listing("elm units", [shares, unit]) == unit
