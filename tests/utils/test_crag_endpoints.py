"""The endpoint table is complete and unambiguous, and its page of docs is generated from it."""

from pathlib import Path
from typing import Any

import pytest

from utils.crag_endpoints import ParameterKind, docs_page, find_endpoint
from utils.errors import ApiRejected

PLAYS = "sports_nba_get_play_by_play_data_by_game_ids"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "kg_api.md"


def test_the_page_of_docs_is_generated_from_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == docs_page()


@pytest.mark.parametrize(
    ("endpoint", "arguments", "why"),
    [
        ("open_get_entity", {"query": None}, "query .* is missing"),
        ("open_get_entity", {"query": 5}, "query must be of type string, is int"),
        ("open_get_entity", {"query": "a", "name": "b"}, "no parameter name"),
        ("open_get_entity", {"query": "a", "entity": "b"}, "given twice"),
        ("movie_get_movie_info_by_id", {"query": True}, "must be of type integer, is bool"),
        ("movie_get_movie_info_by_id", {"query": "5"}, "must be of type integer, is str"),
        (PLAYS, {"game_ids": "1"}, "list of strings"),
        (PLAYS, {"game_ids": [1]}, "list of strings"),
    ],
)
def test_a_wrong_body_is_refused(endpoint: str, arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ApiRejected, match=why):
        find_endpoint(endpoint).body(arguments)


@pytest.mark.parametrize(
    ("kind", "given", "sent"),
    [
        (ParameterKind.INTEGER, "1", 1),
        (ParameterKind.INTEGER, " 12 ", 12),
        (ParameterKind.INTEGER, 3.0, 3),
        (ParameterKind.INTEGER, 3.5, 3.5),
        (ParameterKind.INTEGER, "three", "three"),
        (ParameterKind.INTEGER, True, True),
        (ParameterKind.TEXT, 2020, "2020"),
        (ParameterKind.TEXT, 2020.0, "2020"),
        (ParameterKind.TEXT, float("inf"), "inf"),
        (ParameterKind.TEXT, None, None),
        (ParameterKind.TEXTS, [1, "2"], ["1", "2"]),
        (ParameterKind.TEXTS, "1", "1"),
    ],
)
def test_a_value_of_another_type_is_sent_as_its_parameter_wants_it(
    kind: ParameterKind, given: Any, sent: Any
) -> None:
    coerced = kind.coerced(given)
    assert (coerced, type(coerced)) == (sent, type(sent))
