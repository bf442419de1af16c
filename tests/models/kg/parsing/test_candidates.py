"""Questions that must have a certain program among their candidates, whatever the weights say."""

from datetime import datetime
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import SemanticParser
from tests.models.kg.cases import SOON, Answering
from utils.crag_api import ApiCall

NOW = datetime.fromisoformat("2024-02-28T08:25:51")
DIRECTOR = 'ALL get_movie_person_crew("Memento", None, eq(job, "Director"))["name"]'
FILMS_OF_2014 = 'ALL get_movie_year(2014)["movie_list"]'
IN_OCTOBER = 'ge(release_date, "2014-10-01"), le(release_date, "2014-10-31")'
# Pages that the example KG lacks, by the names of their entities.
PAGES = {
    "Christopher Nolan": {"spouse": "Emma Thomas", "education": "University College London"},
    "Sprite (drink)": {"parent": "Starbucks"},
}


def with_pages(kg: LocalClient) -> Answering:
    """The example KG with some more pages."""

    def answer(call: ApiCall) -> Any:
        query = str(call.params.get("query"))
        if call.endpoint.endswith("search_entity_by_name"):
            named = [name for name in PAGES if query.lower().startswith(name.lower()[:6])]
            if named:
                return named
        if call.endpoint.endswith("get_entity") and query in PAGES:
            return {"summary_structured": PAGES[query], "summary_text": ""}
        return kg.call_many([call], deadline=SOON)[0]

    return Answering(answer)


@pytest.mark.parametrize(
    ("question", "program", "answer"),
    [
        (
            "which movies came out in october 2014?",
            f'ALL get_movie({FILMS_OF_2014}, [{IN_OCTOBER}])["title"]',
            "Gone Girl, Birdman or (The Unexpected Virtue of Ignorance), Whiplash",
        ),
        (
            "which thrillers came out in october 2014?",
            f'ALL get_movie({FILMS_OF_2014}, [{IN_OCTOBER}, eq(genres, "Thriller")])["title"]',
            "Gone Girl",
        ),
        (
            "how many comedies came out in 2014?",
            f'ALL get_movie({FILMS_OF_2014}, eq(genres, "Comedy"))["title"]',
            "2",
        ),
        (
            "who is the director of memento married to?",
            f'ALL get_open({DIRECTOR})["spouse"]',
            "Emma Thomas",
        ),
        (
            "where did the director of memento go to college?",
            f'ALL get_open({DIRECTOR})["education"]',
            "University College London",
        ),
        (
            "what sector is sprite's parent company in?",
            'ALL get_stock_info(ALL get_open("Sprite (drink)")["parent"])["sector"]',
            "Consumer Cyclical",
        ),
    ],
)
def test_a_candidate_gives_the_answer(
    question: str, program: str, answer: str, example_kg: LocalClient
) -> None:
    parsed = SemanticParser(with_pages(example_kg)).parse(question, NOW, SOON)
    answers: dict[str, set[str | None]] = {}
    for derivation in parsed.derivations:
        text = to_text(derivation.candidate.program)
        answers.setdefault(text, set()).add(derivation.answer)
    assert answer in answers.get(program, set())


def test_a_word_of_a_longer_name_is_no_genre() -> None:
    films = [{"id": 1, "title": "Family Plot"}, {"id": 2, "title": "Family Plot Two"}]

    def answer(call: ApiCall) -> Any:
        is_search = call.endpoint.endswith("get_movie_info")
        return films if is_search and "plot" in str(call.params["query"]).lower() else []

    parsed = SemanticParser(Answering(answer)).parse("how many sequels has family plot?", NOW, SOON)
    programs = [to_text(each.candidate.program) for each in parsed.derivations]
    assert any("get_movie_series" in program for program in programs)
    assert not any("genres" in program for program in programs)
