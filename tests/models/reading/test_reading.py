"""What a question asks for, the values of a text, and the candidates of passages."""

import pytest

from models.reading.candidates import MAX_CANDIDATES, candidates
from models.reading.values import ValueKind, page_values
from models.reading.wanted import Wanted
from models.records import Passage
from models.web.page import PageText


@pytest.mark.parametrize(
    ("question", "kinds", "noun"),
    [
        ("how many rooms does the grand hotel have?", ["number"], "room"),
        ("can you tell me the number of guest rooms in the grand hotel", ["number"], "room"),
        ("when was ann other born?", ["date", "month", "year"], ""),
        ("who built the lighthouse?", ["name"], "built"),
        ("where was ann other born?", ["name", "text"], ""),
        ("how tall is the lighthouse?", ["measure"], ""),
        ("is the lighthouse tall?", [], ""),
    ],
)
def test_a_question_shows_the_kind_of_its_answer(
    question: str, kinds: list[str], noun: str
) -> None:
    wanted = Wanted.of(question)
    assert list(wanted.kinds) == kinds
    assert noun in ("", wanted.noun)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        (
            "which is taller, the north tower or the south tower?",
            ("the north tower", "the south tower"),
        ),
        ("who has more medals between ann other and bo third?", ("ann other", "bo third")),
        ("who has fewer medals, ann other or bo third?", ()),
        ("who is called ann or bo?", ()),
    ],
)
def test_a_question_may_offer_two_options(question: str, options: tuple[str, ...]) -> None:
    assert Wanted.of(question).options == options


@pytest.mark.parametrize(
    ("text", "kinds", "keys"),
    [
        ("Two bars and 1,212 guest rooms.", ["number"], ["2", "1212"]),
        ("Born May 4, 1950 (1950-05-04).", ["date"], ["1950-5-4", "1950-5-4"]),
        ("On the 4th of May 1950.", ["date", "year"], ["1950-5-4"]),
        ("It opened in 1907, at 1,907 m.", ["year"], ["1907"]),
        ("In May 1907.", ["month", "year"], ["may 1907"]),
        (
            "In Easton, Ann Other met Bo van Third.",
            ["name"],
            ["easton", "ann other", "bo van third"],
        ),
        ("On the Grand Hotel's roof. On Monday.", ["name"], ["grand hotel"]),
        ("It cost $3.5 million.", ["money", "number"], ["$3.5 million"]),
        ("It is 41 metres tall, a 41-metres tower.", ["measure"], ["41 metres", "41 metres"]),
        ("Of them, 12.5% left.", ["percent", "number"], ["12.5%"]),
        ("The 4th of 1.2.3.4, on 10-11.", ["measure", "money"], []),
    ],
)
def test_values_of_the_requested_kinds_are_extracted(
    text: str, kinds: list[str], keys: list[str]
) -> None:
    values = list(page_values(text, [ValueKind(kind) for kind in kinds]))
    assert [value.key for value in values] == keys
    for value in values:
        assert value.text in text[value.start : value.end]


def test_the_number_of_candidates_is_bounded() -> None:
    names = ". ".join(f"The tower of Easton was seen by Ann Other{n:03}" for n in range(60))
    results = candidates(
        "who saw the tower of easton?",
        [Passage(names[:2000], 0, 0, 2000, 1.0), Passage(names[2000:], 0, 0, 2000, 0.5)],
        {0: PageText("Towers", "")},
    )
    assert len(results) == MAX_CANDIDATES


@pytest.mark.parametrize("question", ["", "who?", "the of and", "who is ann?"])
def test_a_question_with_too_few_words_has_no_candidates(question: str) -> None:
    passage = Passage("Ann Other was born in 1950.", 0, 0, 27, 1.0)
    assert candidates(question, [passage], {0: PageText("Ann Other", "")}) == []
