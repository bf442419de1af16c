"""Whatever the KG's API answers, a program is run and told."""

from itertools import cycle
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from models.kg import run
from models.kg.english.periods import PeriodError
from tests.models.kg.cases import SOON
from tests.models.kg.execution.test_execute import KG, NOW, TEXTS, FakeClient
from utils.crag_api import ApiCall
from utils.errors import ApiGarbage

BIG = 10**400
KEYS = sorted({key for known in KG.values() if isinstance(known, dict) for key in known})
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from((BIG, -BIG, "0001-01-01", "9999-12-31", "9" * 5000, "\ud800", "1e999"))
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


def spoilt(value: Any, place: int, odd: Any) -> Any:
    """`value` with one part of it, far in or not, replaced by `odd`."""
    if place == 0 or not isinstance(value, dict | list) or not value:
        return odd
    keys = list(value) if isinstance(value, dict) else range(len(value))
    deeper, key = divmod(place - 1, len(keys))
    copy = value.copy()
    copy[keys[key]] = spoilt(value[keys[key]], deeper, odd)
    return copy


class Spoilt(FakeClient):
    """The small KG, its answers spoilt at the given places."""

    def __init__(self, faults: list[tuple[int, Any]]) -> None:
        super().__init__()
        self.faults = cycle(faults)

    def _reply(self, call: ApiCall) -> Any:
        return spoilt(super()._reply(call), *next(self.faults))


@given(
    text=st.sampled_from(TEXTS),
    faults=st.lists(st.tuples(st.integers(0, 200), VALUES), min_size=1, max_size=4),
)
@example(text='get_stock_eps("acme widgets")["value"]', faults=[(20, BIG), (0, BIG)])
@settings(max_examples=150, deadline=None)
def test_a_program_is_run_and_told(text: str, faults: list[tuple[int, Any]]) -> None:
    result = run(text, Spoilt(faults), NOW, SOON)
    assert all(isinstance(error, ApiGarbage | PeriodError) for error in result.errors)
    assert all(isinstance(said, str) for said in (*result.sentences, *result.known))


def test_a_day_before_all_days_costs_its_statement_only() -> None:
    text = 'get_soccer_on_date("arsenal", "0001-01-01")["score"]; get_movie("salt")["release_date"]'
    result = run(text, FakeClient(), NOW, SOON)
    assert [type(error) for error in result.errors] == [ApiGarbage]
    assert result.outcomes[1].values
