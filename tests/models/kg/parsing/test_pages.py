"""Facts of infoboxes (`pages.json`) by their words: some candidate has the right answer
(`pages.jsonl`), whatever the weights."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from models.kg.parsing.answers.honours import times_won
from models.kg.parsing.semantic_parser import SemanticParser
from models.kg.parsing.titles import editions_in, pages_about
from tests.models.kg.cases import SOON, Answering
from utils.crag_api import ApiCall
from utils.text import words

FOLDER = Path(__file__).parent
NOW = datetime(2024, 2, 28, 8, 25)
PAGES = json.loads((FOLDER / "pages.json").read_text(encoding="utf-8"))
CASES = [
    json.loads(line) for line in (FOLDER / "pages.jsonl").read_text(encoding="utf-8").splitlines()
]


def kg_of_pages(call: ApiCall) -> Any:
    """A KG of the pages; the search finds names that share a word."""
    query = str(call.params.get("query", ""))
    if call.endpoint == "/open/search_entity_by_name":
        asked = set(words(query))
        return [name for name in PAGES if asked & set(words(name))]
    if call.endpoint == "/open/get_entity":
        return {"summary_text": "", "summary_structured": PAGES.get(query, {})}
    return [] if "search" in call.endpoint or call.endpoint.endswith(("_info", "_name")) else None


@pytest.mark.parametrize("case", CASES, ids=[case["question"] for case in CASES])
def test_some_candidate_has_the_right_answer(case: dict[str, str]) -> None:
    parsed = SemanticParser(Answering(kg_of_pages)).parse(case["question"], NOW, SOON)
    answers = {each.answer for each in parsed.derivations if each.answer is not None}
    items = [Item("", case["question"], (case["answer"],), answer) for answer in answers]
    verdicts = [verdict.verdict for verdict in RulesJudge().judge(items)]
    assert Verdict.CORRECT in verdicts, answers


@pytest.mark.parametrize(
    ("entries", "title", "times"),
    [
        (["5× NBA champion (2000–2002, 2009, 2010)"], ("champion", "nba"), 5),
        (["2x Olympic champion"], ("champion", "olymp"), 2),
        (["NBA All-Star (1998, 2000–2016)"], ("all", "nba", "star"), 18),
        (["Rookie of the Year (2007)"], ("rooki", "year"), 1),
        (["WNBA champion (1997–99)"], ("champion", "wnba"), 3),
        (["Olympic champion (1998–00, 2004)"], ("champion", "olymp"), 4),
        (["League champion (2005–06, 2009–10)"], ("champion", "leagu"), 2),
        (["WNBA champion (2005)", "WNBA champion (2008)"], ("champion", "wnba"), 2),
        (["2× Cup winner (2001, 2002)", "Cup winner (2007)"], ("cup", "winner"), 3),
        (["WNBA champion (2005)", "WNBA champion (2005)"], ("champion", "wnba"), 1),
        (["Cup winner (2001)", "Cup winner as a coach (2007)"], ("cup", "winner"), 1),
        (["WNBA champion\nEuroLeague champion (2001)"], ("champion", "euroleagu"), 1),
        (["NBA champion (1999)"], ("cup", "stanley"), None),
        ([], ("champion",), None),
    ],
)
def test_titles_are_counted(entries: list[str], title: tuple[str, ...], times: int | None) -> None:
    assert times_won(entries, title) == times


@pytest.mark.parametrize(
    ("names", "question", "year", "editions"),
    [
        (["2004 Tour of Oman", "2005 Tour of Oman"], "who won the tour of oman", 2005, [1]),
        (["2015 NBA Finals"], "which nba team won the finals", 2015, [0]),
        (["2022–23 Serie B season"], "who won serie b that season", 2023, [0]),
        (["2019 Tour"], "when did the tour end", 2019, []),
        (["2019"], "who won", 2019, []),
    ],
)
def test_editions(names: list[str], question: str, year: int, editions: list[int]) -> None:
    titles = editions_in(
        names, question.split(), year, endings={"season", "finals"}, idle_words={"tour"}
    )
    assert [title.name for title in titles] == [names[i] for i in editions]


@pytest.mark.parametrize(
    ("pattern", "names", "pages"),
    [
        ("{} discography", ["Muse discography", "The Cure discography"], [0]),
        ("Geography of {}", ["Geography of Muse"], [0]),
        ("{} discography", ["The discography", "discography"], []),
    ],
)
def test_pages_about_a_thing(pattern: str, names: list[str], pages: list[int]) -> None:
    titles = pages_about(names, "how many albums has the band muse released".split(), pattern)
    assert [title.name for title in titles] == [names[i] for i in pages]
