"""Programs over small KGs: their values and sentences, the calls that they make, and failures."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models import kg
from models.kg.execution.outcome import Outcome
from models.kg.language.check import SchemaError
from models.kg.language.parse import parse
from models.kg.lexicon.named_functions import functions
from models.kg.schema.operations import Op, Reduce
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
    """Replies from `KG`, unless `replies` has another one; an exception there is a failed call."""

    def __init__(self, replies: dict[str, Any] | None = None) -> None:
        self.kg = KG | (replies or {})
        self.calls: list[ApiCall] = []
        self.rounds = 0

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        self.calls += calls
        self.rounds += 1
        return [self._reply(call) for call in calls]

    def _reply(self, call: ApiCall) -> Any:
        replies = self.kg[call.endpoint]
        if not isinstance(replies, dict):
            return replies
        values = [call.params[name] for name in FIRST_PARAMS if name in call.params]
        name = str(values[0]) if values and values[0] is not None else "null"
        return replies.get(name, replies.get(name.lower()))


def run(text: str, client: FakeClient | None = None) -> list[Outcome]:
    return list(kg.run(text, client or FakeClient(), NOW, SOON).outcomes)


def check(case: dict[str, Any], client: Any, now: datetime) -> None:
    result = kg.run(case["text"], client, now, SOON)
    for outcome, values in zip(result.outcomes, case["values"], strict=True):
        assert values is None or list(outcome.values) == values
    assert result.sentences == case["english"]


@pytest.mark.parametrize("case", CASES)
def test_a_program_gives_values_and_sentences(case: dict[str, Any]) -> None:
    check(case, FakeClient(), NOW)


@pytest.mark.parametrize("case", cases(HERE / "sample_kg.jsonl"))
def test_a_program_over_the_sample_kg_gives_values_and_sentences(
    case: dict[str, Any], example_kg: LocalClient
) -> None:
    check(case, example_kg, datetime.fromisoformat(case.get("now", "2024-03-15T16:00:00")))


def test_the_cases_cover_all_functions_operators_and_endpoints() -> None:
    client = FakeClient()
    for text in TEXTS:
        before = len(client.calls)
        run(text, client)
        if text != "None":
            plan = kg.explain(parse(text).program)
            endpoints = {call.endpoint for call in client.calls[before:]}
            assert endpoints <= set(plan.split()), text
    assert {call.endpoint for call in client.calls} == {row.path for row in ENDPOINTS}
    words = set(re.findall(r"\w+", " ".join(TEXTS)))
    assert {*functions().names, *Op, *Reduce, "sort", "ALL", "None"} <= words


PLANS = (HERE / "plans.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")


@pytest.mark.parametrize("program_and_plan", PLANS)
def test_a_plan_is_explained_in_words(program_and_plan: str) -> None:
    text, _, plan = program_and_plan.partition("\n")
    assert kg.explain(text) == plan


@pytest.mark.parametrize(
    ("text", "calls", "rounds"),
    [
        pytest.param(
            'get_movie("salt")["title"]; get_movie("salt")["year"];'
            ' get_song("salt road")["author"]',
            3,
            2,
            id="two searches, then the one key of a song that is used",
        ),
        pytest.param(
            'ALL get_movie_person_crew(None, "aino virta")["movie_name"]',
            4,
            2,
            id="one search, then all films",
        ),
        pytest.param(
            'get_movie_person_oscar(None, get_movie("x")["director"], eq(year, 2002))["name"]',
            1,
            1,
            id="an inner query without values is not an open argument",
        ),
        pytest.param('AVG get_movie("salt")["title"]', 0, 0, id="a violation of the schema"),
    ],
)
def test_calls_are_made_in_parallel_and_once(text: str, calls: int, rounds: int) -> None:
    client = FakeClient()
    run(text, client)
    distinct_calls = {(call.endpoint, str(call.params)) for call in client.calls}
    assert len(client.calls) == calls
    assert len(distinct_calls) == calls
    assert client.rounds == rounds


@pytest.mark.parametrize(
    ("endpoint", "text", "end"),
    [
        ("/music/get_members", 'ALL get_person("the gale")["members"]', "59 (60 of 500)."),
        (
            "/music/get_artist_all_works",
            'get_song(get_person("the gale")["music"])["author"]',
            "Only the first 400 of many were looked up.",
        ),
    ],
)
def test_a_sentence_states_that_a_long_list_was_cut(endpoint: str, text: str, end: str) -> None:
    names = [str(number) for number in range(500)]
    client = FakeClient({endpoint: {"The Gale": names}})
    (sentence,) = kg.run(text, client, NOW, SOON).sentences
    assert sentence.endswith(end)


@pytest.mark.parametrize("awards", [[], [{"category": "SOUND", "winner": True}]])
def test_oscars_of_a_film_of_an_unknown_year_are_complete_if_it_has_some(
    awards: list[dict[str, Any]],
) -> None:
    """Without a year there is no ceremony to look the film up in."""
    film = {"title": "Salt", "oscar_awards": awards}
    client = FakeClient({"/movie/get_movie_info": {"salt": [film]}})
    (outcome,) = run('get_movie_person_oscar("salt")["category"]', client)
    assert outcome.complete is bool(awards)


def test_oscars_of_a_person_are_read_from_the_record_and_the_ceremonies() -> None:
    def award(category: str, name: str = "Aino Virta") -> dict[str, Any]:
        return {"year_ceremony": 2002, "category": category, "film": "Salt", "name": name}

    person = {"name": "Aino Virta", "oscar_awards": [award("DIRECTING")]}
    ceremony = [
        award("DIRECTING"),
        award("WRITING", "Written by Aino Virta"),
        award("SOUND", "B. C."),
    ]
    client = FakeClient(
        {
            "/movie/get_person_info": {"aino virta": [person]},
            "/movie/get_year_info": {"2002": {"oscar_awards": ceremony}},
        }
    )
    (outcome,) = run('ALL get_movie_person_oscar(None, "aino virta")["category"]', client)
    assert outcome.values == ("DIRECTING", "WRITING")
    assert outcome.complete


@pytest.mark.parametrize("key", ["runtime", "birthday"])
def test_an_honorary_oscar_has_neither_a_film_nor_its_keys(key: str) -> None:
    honorary = {"year_ceremony": 2002, "category": "HONORARY AWARD", "film": None, "name": None}
    client = FakeClient({"/movie/get_year_info": {"2002": {"oscar_awards": [honorary]}}})
    (outcome,) = run(f'ALL get_movie_person_oscar(None, None, 2002)["{key}"]', client)
    assert not outcome.values
    assert not outcome.errors
    assert [call.endpoint for call in client.calls] == ["/movie/get_year_info"]


def test_a_failed_call_and_a_wrong_type_affect_only_their_statements() -> None:
    client = FakeClient({"/movie/get_movie_info": ApiUnavailable("down")})
    titles = 'get_movie("salt")["title"]; AVG get_movie("salt")["title"]'
    film, mean, song = run(f'{titles}; get_song("salt road")["author"]', client)
    assert [type(error) for error in film.errors] == [ApiUnavailable]
    assert [type(error) for error in mean.errors] == [SchemaError]
    assert film.values == ()
    assert mean.values == ()
    assert song.values == ("The Gale",)
    assert song.errors == ()


def test_prices_per_minute_begin_and_end_at_the_times_of_day() -> None:
    stamps = ["2024-02-26 15:00", "2024-02-26 15:30", "2024-02-27 09:30", "2024-02-27 10:00"]
    prices = {f"{stamp}:00 EST": {"Open": float(i)} for i, stamp in enumerate(stamps)}
    client = FakeClient({"/finance/get_detailed_price_history": {"ACMW": prices}})
    times = '"2024-02-26 15:30", "2024-02-27 09:30"'
    text = f'ALL get_stock_detailed_price("acme widgets", {times})["open"]'
    assert run(text, client)[0].values == (1.0, 2.0)
