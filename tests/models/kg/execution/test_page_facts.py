"""Facts of an entity's page: how many members they have, and sentences about several of them: the
cases of `page_facts.jsonl`."""

from pathlib import Path
from typing import Any

import pytest

from tests.models.kg.cases import cases
from tests.models.kg.execution.test_execute import NOW, FakeClient, check

PAGE = {
    "summary_text": "Olli Salo is a player.",
    "summary_structured": {
        "number": "7, 23, 45",
        "jersey": "{{ubl|7|23}}",
        "squad_number": "12",
        "children": "3",
        "titles": "4 (2001, 2003–2005)",
        "clubs": "{{ubl|Yard|Dock|Quay}}",
        "seats": "{{ubl|20 of one party|8 of another}}",
        "share": "45% of the vote, 3 million",
        "spouse": "{{marriage|Ann Lee|May 4, 2001}}",
    },
}
REPLIES = {
    "/open/search_entity_by_name": {"olli salo": ["Olli Salo"], "nobody": []},
    "/open/get_entity": {"olli salo": PAGE},
}


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("page_facts.jsonl")))
def test_a_fact_of_a_page(case: dict[str, Any]) -> None:
    check(case, FakeClient(REPLIES), NOW)
