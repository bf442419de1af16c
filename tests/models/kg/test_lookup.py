"""Plain questions over a small KG: what is asked is looked up, and what is unclear is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.batch import read_query_time
from models.kg.domains import ATTRIBUTES
from models.kg.open_facts import plain_value
from models.kg.run import Lookup, run
from models.records import Domain, Question, Task
from models.subtasks.answer_kg import AgreeingFacts
from models.subtasks.write_query import WordQueryWriter
from utils.deadline import Deadline
from utils.errors import ApiGarbage, ApiUnavailable, DeadlineExceeded

CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
SOON = Deadline(10.0, lambda: 0.0)
NOW = "03/10/2024, 23:19:21 PT"


def ask(client: Any, text: str, domain: Domain | None, when: str | None = NOW) -> str | None:
    question = Question("q", text, read_query_time(when) if when else None, Task.KG_WEB)
    facts = [
        fact
        for lookup in WordQueryWriter().write(question, domain)
        for fact in run(lookup, client, question.asked_at, SOON)
    ]
    answer = AgreeingFacts().answer(question, facts)
    return answer.text if answer.known else None


@pytest.mark.parametrize(("text", "domain", "answer"), CASES, ids=[case[0] for case in CASES])
def test_a_plain_question(client: Any, text: str, domain: str, answer: str | None) -> None:
    assert ask(client, text, Domain(domain)) == answer


def test_without_a_domain_all_are_tried(client: Any) -> None:
    assert ask(client, "who wrote salt road?", None) == "Marja K\u00e4ki"


@pytest.mark.parametrize(
    "text",
    ["what was the closing price of acme widgets yesterday?", "who did northport play last game?"],
)
def test_without_a_time_nothing_that_needs_one_is_answered(client: Any, text: str) -> None:
    assert ask(client, text, None, when=None) is None


def test_facts_that_differ_settle_nothing(client: Any) -> None:
    assert ask(client, "when was twin released?", Domain.MOVIE) is None


def test_a_call_that_fails_raises(dead_client: Any) -> None:
    with pytest.raises(ApiUnavailable):
        ask(dead_client, "who directed the glass harbour?", Domain.MOVIE)


@pytest.mark.parametrize("garbage", ["text", 7, [None], [[1]], {"a": 1}, [{"title": 5}], True])
@pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda a: f"{a.domain}.{a.name}")
def test_records_of_a_wrong_shape_are_an_api_error_or_no_fact(
    client: Any, attribute: Any, garbage: Any
) -> None:
    client.replies = {(endpoint, "*"): garbage for endpoint, _ in client.replies}
    asked_at = read_query_time(NOW)
    for text in ("the glass harbour", "acme widgets on 2024-03-07", "northport last game", "2011"):
        try:
            facts = run(Lookup(attribute, text), client, asked_at, SOON)
        except ApiGarbage as error:
            assert attribute.name in str(error)
        else:
            assert all(isinstance(fact.value, str) for fact in facts)


def test_no_call_is_made_after_the_deadline(client: Any) -> None:
    over = Deadline(0.0, lambda: 1.0)
    with pytest.raises(DeadlineExceeded):
        run(Lookup(ATTRIBUTES[0], "the glass harbour"), client, None, over)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("[[Finland|the country]],, [[Europe]]", "the country, Europe"),
        ("12<ref name=x>{{cite}}</ref>", "12"),
        ("1,940&nbsp;MW", "1,940 MW"),
        ("{{unbulleted list a b}}", ""),
        ("{{Start date 2013 10 7}}", "2013-10-07"),
    ],
)
def test_an_infobox_value_is_made_plain(value: str, plain: str) -> None:
    assert plain_value(value) == plain
