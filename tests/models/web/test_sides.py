"""Of a comparison, each side has its best passages among the first."""

import pytest

from models.records import Passage
from models.web.page import PageText
from models.web.sides import sides_of, with_both_sides


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("which has the larger population, lisbon or porto?", ("lisbon", "porto")),
        ("who is older, Ann Other or Bo Third?", ("Ann Other", "Bo Third")),
        ("did ann other or bo third have a faster time?", ("ann other", "bo third")),
        ("what is the difference in height between low peak and high peak?",
         ("low peak", "high peak")),
        ("how many goals were scored in 2010 and in 2014?", ("in 2010", "in 2014")),
        ("ann other vs bo third, who has more medals?", ("ann other", "bo third")),
        ('which is longer of "Low or High Tide" and "Ebb"?', ("Low or High Tide", "Ebb")),
        ("was low tide or ebb released first?", ("low tide", "ebb released first")),
        ("what is the capital of bosnia and herzegovina?", ()),
        ("who sang low tide?", ()),
        ("", ()),
        ("or " * 20_000, ()),
    ],
)  # fmt: skip
def test_a_question_names_the_things_that_it_compares(
    question: str, sides: tuple[str, ...]
) -> None:
    assert sides_of(question) == sides


def test_each_side_has_passages_among_the_first() -> None:
    pages = {0: PageText("Lisbon", ""), 1: PageText("Porto", ""), 2: PageText("Ports", "")}
    texts = [*("of the city" for _ in range(8)), "ports", "of the north"]
    passages = [
        Passage(f"{text} {number}", {8: 2, 9: 1}.get(number, 0), 0, 0)
        for number, text in enumerate(texts)
    ]
    question = "which has more people, lisbon or porto?"
    in_turn = with_both_sides(question, passages, pages)
    assert [passage.page for passage in in_turn[:3]] == [0, 1, 0]
    assert sorted(passage.text for passage in in_turn) == sorted(each.text for each in passages)
    assert with_both_sides("who lives in lisbon?", passages, pages) == passages
    assert with_both_sides("which is older, oslo or porto?", passages, pages)[0].page == 1
