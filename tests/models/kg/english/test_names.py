"""Names of the KG that stand in a question."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from models.kg.english.names import ENTITIES, MOVIES, Mention, NameFinder, NameSearch
from models.kg.english.question import QuestionText
from tests.models.kg.cases import SOON, Answering
from utils.errors import ApiError, ApiGarbage, ApiUnavailable
from utils.text import words

TITLES = ("The Glass Harbour", "Glass", "In the Dark", "Salt", "Salt and Sugar", "Released")
CUES = frozenset("released film original title".split())


def mentions_in(
    text: str, find: Callable[[str], Any], search: NameSearch = MOVIES
) -> list[Mention]:
    """The names in a text, where a search finds what `find` gives for its query."""
    client = Answering(lambda call: find(str(call.params["query"])))
    return NameFinder(client, SOON).mentions_in(QuestionText.of(text), search, cues=CUES)


def sharing_a_word(titles: Sequence[str]) -> Callable[[str], Any]:
    """Finds the titles that share a word with a query, as the API does."""
    return lambda query: [{"title": t} for t in titles if {*words(query)} & {*words(t)}]


@pytest.mark.parametrize(
    ("text", "name", "is_named"),
    [
        ("marfa texas", "Allen, Texas", False),
        ("allen texas", "Allen, Texas", True),
        ("allen", "Allen, Texas", True),
        ("wxyz", "WXYZ (AM)", True),
    ],
)
def test_a_qualifier_alone_names_nothing(text: str, name: str, is_named: bool) -> None:
    mentions = mentions_in(f"where is {text}", lambda _: [name], ENTITIES)
    assert [mention.name for mention in mentions] == ([name] if is_named else [])


@pytest.mark.parametrize(
    ("text", "titles", "names"),
    [
        ("when was the glass harbour released?", TITLES, ["The Glass Harbour"]),
        ("is salt and sugar the original title?", TITLES, ["Salt and Sugar"]),
        ("is it salt or the glass harbour?", TITLES, ["Salt", "The Glass Harbour"]),
        ("when was the film in the dark released?", TITLES, ["In the Dark"]),
        ("when was the glas harbour released?", TITLES, ["The Glass Harbour"]),
        ("when was pepper released?", TITLES, ["Released"]),
        ("who are you?", TITLES, []),
        ("when was twin released?", ["Twin", "Twin"], ["Twin"]),  # two things of one name
        ("when was salt two released?", ["Salt", "Salt 2"], ["Salt 2"]),
        ("when was glass 11 released?", ["Glass Eleven"], ["Glass Eleven"]),
        ("when was four rooms released?", ["Four Rooms With A View"], ["Four Rooms With A View"]),
    ],
)
def test_the_longest_names_are_found(text: str, titles: Sequence[str], names: list[str]) -> None:
    mentions = mentions_in(text, sharing_a_word(titles))
    assert [mention.name for mention in mentions] == names


@pytest.mark.parametrize(
    ("text", "title", "last"),
    [
        ("is salt man out?", "Salt-Man", 3),
        ("salt's pepper", "Salt", 1),  # a possessive ends a name
        ("northern lighthouse's ten films", "Northern Lighthouse", 2),
    ],
)
def test_a_name_ends_before_a_possessive(text: str, title: str, last: int) -> None:
    def find(query: str) -> list[dict[str, str]]:
        return [{"title": title}] if query in (title.lower(), "saltman") else []

    mentions = mentions_in(text, find)
    assert [(m.name, m.span.end, m.score) for m in mentions] == [(title, last, 1.0)]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (ApiUnavailable("down"), ApiUnavailable),
        (["a"], ApiGarbage),
        ([7], ApiGarbage),
        ([["x"]], ApiGarbage),
    ],
)
def test_a_failed_search_and_odd_hits_are_raised(reply: Any, error: type[ApiError]) -> None:
    with pytest.raises(error):
        mentions_in("when was salt released?", lambda _: reply)
