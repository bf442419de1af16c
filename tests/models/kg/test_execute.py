"""Programs over a small KG: what they give and say, which calls they make, and how they fail."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from models import kg
from models.kg.execute import StatementResult
from models.kg.language.ast import Op, Reduce
from models.kg.language.functions import functions
from models.kg.language.parser import parse
from models.kg.language.schema import SchemaError
from models.kg.verbalize import sentences
from utils.crag_api import Call
from utils.crag_endpoints import ENDPOINTS
from utils.deadline import Deadline
from utils.errors import ApiError, ApiUnavailable

HERE = Path(__file__).parent
KG = json.loads((HERE / "kg.json").read_text(encoding="utf-8"))
CASES = [
    json.loads(line) for line in (HERE / "programs.jsonl").read_text(encoding="utf-8").splitlines()
]
TEXTS = [case["text"] for case in CASES]
NOW = datetime(2024, 2, 28, 8, 0)
SOON = Deadline(10.0, lambda: 0.0)
FIRST_PARAMS = ("query", "rank", "attribute", "game_ids", "date")


class FakeClient:
    """Answers from `KG`; an exception put in its place is given as a failed call."""

    def __init__(self, kg: dict[str, Any] | None = None) -> None:
        self.kg = KG if kg is None else kg
        self.calls: list[Call] = []
        self.rounds = 0

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        self.calls += calls
        self.rounds += 1
        return [self._reply(call) for call in calls]

    def _reply(self, call: Call) -> Any:
        known = self.kg[call.endpoint]
        if not isinstance(known, dict):
            return known
        first = next((call.params[name] for name in FIRST_PARAMS if name in call.params), None)
        name = "null" if first is None else str(first)
        return known.get(name, known.get(name.lower()))


def run(
    text: str, client: FakeClient | None = None, now: datetime | None = NOW
) -> list[StatementResult]:
    return list(kg.run(text, client or FakeClient(), now, SOON).outcomes)


@pytest.mark.parametrize("case", CASES, ids=TEXTS)
def test_a_program_gives_values_and_says_them(case: dict[str, Any]) -> None:
    outcomes = run(case["text"])
    for outcome, expected in zip(outcomes, case["values"], strict=True):
        assert not outcome.errors
        assert expected is None or list(outcome.values) == expected
    assert sentences(outcomes) == case["english"]


def test_the_programs_use_every_function_and_operator_and_reach_every_endpoint() -> None:
    client = FakeClient()
    for text in TEXTS:
        run(text, client)
    assert {call.endpoint for call in client.calls} == {row.path for row in ENDPOINTS}
    words = {word for text in TEXTS for word in re.findall(r"\w+", text)}
    assert {*functions().names, *Op, *Reduce, "sort", "ALL", "None"} <= words


@pytest.mark.parametrize(
    "shown", (HERE / "plans.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")
)
def test_a_plan_is_shown_as_a_person_reads_it(shown: str) -> None:
    text, _, plan = shown.partition("\n")
    assert kg.explain(text) == plan


@pytest.mark.parametrize("text", [text for text in TEXTS if text != "None"])
def test_the_plan_names_every_endpoint_that_is_called(text: str) -> None:
    client = FakeClient()
    run(text, client)
    plan = kg.explain(parse(text).program)
    assert {call.endpoint for call in client.calls} <= set(plan.split())


def test_statements_run_side_by_side_and_a_call_is_made_once() -> None:
    client = FakeClient()
    text = 'get_movie("salt")["title"]; get_movie("salt")["year"]; get_song("salt road")["author"]'
    run(text, client)
    asked = [(call.endpoint, str(call.params)) for call in client.calls]
    assert len(asked) == len(set(asked)) == 3  # two searches, and the one wanted key of a song
    assert client.rounds == 2


def test_the_films_of_a_person_are_fetched_in_one_round() -> None:
    client = FakeClient()
    run('ALL get_movie_person_crew(None, "aino virta")["movie_name"]', client)
    assert (len(client.calls), client.rounds) == (4, 2)


def test_of_very_many_names_the_rest_is_left_out_and_said() -> None:
    kg = {**KG, "/music/get_artist_all_works": {"The Gale": [f"Song {i}" for i in range(500)]}}
    text = 'get_song(get_person("the gale")["music"])["release_date"]'
    (said,) = sentences(run(text, FakeClient(kg)))
    assert "Only the first 400 of many were looked up." in said


def test_a_query_inside_that_gives_nothing_is_not_an_argument_left_open() -> None:
    client = FakeClient()
    text = 'get_movie_person_oscar(None, get_movie("x")["director"], eq(year, 2002))["name"]'
    assert run(text, client)[0].values == ()
    assert [call.endpoint for call in client.calls] == ["/movie/get_movie_info"]


@pytest.mark.parametrize(
    ("record", "complete"),
    [
        ({"title": "Salt"}, False),  # released in an unknown year: no ceremony to look it up in
        ({"title": "Salt", "oscar_awards": [{"category": "SOUND", "winner": True}]}, True),
    ],
)
def test_the_oscars_of_a_film_are_complete_if_there_is_evidence(
    record: dict[str, Any], complete: bool
) -> None:
    kg = {**KG, "/movie/get_movie_info": {"salt": [record]}}
    (outcome,) = run('get_movie_person_oscar("salt")["category"]', FakeClient(kg))
    assert outcome.complete is complete


def test_what_a_condition_joined_is_sorted_by_the_name_of_its_list() -> None:
    songs = 'get_person("the gale", gt(release_date, "2000"))["music"]'
    _, latest = run(f'{songs}; sort(None, -release_date)["music"]')
    assert latest.values == ("Salt Road",)


def test_a_failed_call_costs_its_own_statement_and_is_told() -> None:
    down = {**KG, "/movie/get_movie_info": ApiUnavailable("down")}
    text = 'get_movie("salt")["title"]; get_song("salt road")["author"]'
    film, song = run(text, FakeClient(down))
    assert film.values == ()
    assert [type(error) for error in film.errors] == [ApiUnavailable]
    assert (song.values, song.errors) == (("The Gale",), ())


def test_what_the_schema_rules_out_is_not_fetched() -> None:
    client = FakeClient()
    wrong, right = run('AVG get_movie("salt")["title"]; get_movie("salt")["title"]', client)
    assert [type(error) for error in wrong.errors] == [SchemaError]
    assert (wrong.values, right.values) == ((), ("Salt",))
    assert len(client.calls) == 1


def test_a_long_list_is_cut_and_its_length_said() -> None:
    kg = {**KG, "/music/get_members": {"The Gale": [f"M{i}" for i in range(75)]}}
    (text,) = sentences(run('ALL get_person("the gale")["members"]', FakeClient(kg)))
    assert text.endswith("M59 (60 of 75).")


def test_minutes_are_taken_from_a_time_on_the_first_day_to_one_on_the_last() -> None:
    stamps = ["2024-02-26 15:00", "2024-02-26 15:30", "2024-02-27 09:30", "2024-02-27 10:00"]
    prices = {f"{stamp}:00 EST": {"Open": float(i)} for i, stamp in enumerate(stamps)}
    kg = {**KG, "/finance/get_detailed_price_history": {"ACMW": prices}}
    times = '"2024-02-26 15:30", "2024-02-27 09:30"'
    text = f'ALL get_stock_detailed_price("acme widgets", {times})["open"]'
    assert run(text, FakeClient(kg))[0].values == (1.0, 2.0)
