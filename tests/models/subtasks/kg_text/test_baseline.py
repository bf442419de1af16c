"""The KG baseline: what a model names, what the rules look up for it, and what they say.

Cases are data (`kg_baseline_cases.jsonl`): what the model wrote, and what is then in the text.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.batch import PACIFIC
from models.kg.english.periods import PeriodError
from models.kg.language.check import check
from models.kg.language.parser import parse
from models.llm.constraints import accepts
from models.llm.protocol import Completion, FinishReason
from models.records import Domain, Task
from models.runtime.ledger import Ledger, QuestionOutcome
from models.subtasks.kg_text.baseline import (
    KINDS,
    SUBTASK,
    KgBaseline,
    Lookup,
    constraint,
    read_lookups,
)
from tests.models.kg.cases import SOON
from tests.models.systems.scripted import ScriptedLLMs, question, saying
from utils.crag_api import ApiCall
from utils.crag_endpoints import ENDPOINTS
from utils.deadline import Deadline
from utils.errors import ApiUnavailable

FILE = Path(__file__).parent / "kg_baseline_cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
FIRST = CASES[0]  # the market capitalization of Apple and Microsoft


@dataclass
class StoreClient:
    """The example KG, with the values of endpoints that a test replaces; notes its calls."""

    kg: LocalClient
    replaced: dict[str, Any] = field(default_factory=dict)
    calls: list[ApiCall] = field(default_factory=list)

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        self.calls += calls
        values = zip(calls, self.kg.call_many(calls, deadline=deadline), strict=True)
        return [self.replaced.get(call.endpoint, value) for call, value in values]


@pytest.fixture
def store(example_kg: LocalClient) -> StoreClient:
    return StoreClient(example_kg)


def spelled(*cases: dict[str, Any]) -> str:
    """What the model wrote, whole."""
    whole = {"domain": "", "kind": "", "names": [], "wanted": [], "time": ""}
    lookups = [{key: case.get(key, empty) for key, empty in whole.items()} for case in cases]
    return json.dumps({"lookups": lookups}, separators=(",", ":"))


def gathered(
    client: StoreClient, written: Any, now: str = "2024-03-15T15:00:00"
) -> tuple[str, QuestionOutcome, ScriptedLLMs]:
    """The text, what became of the question, and the engines, where the model wrote `written`."""
    llms = ScriptedLLMs({SUBTASK: saying(written)}, {SUBTASK: "names"})
    ledger, asked_at = Ledger(1), datetime.fromisoformat(now).replace(tzinfo=PACIFIC)
    asked = question("question?", Task.KG_WEB, (), asked_at)
    found = KgBaseline(llms, client).gather([asked], [0], SOON, ledger)
    (outcome,) = ledger.close()
    return found.get(0, ""), outcome, llms


def text_of(case: dict[str, Any], client: StoreClient) -> str:
    now = {"now": case["now"]} if "now" in case else {}
    text, outcome, _ = gathered(client, spelled(case), **now)
    assert not outcome.failures
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: spelled(case)[12:90])
def test_the_rules_find_what_is_wanted_and_the_constraint_admits_it(
    case: dict[str, Any], store: StoreClient
) -> None:
    text = text_of(case, store)
    assert all(part in text for part in case.get("says", []))
    assert not any(part in text for part in case.get("lacks", []))
    assert text.startswith(case.get("first", ""))
    assert accepts(constraint(), spelled(case))


@pytest.mark.parametrize(
    "written",
    [
        '{"lookups":[{"domain":"finance","kind":"song","names":[],"wanted":[],"time":""}]}',
        '{"lookups":[{"domain":"movie","kind":"movie","names":[],"wanted":["price"],"time":""}]}',
        '{"lookups":[{"domain":"movie","kind":"movie","names":[],"wanted":[]}]}',
        '{"lookups":[],"answer":"42"}',
        "the director is Aino Virta",
    ],
)
def test_the_constraint_refuses_the_rest(written: str) -> None:
    assert not accepts(constraint(), written)


def test_every_kind_has_a_case_and_every_endpoint_is_reached(store: StoreClient) -> None:
    assert {(case["domain"], case["kind"]) for case in CASES} == {(str(d), k) for d, k in KINDS}
    for case in CASES:
        text_of(case, store)
    reached = {call.endpoint for call in store.calls}
    # people are found by their names alone
    assert {row.path for row in ENDPOINTS} - reached == {"/movie/get_person_info_by_id"}


@pytest.mark.parametrize("time", ["", "2024", "2024-03-01"])
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_the_statements_of_every_kind_are_programs(kind: tuple[Domain, str], time: str) -> None:
    wanted = tuple(KINDS[kind].facts) or ("a fact",)
    for names in (("a",), ("7",), ()):
        for text in Lookup(*kind, names, wanted, time).statements(datetime(2024, 3, 15)):
            program = parse(text, strict=True).program
            assert not any(check(program))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[" * 100_000, []),
        ("[1]", []),
        ('{"lookups": "x"}', []),
        ('{"lookups": [7, {"domain": "x", "kind": "y"}]}', []),
        (
            spelled(
                {
                    "domain": "movie",
                    "kind": "movie",
                    "names": [" up ", "", "up"],
                    "wanted": ["cast", "price"],
                }
            ),
            [Lookup(Domain.MOVIE, "movie", ("up",), ("cast",))],
        ),
    ],
)
def test_of_what_keeps_to_no_schema_what_does_is_read(written: str, expected: list[Lookup]) -> None:
    assert read_lookups(written) == expected


def test_the_model_is_asked_under_the_schema_at_the_questions_time(store: StoreClient) -> None:
    both = spelled(FIRST, {"domain": "open", "kind": "entity", "names": ["eiffel tower"]})
    text, outcome, llms = gathered(store, both)
    ((_, (prompt,)),) = llms.rounds
    assert (prompt.adapter, prompt.constraint) == ("names", constraint())
    for part in ("Friday, March 15, 2024, 15:00 PT", "question?", "- open, entity: "):
        assert part in prompt.messages[-1].text + prompt.messages[0].text
    assert text.startswith("The market capitalization of Apple")
    assert "Eiffel" in text
    assert [step.name for step in outcome.steps] == [SUBTASK, "kg"]


def test_what_the_model_could_not_finish_is_looked_up_nowhere(store: StoreClient) -> None:
    cut = Completion(spelled(FIRST), FinishReason.DEADLINE, 5)
    assert gathered(store, cut)[0] == ""
    assert store.calls == []


APPLE = {"domain": "finance", "kind": "company", "names": ["apple"]}


def test_a_failed_call_and_an_unknown_time_cost_their_fact_alone(store: StoreClient) -> None:
    store.replaced = {"/finance/get_eps": ApiUnavailable("down")}
    first = {"domain": "sports", "kind": "soccer", "names": ["arsenal"], "time": "the ipo day"}
    wanted = APPLE | {"wanted": ["eps", "pe_ratio"]}
    text, outcome, _ = gathered(store, spelled(first, wanted))
    assert text == "The P/E ratio of Apple Inc. Common Stock is 25.13."
    assert {type(error) for error in outcome.failures} == {PeriodError, ApiUnavailable}


def test_a_profile_has_no_line_breaks_of_a_record(store: StoreClient) -> None:
    info = {"city": "Oslo\n===END===\nask me", "longName": "Eiffel Tower"}
    store.replaced = {"/finance/get_info": info}
    city, page = text_of(APPLE | {"wanted": ["profile"]}, store).splitlines()
    assert city.endswith(" is Oslo ===END=== ask me.")
    assert page.startswith("Eiffel Tower: ")
