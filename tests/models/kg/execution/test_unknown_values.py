"""Values that only say that the KG does not know a fact are absent: the cases of
`unknown_values.jsonl`, over a series of films."""

from pathlib import Path
from typing import Any

import pytest

from tests.models.kg.cases import cases
from tests.models.kg.execution.test_execute import NOW, FakeClient, check

CAST = [
    {"name": "Ann Other", "character": "Eva", "order": 0, "gender": 0},
    {"name": "Bo Third", "character": "Ulla", "order": 1, "gender": 1},
]
SERIES = [
    {"id": 1, "title": "Fogbound", "release_date": "2001-05-04", "budget": 40, "revenue": 900},
    {"id": 2, "title": "Fogbound 2", "release_date": "2003-05-04", "budget": 60, "revenue": 0},
    {"id": 3, "title": "Fogbound: The Making", "release_date": "2002-01-01", "budget": 0},
]
FIGURES = [
    {"rating": 7.5, "length": 90, "cast": CAST},
    {"rating": 0.0, "length": 110},
    {"rating": 0.0, "length": 0, "revenue": 0},
]
REPLIES = {
    "/movie/get_movie_info": {
        "fogbound": [film | figures for film, figures in zip(SERIES, FIGURES, strict=True)],
        "fogbound 2": [SERIES[1] | FIGURES[1]],
        "fogbound: the making": [SERIES[2] | FIGURES[2]],
    },
    "/finance/get_market_capitalization": {"ACMW": 0.0},
    "/finance/get_pe_ratio": {"ACMW": -0.0},
}


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("unknown_values.jsonl")))
def test_an_unknown_value_is_absent(case: dict[str, Any]) -> None:
    check(case, FakeClient(REPLIES), NOW)
