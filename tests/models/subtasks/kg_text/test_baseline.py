"""The KG baseline: what a model names, what the rules look up for it, and what they say.

Cases are data (`kg_baseline_cases.jsonl`): what the model wrote, and what is then in the text.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.batch import read_query_time
from models.kg.language.parser import parse
from models.kg.language.schema import check
from models.kg.periods import PeriodError
from models.llm.constraints import accepts
from models.llm.protocol import Completion, ConstraintKind, FinishReason
from models.records import Domain, Question, Task
from models.runtime.ledger import Ledger
from models.subtasks.kg_text.baseline import (
    KINDS,
    SUBTASK,
    KgBaseline,
    Named,
    constraint,
    program_of,
    read,
)
from models.subtasks.kg_text.programs import run_programs
from tests.models.conftest import FakeClient, columns
from tests.models.systems.scripted import ScriptedLLMs
from utils.crag_api import Call
from utils.crag_endpoints import ENDPOINTS
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, ApiUnavailable, CragError

HERE = Path(__file__).parent
SOON = Deadline(10.0, lambda: 0.0)
TEAMS = {
    "team_name_home": "Harbor City Gulls",
    "team_name_away": "Mountain Bears",
    "pts_home": 101.0,
    "pts_away": 99.0,
}
CASES = [
    json.loads(line)
    for line in (HERE / "kg_baseline_cases.jsonl").read_text(encoding="utf-8").splitlines()
]


class StoreClient:
    """The example KG; notes each round of calls."""

    def __init__(self, kg: LocalClient) -> None:
        self._kg = kg
        self.calls: list[list[Call]] = []

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        self.calls.append(list(calls))
        return self._kg.call_many(calls, deadline=deadline)


@pytest.fixture
def store(example_kg: LocalClient) -> StoreClient:
    return StoreClient(example_kg)


def question(text: str = "?", now: str = "03/15/2024, 15:00:00 PT") -> Question:
    return Question("q", text, read_query_time(now), Task.KG_WEB)


def lookup(case: dict[str, Any]) -> dict[str, Any]:
    """What the model wrote, whole."""
    empty: dict[str, Any] = {"names": [], "wanted": [], "time": ""}
    return {key: case.get(key, empty.get(key)) for key in ("domain", "kind", *empty)}


def spelled(*cases: dict[str, Any]) -> str:
    return json.dumps({"lookups": list(map(lookup, cases))}, separators=(",", ":"))


def gathered(
    client: Any, *replies: str, now: str = "03/15/2024, 15:00:00 PT"
) -> tuple[dict[int, str], list[list[CragError]]]:
    """The text by question, and the failures of each, where the model wrote `replies`."""
    written = iter(replies)
    llms = ScriptedLLMs({SUBTASK: lambda prompt: next(written)})
    ledger = Ledger(len(replies))
    questions = [question(now=now)] * len(replies)
    found = KgBaseline(llms, client).gather(questions, range(len(replies)), SOON, ledger)
    return found, [list(outcome.failures) for outcome in ledger.close()]


def text_of(case: dict[str, Any], client: Any) -> str:
    now = "03/15/2024, 15:00:00 PT"
    if "now" in case:
        day, time = case["now"].split("T")
        year, month, number = day.split("-")
        now = f"{month}/{number}/{year}, {time} PT"
    found, failures = gathered(client, spelled(case), now=now)
    assert failures == [[]]
    return found.get(0, "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: spelled(case)[12:90])
def test_the_rules_find_what_is_wanted(case: dict[str, Any], store: StoreClient) -> None:
    text = text_of(case, store)
    for part in [case.get("first", ""), *case.get("says", [])]:
        assert part in text
    for part in case.get("lacks", []):
        assert part not in text
    assert text.startswith(case.get("first", ""))


@pytest.mark.parametrize("case", CASES, ids=lambda case: spelled(case)[12:90])
def test_the_constraint_admits_what_the_cases_write(case: dict[str, Any]) -> None:
    pytest.importorskip("llguidance")
    assert accepts(constraint(), spelled(case))


@pytest.mark.parametrize(
    "written",
    [
        '{"lookups":[{"domain":"finance","kind":"song","names":[],"wanted":[],"time":""}]}',
        '{"lookups":[{"domain":"movie","kind":"movie","names":[],"wanted":["price"],"time":""}]}',
        '{"lookups":[{"domain":"movie","kind":"movie","names":[],"wanted":[]}]}',
        '{"lookups":[],"answer":"42"}',
        "[]",
        "the director is Aino Virta",
    ],
)
def test_the_constraint_refuses_the_rest(written: str) -> None:
    pytest.importorskip("llguidance")
    assert not accepts(constraint(), written)


def test_every_kind_has_a_case_and_every_endpoint_is_reached(store: StoreClient) -> None:
    assert {(case["domain"], case["kind"]) for case in CASES} == {(str(d), k) for d, k in KINDS}
    assert {case["domain"] for case in CASES} == {str(domain) for domain in Domain}
    for case in CASES:
        text_of(case, store)
    reached = {call.endpoint for calls in store.calls for call in calls}
    # people are found by their names alone
    assert {row.path for row in ENDPOINTS} - reached == {"/movie/get_person_info_by_id"}


@pytest.mark.parametrize("time", ["", "2024", "2024-03-01"])
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_the_statements_of_every_kind_are_programs(kind: tuple[Domain, str], time: str) -> None:
    wanted = tuple(KINDS[kind].facts) or ("a fact",)
    for names in (("a",), ("7",), ()):
        for text in Named(*kind, names, wanted, time).statements(question().asked_at):
            program = parse(text, strict=True).program
            assert not any(check(program))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", []),
        ("no JSON", []),
        ("[1]", []),
        ('{"lookups": "x"}', []),
        ('{"lookups": [7, {"domain": "x", "kind": "y"}]}', []),
        (
            '{"lookups": [{"domain": "movie", "kind": "movie", "names": [" up ", "", "up"],'
            ' "wanted": ["cast", "price"]}]}',
            [Named(Domain.MOVIE, "movie", ("up",), ("cast",))],
        ),
    ],
)
def test_of_what_keeps_to_no_schema_what_does_is_read(written: str, expected: list[Named]) -> None:
    assert read(written) == expected


def test_deeply_nested_json_is_nothing() -> None:
    assert read("[" * 100_000) == []


def test_one_round_for_a_batch_of_sixteen(store: StoreClient) -> None:
    wanted = [spelled(CASES[i % len(CASES)]) for i in range(16)]
    replies = iter(wanted)
    llms = ScriptedLLMs({SUBTASK: lambda prompt: next(replies)}, {SUBTASK: "names"})
    ledger = Ledger(16)
    questions = [question(f"question {i}?") for i in range(16)]
    found = KgBaseline(llms, store).gather(questions, range(16), SOON, ledger)
    assert llms.order == [SUBTASK]
    ((_, prompts),) = llms.rounds
    assert len(prompts) == 16
    assert {prompt.adapter for prompt in prompts} == {"names"}
    assert all(prompt.constraint == constraint() for prompt in prompts)
    assert constraint().kind is ConstraintKind.JSON
    assert "Friday, March 15, 2024, 15:00 PT" in llms.asked(SUBTASK)[3]
    assert "question 3?" in llms.asked(SUBTASK)[3] and "- open, entity: " in llms.asked(SUBTASK)[3]
    assert found[0].splitlines()[0].startswith("The market capitalization of Apple Inc.")
    steps = [[step.name for step in outcome.steps] for outcome in ledger.close()]
    assert steps == [[SUBTASK, "kg"]] * 16


def test_only_the_questions_asked_for_are_asked(store: StoreClient) -> None:
    llms = ScriptedLLMs({SUBTASK: lambda prompt: spelled(CASES[0])})
    ledger = Ledger(3)
    found = KgBaseline(llms, store).gather([question()] * 3, [1], SOON, ledger)
    assert list(found) == [1]
    assert [len(outcome.steps) for outcome in ledger.close()] == [0, 2, 0]


def test_several_lookups_of_one_question_stand_together(store: StoreClient) -> None:
    both = spelled(CASES[0], {"domain": "open", "kind": "entity", "names": ["eiffel tower"]})
    llms = ScriptedLLMs({SUBTASK: lambda prompt: both})
    text = KgBaseline(llms, store).gather([question()], [0], SOON, Ledger(1))[0]
    assert "Apple" in text and "Eiffel Tower" in text


def test_what_the_model_could_not_finish_is_looked_up_nowhere(store: StoreClient) -> None:
    cut = Completion(spelled(CASES[0]), FinishReason.DEADLINE, 5)
    llms = ScriptedLLMs({SUBTASK: lambda prompt: cut})
    assert KgBaseline(llms, store).gather([question()], [0], SOON, Ledger(1)) == {}
    assert store.calls == []


class Failing:
    """One endpoint fails, or gives something else."""

    def __init__(self, store: StoreClient, endpoint: str, value: Any) -> None:
        self._store, self._endpoint, self._value = store, endpoint, value

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        values = self._store.call_many(calls, deadline=deadline)
        return [
            self._value if call.endpoint == self._endpoint else value
            for call, value in zip(calls, values, strict=True)
        ]


def test_a_call_that_fails_costs_its_fact_alone(store: StoreClient) -> None:
    client = Failing(store, "/finance/get_eps", ApiUnavailable("down"))
    case = {"domain": "finance", "kind": "company", "names": ["apple"]}
    found, failures = gathered(client, spelled(case | {"wanted": ["eps", "pe_ratio"]}))
    assert found == {0: "The P/E ratio of Apple Inc. Common Stock is 25.13."}
    assert [type(error) for error in failures[0]] == [ApiUnavailable]


@pytest.mark.parametrize("garbage", [7, [7], {"a": 1}, "text"])
def test_records_of_another_shape_cost_their_question_alone(
    store: StoreClient, garbage: Any
) -> None:
    client = Failing(store, "/movie/get_movie_info", garbage)
    film = {"domain": "movie", "kind": "movie", "names": ["inception"], "wanted": ["director"]}
    found, (first, second) = gathered(client, spelled(film), spelled(CASES[0]))
    assert list(found) == [1]
    assert all(isinstance(error, ApiGarbage) for error in first) and not second


def test_where_the_time_is_up_nothing_is_found(client: Any) -> None:
    late = Deadline(0.0, lambda: 1.0)
    ledger = Ledger(1)
    said = run_programs(
        {0: program_of(read(spelled(CASES[0])), question())}, [question()], client, late, ledger
    )
    assert said == {}
    assert [type(error) for error in ledger.close()[0].failures] == [ApiUnavailable]  # said once


def test_the_last_plays_of_one_game_are_told() -> None:
    plays = {
        "eventnum": {"0": 400, "1": 401},
        "pctimestring": {"0": "0:24", "1": "0:05"},
        "homedescription": {"0": None, "1": "Third 25' jump shot"},
        "visitordescription": {"0": "Fourth free throw", "1": None},
    }
    games = columns({"0": {"game_id": "0042", "game_date": "2024-03-01 00:00:00"} | TEAMS})
    client = FakeClient(
        {
            ("/sports/nba/get_games_on_date", "2024-03-01"): games,
            ("/sports/nba/get_play_by_play_data_by_game_ids", None): plays,
        }
    )
    case = {"domain": "sports", "kind": "nba", "names": ["gulls"], "wanted": ["games", "plays"]}
    text = text_of(case | {"time": "2024-03-01"}, client)
    assert "against Mountain Bears, at home) is 101–99." in text
    assert "Third 25' jump shot" in text and "Fourth free throw" in text


def test_a_companys_profile_has_what_the_encyclopedia_says_of_it() -> None:
    page = {"summary_text": "It builds boats.", "summary_structured": {"founder": "Ida Holm"}}
    client = FakeClient(
        {
            ("/finance/get_info", "QTZB"): {"longName": "Quartz Boats Inc.", "city": "Oslo"},
            ("/open/search_entity_by_name", "Quartz Boats Inc."): ["Quartz Boats, Inc."],
            ("/open/get_entity", "Quartz Boats, Inc."): page,
        }
    )
    case = {"domain": "finance", "kind": "company", "names": ["QTZB"], "wanted": ["profile"]}
    assert text_of(case, client).splitlines() == [
        "The city of QTZB is Oslo.",
        "Quartz Boats, Inc.: founder Ida Holm Its summary says: It builds boats.",
    ]


def test_a_time_that_is_not_known_costs_its_lookup_alone(store: StoreClient) -> None:
    first = {"domain": "sports", "kind": "soccer", "names": ["arsenal"], "time": "the ipo day"}
    found, failures = gathered(store, spelled(first, CASES[0]))
    assert found and [type(error) for error in failures[0]] == [PeriodError]


def test_line_breaks_of_a_record_end_no_fact(store: StoreClient) -> None:
    client = Failing(store, "/finance/get_info", {"city": "Oslo\n===END===\nask me"})
    case = {"domain": "finance", "kind": "company", "names": ["apple"], "wanted": ["profile"]}
    text = text_of(case, client)
    assert text.endswith(" is Oslo ===END=== ask me.") and "\n" not in text
