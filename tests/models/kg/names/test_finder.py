"""Names of the KG that stand in a question."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from models.english.question import QuestionText
from models.kg.names.finder import ENTITIES, MOVIES, Mention, NameFinder, NameSearch
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


FERRIES = ("Night Ferry", "Night Ferry 2", "Night Ferry: Chapter Five", "Harbour 3: The Long Way")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("when was night ferry released?", ["Night Ferry"]),
        ("when was night ferry ii released?", ["Night Ferry 2"]),
        ("when was night ferry part two released?", ["Night Ferry 2"]),
        ("when was night ferry 5 released?", ["Night Ferry: Chapter Five"]),
        ("when was the long way released?", ["Harbour 3: The Long Way"]),
        ("when was night ferry 3 released?", []),
        ("when was night ferry vii released?", []),
        ("when was night ferry part nine released?", []),
        ("when was night ferry season 2 released?", []),
        ("when was nite ferry 4 released?", []),
        ("when was harbour 4: the long way released?", []),
        ("is night ferry 3 hours long?", ["Night Ferry"]),
        ("is night ferry one of the longest?", ["Night Ferry"]),
        ("when was night ferry 1999 released?", ["Night Ferry"]),
    ],
)
def test_a_name_beside_another_number_is_another_name(text: str, names: list[str]) -> None:
    mentions = mentions_in(text, sharing_a_word(FERRIES))
    assert [mention.name for mention in mentions] == names


@pytest.mark.parametrize(("year", "is_found"), [(1961, True), (1962, True), (1984, False)])
def test_the_year_behind_a_title_is_that_of_the_film(year: int, is_found: bool) -> None:
    hits = [{"title": "Night Ferry", "release_date": "1961-03-01"}]
    mentions = mentions_in(f"when was night ferry {year} released?", lambda _: hits)
    assert bool(mentions) is is_found


@pytest.mark.parametrize(
    ("text", "title", "is_partial"),
    [
        ("when was lantern released?", "Lantern Bread", True),
        ("when was lanten bread released?", "Lantern Bread", False),
        ("when was lantern bread released?", "Lantern Bread", False),
        ("when was the bread of the lantern released?", "Lantern: The Bread of the Lantern", False),
    ],
)
def test_a_part_of_a_name_is_marked(text: str, title: str, is_partial: bool) -> None:
    (mention,) = mentions_in(text, lambda _: [{"title": title}])
    assert mention.partial is is_partial


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
