"""Function calling over the KG API, and programs of the query language, as references."""

import json
from typing import Any

import pytest

from models.batch import read_query_time
from models.kg.language.grammar import constraint_text
from models.llm.constraints import accepts
from models.llm.protocol import ConstraintKind, Prompt
from models.records import Question, Task
from models.subtasks import kg_functions, kg_programs
from models.subtasks.kg_functions import FunctionCalls, constraint, functions_text, read
from models.subtasks.kg_programs import QueryPrograms
from models.systems.protocol import Ledger
from tests.models.systems.scripted import ScriptedLLMs
from utils.crag_api import Call
from utils.crag_endpoints import ENDPOINTS
from utils.deadline import Deadline
from utils.errors import ApiUnavailable

SOON = Deadline(10.0, lambda: 0.0)
CALLS = (
    '{"calls":[{"function":"finance_get_market_capitalization","args":{"ticker_name":"ACMW"}},'
    '{"function":"music_get_members","args":{"band_name":"The Gale"}}]}'
)
DIRECTOR = 'get_movie_person_crew("the glass harbour", None, eq(job, "Director"))["name"]'


def question(text: str = "?") -> Question:
    return Question("q", text, read_query_time("03/10/2024, 23:19:21 PT"), Task.KG_WEB)


def test_the_constraint_knows_all_endpoints_and_admits_calls() -> None:
    pytest.importorskip("llguidance")
    for row in ENDPOINTS:
        assert row.method in functions_text()
        assert row.method in constraint().text
    assert accepts(constraint(), CALLS)
    assert accepts(constraint(), '{"calls":[]}')
    assert not accepts(constraint(), CALLS.replace("ticker_name", "ticker"))
    assert not accepts(constraint(), '{"calls":[{"function":"finance_buy","args":{}}]}')


def test_calls_that_the_api_would_refuse_are_left_out() -> None:
    rows = [
        {"function": "music_grammy_get_best_song_by_year", "args": {"year": "2019"}},
        {"function": "music_grammy_get_best_song_by_year", "args": {"year": 2019}},
        {"function": "rm", "args": {}},
        {"function": "open_get_entity"},
        7,
    ]
    found = read(json.dumps({"calls": rows[:4]})) + read(json.dumps(rows[4:]))
    assert found == [Call("/music/grammy_get_best_song_by_year", {"query": 2019})]
    assert read("I would call the API") == [] and read('{"calls": 3}') == []


def test_the_calls_of_a_batch_are_one_round_and_one_fetch(client: Any) -> None:
    llms = ScriptedLLMs({kg_functions.SUBTASK: lambda prompt: CALLS})
    ledger = Ledger(2)
    found = FunctionCalls(llms, client).gather([question()] * 2, [0, 1], SOON, ledger)
    assert llms.order == [kg_functions.SUBTASK]
    assert found[0] == found[1]
    assert found[0].splitlines() == [
        "finance_get_market_capitalization(query='ACMW'): 1234567.5",
        'music_get_members(query=\'The Gale\'): ["A. One", "B. Two"]',
    ]
    assert "Sunday, March 10, 2024" in llms.asked(kg_functions.SUBTASK)[0]


def test_a_failed_call_is_noted_and_the_other_stands(client: Any) -> None:
    client.replies[("/music/get_members", "The Gale")] = ApiUnavailable("down")
    llms = ScriptedLLMs({kg_functions.SUBTASK: lambda prompt: CALLS})
    ledger = Ledger(1)
    found = FunctionCalls(llms, client).gather([question()], [0], SOON, ledger)
    assert found[0].endswith("1234567.5")
    assert [type(error) for error in ledger.close()[0].failures] == [ApiUnavailable]


def test_a_long_answer_is_cut_and_marked(client: Any) -> None:
    client.replies[("/music/get_members", "The Gale")] = ["a long name"] * 500
    llms = ScriptedLLMs({kg_functions.SUBTASK: lambda prompt: CALLS})
    text = FunctionCalls(llms, client).gather([question()], [0], SOON, Ledger(1))[0]
    assert len(text) < 1000 and text.endswith("[...]")


def test_without_time_no_call_is_made(client: Any) -> None:
    now = [0.0]

    def reply(prompt: Prompt) -> str:
        now[0] = 5.0
        return CALLS

    llms = ScriptedLLMs({kg_functions.SUBTASK: reply})
    ledger = Ledger(1)
    deadline = Deadline(3.0, lambda: now[0])
    assert FunctionCalls(llms, client).gather([question()], [0], deadline, ledger) == {}
    assert ledger.close()[0].failures


def test_a_program_is_written_under_the_grammar_and_run(client: Any) -> None:
    llms = ScriptedLLMs({kg_programs.SUBTASK: lambda prompt: DIRECTOR}, {"write_query": "queries"})
    found = QueryPrograms(llms, client).gather([question()], [0], SOON, Ledger(1))
    assert "Aino Virta" in found[0]
    ((_, (prompt,)),) = llms.rounds
    assert prompt.adapter == "queries" and prompt.constraint is not None
    assert prompt.constraint.kind is ConstraintKind.GRAMMAR
    assert prompt.constraint.text == constraint_text()


@pytest.mark.parametrize(("program", "fails"), [("None", False), ("who knows?", True)])
def test_no_program_is_no_reference(program: str, fails: bool, client: Any) -> None:
    llms = ScriptedLLMs({kg_programs.SUBTASK: lambda prompt: program})
    ledger = Ledger(1)
    assert QueryPrograms(llms, client).gather([question()], [0], SOON, ledger) == {}
    assert bool(ledger.close()[0].failures) is fails
