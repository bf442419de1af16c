"""Names of the KG that stand in a question."""

from collections.abc import Sequence
from typing import Any

import pytest

from models.kg.linking.names import MOVIES, NameFinder
from models.kg.linking.question import Asked
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, ApiUnavailable
from utils.text import words

SOON = Deadline(10.0, lambda: 0.0)
TITLES = ("The Glass Harbour", "Glass", "In the Dark", "Salt", "Salt and Sugar", "Released")
CUES = frozenset("released film original title".split())


class Searching:
    """Finds the titles that share a word with a query, as the API does."""

    def __init__(self, titles: Sequence[str] = TITLES) -> None:
        self.titles = titles
        self.queries: list[str] = []

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        return [self._found(str(call.params["query"])) for call in calls]

    def _found(self, query: str) -> list[dict[str, str]]:
        self.queries.append(query)
        asked = set(words(query))
        return [{"title": title} for title in self.titles if asked & set(words(title))]


def standing(text: str, client: Any = None) -> list[str]:
    names = NameFinder(client or Searching(), SOON)
    return [found.name for found in names.standing(Asked.of(text), MOVIES, cues=CUES)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("when was the glass harbour released?", ["The Glass Harbour"]),
        ("is salt and sugar the original title?", ["Salt and Sugar"]),
        ("which was released first, salt or the glass harbour?", ["Salt", "The Glass Harbour"]),
        ("when was the film in the dark released?", ["In the Dark"]),
        ("when was the glas harbour released?", ["The Glass Harbour"]),
        ("when was pepper released?", ["Released"]),
        ("who are you?", []),
    ],
)
def test_the_longest_names_that_stand_there(text: str, found: list[str]) -> None:
    assert standing(text) == found


def test_a_hyphen_may_be_left_out() -> None:
    class Joining(Searching):
        """As the KG's search, which leaves out the hyphens of names."""

        def _found(self, query: str) -> list[dict[str, str]]:
            asked = query.replace("-", "").split()
            return [{"title": t} for t in self.titles if t.replace("-", "").lower() in asked]

    assert standing("when was salt man released?", Joining(["Salt-Man"])) == ["Salt-Man"]


def test_numbers_of_names_in_words_or_digits() -> None:
    client = Searching(["Salt", "Salt 2", "Glass Eleven"])
    assert standing("when was salt two released?", client) == ["Salt 2"]
    assert standing("when was glass 11 released?", client) == ["Glass Eleven"]
    client = Searching(["Four Rooms With A View"])
    assert standing("when was four rooms released?", client) == ["Four Rooms With A View"]


def test_a_verbatim_name_takes_no_further_words() -> None:
    found = NameFinder(Searching(["Northern Lighthouse"]), SOON).standing(
        Asked.of("northern lighthouse's ten released films"), MOVIES, cues=CUES
    )
    assert [(mention.span.last, mention.score) for mention in found] == [(2, 1.0)]


def test_several_things_of_one_name_are_one_mention() -> None:
    class Twins(Searching):
        def _found(self, query: str) -> list[Any]:
            return [{"title": "Twin", "id": 1}, {"title": "Twin", "id": 2}]

    (mention,) = NameFinder(Twins(), SOON).standing(Asked.of("when was twin released?"), MOVIES)
    assert mention.name == "Twin"


def test_a_failed_search_is_raised() -> None:
    class Down(Searching):
        def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
            return [ApiUnavailable("down") for _ in calls]

    with pytest.raises(ApiUnavailable):
        standing("when was salt released?", Down())


@pytest.mark.parametrize("hits", [["text"], [7], [None], [["x"]]])
def test_hits_of_a_wrong_shape_are_the_api_s_failure(hits: list[Any]) -> None:
    class Garbage(Searching):
        def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
            return [hits for _ in calls]

    with pytest.raises(ApiGarbage):
        standing("when was salt released?", Garbage())
