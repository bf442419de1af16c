"""Names over a small KG: which entity each one means, also where several have it."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from models import kg
from tests.models.kg.cases import SOON, Answering, cases
from utils.crag_api import ApiCall
from utils.text import words

HERE = Path(__file__).parent
HITS = json.loads((HERE / "names_kg.json").read_text(encoding="utf-8"))
NOW = datetime(2024, 2, 28, 8, 0)
VALUES = {
    "/music/get_members": ["A. One", "B. Two"],
    "/music/get_song_author": "A. One",
    "/finance/get_ticker_by_name": "XYZ",
    "/open/get_entity": {"summary_structured": {"town": "Elm"}},
}


def reply(call: ApiCall) -> Any:
    """The hits that share a word with a query, as the KG's search; a record by its id; a value."""
    query = call.params.get("query")
    if call.endpoint == "/movie/get_year_info":
        return HITS[call.endpoint].get(query)
    if call.endpoint in HITS:
        hits = []
        for hit in HITS[call.endpoint]:
            name = hit if isinstance(hit, str) else hit.get("title") or hit["name"]
            if set(words(name)) & set(words(str(query))):
                hits.append(hit)
        return hits
    if call.endpoint.endswith("_by_id"):
        records = HITS[call.endpoint.removesuffix("_by_id")]
        return next((record for record in records if record["id"] == query), None)
    if call.endpoint == "/finance/get_market_capitalization":
        return 7 if query == "XYZ" else None
    return VALUES.get(call.endpoint)


@pytest.mark.parametrize("case", cases(HERE / "names.jsonl"))
def test_no_other_entity_is_taken_without_a_word(case: dict[str, Any]) -> None:
    result = kg.run(case["text"], Answering(reply), NOW, SOON)
    assert not result.errors
    assert list(result.outcomes[-1].values) == case["values"]
    text = " ".join(result.sentences)
    assert case["has"] in text
    assert "lacks" not in case or case["lacks"] not in text


@pytest.mark.parametrize(("name", "complete"), [("ove strand", False), ("liv moen", True)])
def test_nominations_of_perhaps_several_people_are_not_complete(name: str, complete: bool) -> None:
    result = kg.run(f'get_movie_person_oscar(None, "{name}")["len"]', Answering(reply), NOW, SOON)
    assert result.outcomes[0].complete is complete
