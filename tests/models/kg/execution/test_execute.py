"""Programs over small KGs: what they give and say, which calls they make, and how they fail."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models import kg
from models.kg.execution.execute import StatementResult
from models.kg.language.check import SchemaError
from models.kg.language.parser import parse
from models.kg.lexicon.named_functions import functions
from models.kg.schema.operations import Op, Reduce
from models.kg.wording.sentences import sentences
from tests.models.kg.cases import SOON, cases
from utils.crag_api import ApiCall
from utils.crag_endpoints import ENDPOINTS
from utils.deadline import Deadline
from utils.errors import ApiError, ApiUnavailable

HERE = Path(__file__).parent
KG = json.loads((HERE / "kg.json").read_text(encoding="utf-8"))
CASES = cases(HERE / "programs.jsonl")
TEXTS = [case.values[0]["text"] for case in CASES]
NOW = datetime(2024, 2, 28, 8, 0)
FIRST_PARAMS = ("query", "rank", "attribute", "game_ids", "date")


class FakeClient:
    """Answers from `KG`, where `replies` has no other; an exception there is a failed call."""

    def __init__(self, replies: dict[str, Any] | None = None) -> None:
        self.kg = KG | (replies or {})
        self.calls: list[ApiCall] = []
        self.rounds = 0

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        self.calls += calls
        self.rounds += 1
        return [self._reply(call) for call in calls]

    def _reply(self, call: ApiCall) -> Any:
        known = self.kg[call.endpoint]
        if not isinstance(known, dict):
            return known
        first = next((call.params[name] for name in FIRST_PARAMS if name in call.params), None)
        name = "null" if first is None else str(first)
        return known.get(name, known.get(name.lower()))


def run(text: str, client: FakeClient | None = None) -> list[StatementResult]:
    return list(kg.run(text, client or FakeClient(), NOW, SOON).outcomes)


def check(case: dict[str, Any], client: Any, now: datetime) -> None:
    result = kg.run(case["text"], client, now, SOON)
    for outcome, values in zip(result.outcomes, case["values"], strict=True):
        assert values is None or list(outcome.values) == values
    assert result.sentences == case["english"]


@pytest.mark.parametrize("case", CASES)
def test_a_program_gives_values_and_says_them(case: dict[str, Any]) -> None:
    check(case, FakeClient(), NOW)


@pytest.mark.parametrize("case", cases(HERE / "sample_kg.jsonl"))
def test_a_program_over_the_sample_kg(case: dict[str, Any], example_kg: LocalClient) -> None:
    check(case, example_kg, datetime.fromisoformat(case.get("now", "2024-03-15T16:00:00")))


def test_the_programs_use_every_function_and_operator_and_reach_every_endpoint() -> None:
    client = FakeClient()
    for text in TEXTS:
        before = len(client.calls)
        run(text, client)
        if text != "None":
            plan = kg.explain(parse(text).program)
            assert {call.endpoint for call in client.calls[before:]} <= set(plan.split()), text
    assert {call.endpoint for call in client.calls} == {row.path for row in ENDPOINTS}
    words = {word for text in TEXTS for word in re.findall(r"\w+", text)}
    assert {*functions().names, *Op, *Reduce, "sort", "ALL", "None"} <= words


@pytest.mark.parametrize(
    "shown", (HERE / "plans.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")
)
def test_a_plan_is_shown_as_a_person_reads_it(shown: str) -> None:
    text, _, plan = shown.partition("\n")
    assert kg.explain(text) == plan


@pytest.mark.parametrize(
    ("text", "calls", "rounds"),
    [  # two searches, and the one wanted key of a song
        ('get_movie("salt")["title"]; get_movie("salt")["year"]; get_song("salt road")["author"]',
         3, 2),
        ('ALL get_movie_person_crew(None, "aino virta")["movie_name"]', 4, 2),
        # a query inside that gives nothing is not an argument left open
        ('get_movie_person_oscar(None, get_movie("x")["director"], eq(year, 2002))["name"]', 1, 1),
        ('AVG get_movie("salt")["title"]', 0, 0),
    ],
)  # fmt: skip
def test_calls_are_made_side_by_side_and_once(text: str, calls: int, rounds: int) -> None:
    client = FakeClient()
    run(text, client)
    made = [(call.endpoint, str(call.params)) for call in client.calls]
    assert (len(made), len(set(made)), client.rounds) == (calls, calls, rounds)


@pytest.mark.parametrize(
    ("endpoint", "text", "end"),
    [
        ("/music/get_members", 'ALL get_person("the gale")["members"]', "59 (60 of 500)."),
        ("/music/get_artist_all_works", 'get_song(get_person("the gale")["music"])["author"]',
         "Only the first 400 of many were looked up."),
    ],
)  # fmt: skip
def test_a_long_list_is_cut_and_that_is_said(endpoint: str, text: str, end: str) -> None:
    client = FakeClient({endpoint: {"The Gale": list(map(str, range(500)))}})
    (said,) = sentences(run(text, client))
    assert said.endswith(end)


@pytest.mark.parametrize("awards", [[], [{"category": "SOUND", "winner": True}]])
def test_oscars_of_a_film_are_complete_by_evidence(awards: list[dict[str, Any]]) -> None:
    """Released in an unknown year, it has no ceremony to look it up in."""
    film = {"title": "Salt", "oscar_awards": awards}
    client = FakeClient({"/movie/get_movie_info": {"salt": [film]}})
    (outcome,) = run('get_movie_person_oscar("salt")["category"]', client)
    assert outcome.complete is bool(awards)


def test_the_oscars_of_a_person_are_those_of_the_record_and_of_the_ceremonies() -> None:
    def award(category: str, name: str = "Aino Virta") -> dict[str, Any]:
        return {"year_ceremony": 2002, "category": category, "film": "Salt", "name": name}

    own = [{"name": "Aino Virta", "oscar_awards": [award("DIRECTING")]}]
    rows = [award("DIRECTING"), award("WRITING", "Written by Aino Virta"), award("SOUND", "B. C.")]
    client = FakeClient({
        "/movie/get_person_info": {"aino virta": own},
        "/movie/get_year_info": {"2002": {"oscar_awards": rows}},
    })  # fmt: skip
    (outcome,) = run('ALL get_movie_person_oscar(None, "aino virta")["category"]', client)
    assert (outcome.values, outcome.complete) == (("DIRECTING", "WRITING"), True)


def test_a_failed_call_and_a_wrong_type_cost_their_own_statements() -> None:
    down = FakeClient({"/movie/get_movie_info": ApiUnavailable("down")})
    titles = 'get_movie("salt")["title"]; AVG get_movie("salt")["title"]'
    film, wrong, song = run(f'{titles}; get_song("salt road")["author"]', down)
    assert [type(error) for error in (*film.errors, *wrong.errors)] == [ApiUnavailable, SchemaError]
    assert (film.values, wrong.values, song.values, song.errors) == ((), (), ("The Gale",), ())


def test_minutes_are_taken_from_a_time_on_the_first_day_to_one_on_the_last() -> None:
    stamps = ["2024-02-26 15:00", "2024-02-26 15:30", "2024-02-27 09:30", "2024-02-27 10:00"]
    prices = {f"{stamp}:00 EST": {"Open": float(i)} for i, stamp in enumerate(stamps)}
    client = FakeClient({"/finance/get_detailed_price_history": {"ACMW": prices}})
    times = '"2024-02-26 15:30", "2024-02-27 09:30"'
    text = f'ALL get_stock_detailed_price("acme widgets", {times})["open"]'
    assert run(text, client)[0].values == (1.0, 2.0)
