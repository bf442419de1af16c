"""Companies in a question, by their names, brands and kinds of share."""

from collections.abc import Sequence
from typing import Any

import pytest

from mock_api.search import normalize
from models.kg.fetch.finance import best_listing
from models.kg.linking.companies import find_companies
from models.kg.linking.names import NameFinder
from models.kg.linking.question import Asked
from utils.crag_api import Call
from utils.deadline import Deadline

LISTINGS = (
    "Rainforest.com Inc. Common Stock",
    "Alphabet Inc. Class A Common Stock",
    "Elm Acquisition Corp. I Warrant",
    "Elm Acquisition Corp. I Class A Ordinary Share",
)
CUES = frozenset("close price stock share yesterday".split())


class Listed:
    """Finds the listings that share a word with a query, without punctuation as the KG's search:
    "Rainforest.com" is one word."""

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any]:
        return [self._reply(call.endpoint, str(call.params["query"])) for call in calls]

    def _reply(self, endpoint: str, query: str) -> list[str] | None:
        asked = set(normalize(query).split())
        found = [name for name in LISTINGS if asked & set(normalize(name).split())]
        return found if endpoint == "/finance/get_company_name" else None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what did rainforest close at yesterday?", LISTINGS[0]),
        ("what did google close at yesterday?", LISTINGS[1]),
        ("elm acquisition corp. i's stock price yesterday", LISTINGS[3]),
        ("what did elm acquisition corp. i warrants close at?", LISTINGS[2]),
        ("what did pepper close at yesterday?", None),
    ],
)
def test_a_company_is_found(text: str, name: str | None) -> None:
    names = NameFinder(Listed(), Deadline(10.0, lambda: 0.0))
    found = find_companies(Asked.of(text), names, CUES, frozenset())
    assert [company.name for company in found] == ([name] if name else [])


def test_common_stock_is_meant_unless_a_kind_is_named() -> None:
    unit, shares = "Elm Corp. Unit", "Elm Corp. Common Stock"
    assert best_listing("elm stock", [unit, shares]) == shares
    assert best_listing("elm units", [shares, unit]) == unit
