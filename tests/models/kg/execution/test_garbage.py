"""Malformed replies of the KG's API are reported as errors; they never crash a program."""

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, cycle
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mock_api.local import LocalClient
from models.english.periods import PeriodError
from models.kg import run
from models.kg.parsing.semantic_parser import SemanticParser
from models.settings import ROOT
from tests.models.kg.cases import SOON
from tests.models.kg.execution.test_execute import KG, NOW, TEXTS, FakeClient
from utils.crag_api import ApiCall
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage

BIG = 10**400
EXAMPLES = (ROOT / "example_data" / "questions.jsonl").read_text(encoding="utf-8")
QUESTIONS = [json.loads(line)["query"] for line in EXAMPLES.splitlines()]
TABLES = [replies for replies in KG.values() if isinstance(replies, dict)]
KEYS = sorted(set(chain.from_iterable(TABLES)))
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from((BIG, -BIG, "0001-01-01", "9999-12-31", "9" * 5000, "\ud800", "1e999")),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


def with_fault(value: Any, place: int, fault: Any) -> Any:
    """`value` with one part of it, nested or not, replaced by `fault`."""
    if place == 0 or not isinstance(value, dict | list) or not value:
        return fault
    keys = list(value) if isinstance(value, dict) else range(len(value))
    deeper, key = divmod(place - 1, len(keys))
    copy = value.copy()
    copy[keys[key]] = with_fault(value[keys[key]], deeper, fault)
    return copy


class FaultyClient(FakeClient):
    """The small KG; each of its replies has the next of some faults."""

    def __init__(self, faults: list[tuple[int, Any]]) -> None:
        super().__init__()
        self.faults = cycle(faults)

    def _reply(self, call: ApiCall) -> Any:
        place, fault = next(self.faults)
        return with_fault(super()._reply(call), place, fault)


@given(
    text=st.sampled_from(TEXTS),
    faults=st.lists(st.tuples(st.integers(0, 200), VALUES), min_size=1, max_size=4),
)
@example(text='get_stock_eps("acme widgets")["value"]', faults=[(20, BIG), (0, BIG)])
@settings(max_examples=150, deadline=None)
def test_malformed_replies_are_errors_and_sentences_remain_texts(
    text: str, faults: list[tuple[int, Any]]
) -> None:
    result = run(text, FaultyClient(faults), NOW, SOON)
    assert all(isinstance(error, ApiGarbage | PeriodError) for error in result.errors)
    assert all(isinstance(text, str) for text in (*result.sentences, *result.known))


class FaultyExampleKg:
    """The example KG; some of its replies have faults."""

    def __init__(self, kg: LocalClient, faults: list[tuple[int, Any] | None]) -> None:
        self.kg = kg
        self.faults = cycle(faults)

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        replies = []
        for reply in self.kg.call_many(calls, deadline=deadline):
            fault = next(self.faults)
            replies.append(reply if fault is None else with_fault(reply, *fault))
        return replies


@given(
    question=st.sampled_from(QUESTIONS),
    faults=st.lists(st.none() | st.tuples(st.integers(0, 200), VALUES), min_size=5, max_size=20),
)
@example(question="who directed Salt?", faults=[(1, ", Texas")])
@settings(max_examples=100, deadline=None)
def test_the_parser_reports_malformed_replies(
    example_kg: LocalClient, question: str, faults: list[tuple[int, Any] | None]
) -> None:
    parser = SemanticParser(FaultyExampleKg(example_kg, faults))
    with suppress(ApiError):  # of the search for names
        parsed = parser.parse(question, NOW, SOON)
        assert all(isinstance(error, ApiGarbage) for error in parsed.errors)
        for derivation in parsed.ranked():
            assert all(isinstance(text, str) for text in derivation.result.sentences)


def test_a_period_before_the_first_day_fails_only_its_statement() -> None:
    text = 'get_soccer_on_date("arsenal", "0001-01-01")["score"]; get_movie("salt")["release_date"]'
    result = run(text, FakeClient(), NOW, SOON)
    assert [type(error) for error in result.errors] == [ApiGarbage]
    assert result.outcomes[1].values
