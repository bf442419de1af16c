"""Joins between domains: the programs that some candidate has, whatever the weights."""

from datetime import datetime
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import SemanticParser
from tests.models.kg.cases import SOON, Answering
from utils.crag_api import ApiCall

NOW = datetime(2024, 2, 28, 8, 25)
PAGES = {
    "Harbour Lane Records": {"founder": "Thomas Mars", "parent": "Costco"},
    "Thomas Mars": {"birth_place": "Versailles"},
}


@pytest.mark.parametrize(
    ("question", "program"),
    [
        (
            "what songs has the founder of harbour lane records released?",
            'ALL get_person(ALL get_open("Harbour Lane Records")["founder"])["music"]',
        ),
        (
            "what is the market cap of harbour lane records' parent company?",
            'ALL get_stock_market_cap(ALL get_open("Harbour Lane Records")["parent"])["value"]',
        ),
        (
            "who is the director of dunkirk married to?",
            'ALL get_open(ALL get_movie_person_crew("Dunkirk", None, eq(job, "Director"))["name"])'
            '["spouse"]',
        ),
        (
            "where did the director of interstellar go to college?",
            'ALL get_open(ALL get_movie_person_crew("Interstellar", None, eq(job, "Director"))'
            '["name"])["education"]',
        ),
    ],
)
def test_joins_of_two_domains(question: str, program: str, example_kg: LocalClient) -> None:
    def with_pages(call: ApiCall) -> Any:
        query = str(call.params.get("query", ""))
        if call.endpoint == "/open/search_entity_by_name":
            return [name for name in PAGES if name.lower() in query.lower()]
        if call.endpoint == "/open/get_entity":
            return {"summary_text": "", "summary_structured": PAGES.get(query, {})}
        (reply,) = example_kg.call_many([call], deadline=SOON)
        return reply

    parsed = SemanticParser(Answering(with_pages)).parse(question, NOW, SOON)
    assert program in {to_text(each.candidate.program) for each in parsed.derivations}


def test_the_pages_of_a_whole_cast_are_not_read(example_kg: LocalClient) -> None:
    parsed = SemanticParser(example_kg).parse("whom did the actors of dunkirk marry?", NOW, SOON)
    programs = [to_text(each.candidate.program) for each in parsed.derivations]
    assert not any("get_open" in program for program in programs)
