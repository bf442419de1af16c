"""Names of the KG that stand in a question."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from models.kg.linking.names import ENTITIES, MOVIES, Mention, NameFinder
from models.kg.linking.question import Asked
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, ApiUnavailable
from utils.text import words

TITLES = ("The Glass Harbour", "Glass", "In the Dark", "Salt", "Salt and Sugar", "Released")
CUES = frozenset("released film original title".split())


class Searching:
    """A client whose searches find what `find` gives for a query."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self.find = find

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        return [self.find(str(call.params["query"])) for call in calls]


def sharing_a_word(titles: Sequence[str]) -> Searching:
    """Finds the titles that share a word with a query, as the API does."""
    return Searching(lambda query: [{"title": t} for t in titles if {*words(query)} & {*words(t)}])


def standing(text: str, client: Searching) -> list[Mention]:
    names = NameFinder(client, Deadline(10.0, lambda: 0.0))
    return names.standing(Asked.of(text), MOVIES, cues=CUES)


def test_a_place_is_not_named_by_its_qualifier() -> None:
    names = NameFinder(Searching(lambda _: ["Allen, Texas"]), Deadline(10.0, lambda: 0.0))
    found = [
        [mention.name for mention in names.standing(Asked.of(text), ENTITIES, cues=CUES)]
        for text in ("where is marfa texas", "where is allen texas", "where is allen")
    ]
    assert found == [[], ["Allen, Texas"], ["Allen, Texas"]]


@pytest.mark.parametrize(
    ("text", "titles", "found"),
    [
        ("when was the glass harbour released?", TITLES, ["The Glass Harbour"]),
        ("is salt and sugar the original title?", TITLES, ["Salt and Sugar"]),
        ("is it salt or the glass harbour?", TITLES, ["Salt", "The Glass Harbour"]),
        ("when was the film in the dark released?", TITLES, ["In the Dark"]),
        ("when was the glas harbour released?", TITLES, ["The Glass Harbour"]),
        ("when was pepper released?", TITLES, ["Released"]),
        ("who are you?", TITLES, []),
        # numbers in words or digits
        ("when was salt two released?", ["Salt", "Salt 2"], ["Salt 2"]),
        ("when was glass 11 released?", ["Glass Eleven"], ["Glass Eleven"]),
        ("when was four rooms released?", ["Four Rooms With A View"], ["Four Rooms With A View"]),
    ],
)
def test_the_longest_names_that_stand_there(
    text: str, titles: Sequence[str], found: list[str]
) -> None:
    assert [mention.name for mention in standing(text, sharing_a_word(titles))] == found


def test_a_hyphen_may_be_left_out() -> None:
    joining = Searching(lambda query: [{"title": "Salt-Man"}] if query == "saltman" else [])
    assert [m.name for m in standing("when was salt man released?", joining)] == ["Salt-Man"]


def test_a_verbatim_name_takes_no_further_words() -> None:
    found = standing("northern lighthouse's ten films", sharing_a_word(["Northern Lighthouse"]))
    assert [(mention.span.last, mention.score) for mention in found] == [(2, 1.0)]


def test_several_things_of_one_name_are_one_mention() -> None:
    twins = Searching(lambda _: [{"title": "Twin", "id": 1}, {"title": "Twin", "id": 2}])
    assert [mention.name for mention in standing("when was twin released?", twins)] == ["Twin"]


@pytest.mark.parametrize(
    ("reply", "error"),
    [(ApiUnavailable("down"), ApiUnavailable), *(([odd], ApiGarbage) for odd in ("a", 7, ["x"]))],
)
def test_a_failed_search_and_hits_of_a_wrong_shape_are_raised(
    reply: Any, error: type[ApiError]
) -> None:
    with pytest.raises(error):
        standing("when was salt released?", Searching(lambda _: reply))
