"""The KG baseline: the model's lookups, the statements of the rules, and their sentences.

Cases are data (`kg_baseline_cases.jsonl`): the model's reply, and what the text says and lacks.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.batch_input import PACIFIC
from models.english.periods import PeriodError
from models.kg.language.check import check
from models.kg.language.parse import parse
from models.llm.constraints import accepts
from models.llm.protocol import Completion, FinishReason
from models.prompts import load_prompt
from models.records import Domain, Task
from models.runtime.case import Case, QuestionOutcome
from models.subtasks.kg_text.baseline import (
    KINDS,
    PROMPT,
    SUBTASK,
    KgBaseline,
    Lookup,
    constraint,
    read_kinds,
    read_lookups,
)
from tests.models.kg.cases import SOON
from tests.models.systems.scripted import ScriptedLLMs, question, saying, text_of
from utils.crag_api import ApiCall
from utils.crag_endpoints import ENDPOINTS
from utils.deadline import Deadline
from utils.errors import ApiUnavailable, SettingsError

FILE = Path(__file__).parent / "kg_baseline_cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
FIRST = CASES[0]  # the market capitalization of Apple and Microsoft


@dataclass
class StoreClient:
    """The example KG; a test may replace the values of an endpoint. It records its calls."""

    kg: LocalClient
    replaced: dict[str, Any] = field(default_factory=dict)
    calls: list[ApiCall] = field(default_factory=list)

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        self.calls += calls
        values = self.kg.call_many(calls, deadline=deadline)
        return [
            self.replaced.get(call.endpoint, value)
            for call, value in zip(calls, values, strict=True)
        ]


@pytest.fixture
def store(example_kg: LocalClient) -> StoreClient:
    return StoreClient(example_kg)


def reply_with(*cases: dict[str, Any]) -> str:
    """The model's reply with these lookups, each with all fields of the schema."""
    empty = {"domain": "", "kind": "", "names": [], "wanted": [], "time": ""}
    lookups = []
    for case in cases:
        lookups.append({field: case.get(field, default) for field, default in empty.items()})
    return json.dumps({"lookups": lookups}, separators=(",", ":"))


def gather(
    client: StoreClient, reply: Any, now: str = "2024-03-15T15:00:00"
) -> tuple[str, QuestionOutcome, ScriptedLLMs]:
    """The text for a question asked at `now`, its outcome, and the engines."""
    llms = ScriptedLLMs({SUBTASK: saying(reply)}, {SUBTASK: "names"})
    asked_at = datetime.fromisoformat(now).replace(tzinfo=PACIFIC)
    case = Case(question("question?", Task.KG_WEB, (), asked_at))
    (text,) = KgBaseline(llms, client).gather([case], SOON)
    return text, case.slot.close(), llms


def case_text(case: dict[str, Any], client: StoreClient) -> str:
    """The text for a case, in which no call fails."""
    now = case.get("now", "2024-03-15T15:00:00")
    text, outcome, _ = gather(client, reply_with(case), now)
    assert not outcome.failures
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: reply_with(case)[12:90])
def test_the_rules_look_up_each_case_and_the_constraint_accepts_it(
    case: dict[str, Any], store: StoreClient
) -> None:
    text = case_text(case, store)
    assert all(part in text for part in case.get("says", []))
    assert not any(part in text for part in case.get("lacks", []))
    assert text.startswith(case.get("first", ""))
    assert accepts(constraint(), reply_with(case))


@pytest.mark.parametrize(
    "reply",
    [
        '{"lookups":[{"domain":"finance","kind":"song","names":[],"wanted":[],"time":""}]}',
        '{"lookups":[{"domain":"movie","kind":"movie","names":[],"wanted":["price"],"time":""}]}',
        '{"lookups":[{"domain":"movie","kind":"movie","names":[],"wanted":[]}]}',
        '{"lookups":[],"answer":"42"}',
        "the director is Aino Virta",
    ],
)
def test_the_constraint_rejects_other_replies(reply: str) -> None:
    assert not accepts(constraint(), reply)


def test_the_constraint_accepts_the_replies_that_the_prompt_shows() -> None:
    replies = [text for role, text in load_prompt(PROMPT).turns if role == "assistant"]
    assert len(replies) > 3
    for reply in replies:
        assert accepts(constraint(), reply)
        assert len(read_lookups(reply)) == 1


def test_the_cases_cover_every_kind_and_endpoint(store: StoreClient) -> None:
    kinds = {(str(domain), name) for domain, name in KINDS}
    assert {(case["domain"], case["kind"]) for case in CASES} == kinds
    for case in CASES:
        case_text(case, store)
    called = {call.endpoint for call in store.calls}
    # no rule needs a person's id
    assert {row.path for row in ENDPOINTS} - called == {"/movie/get_person_info_by_id"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('alsoo = ["get_open({name})"]', "did you mean also"),
        ('usual = ["price"]', "person has no fact 'price'"),
        ('also = ["get_open({nmae})"]', "{nmae} has no meaning"),
    ],
)
def test_a_misspelt_row_is_an_error_at_load(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "kinds.toml"
    file.write_text(f'[[kind]]\ndomain = "movie"\nname = "person"\n{line}\n')
    with pytest.raises(SettingsError, match=message):
        read_kinds(file)


TIMES = [  # the forms that the prompt offers
    "",
    "2023-11-10",
    "2023-11",
    "2023",
    "2023-11-06 to 2023-11-12",
    "2023-02-01 to 2023-09-30",
    "2019-01-01 to 2022-12-31",
    "2022-06-15 to 2024-06-15",
    "2021 to 2023",
]


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_every_fact_of_every_kind_has_programs_for_every_form_of_a_time(
    kind: tuple[Domain, str], time: str
) -> None:
    for fact in KINDS[kind].facts or ("a fact",):
        texts = list(Lookup(*kind, ("7",), (fact,), time).statements(datetime(2024, 3, 15)))
        assert texts, fact
        for names in (("a",), ()):
            texts += Lookup(*kind, names, (fact,), time).statements(datetime(2024, 3, 15))
        program = parse("; ".join(texts), strict=True).program
        assert not any(check(program))


def test_times_at_the_ends_of_the_calendar_are_looked_up_without_an_error() -> None:
    for time in ("9999-12-27 to 9999-12-31", "0001-01-01 to 9999-12-31", "0001-01-01"):
        for now in (None, datetime(2024, 3, 15)):
            for kind, rows in KINDS.items():
                wanted = tuple(rows.facts)
                texts = list(Lookup(*kind, ("7",), wanted, time).statements(now))
                assert len(texts) <= 3 * 70 + 10


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("[" * 100_000, []),
        ("[1]", []),
        ('{"lookups": "x"}', []),
        ('{"lookups": [7, {"domain": "x", "kind": "y"}]}', []),
        (
            reply_with(
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
def test_valid_lookups_are_read_from_any_reply(reply: str, expected: list[Lookup]) -> None:
    assert read_lookups(reply) == expected


def test_the_prompt_has_the_schema_and_the_questions_time(store: StoreClient) -> None:
    both = reply_with(FIRST, {"domain": "open", "kind": "entity", "names": ["eiffel tower"]})
    text, outcome, llms = gather(store, both)
    ((_, prompts),) = llms.rounds
    (prompt,) = prompts
    assert prompt.adapter == "names"
    assert prompt.constraint == constraint()
    for part in ("Friday, March 15, 2024, 15:00 PT", "question?", "- open, entity: "):
        assert part in text_of(prompt)
    assert text.startswith("The market capitalization of Apple")
    assert "Eiffel" in text
    assert [step.name for step in outcome.steps] == [SUBTASK, "kg"]


def test_an_unfinished_reply_is_not_looked_up(store: StoreClient) -> None:
    late = Completion(reply_with(FIRST), FinishReason.DEADLINE, 5)
    text, _, _ = gather(store, late)
    assert text == ""
    assert store.calls == []


APPLE = {"domain": "finance", "kind": "company", "names": ["apple"]}


def test_a_failed_call_and_an_unknown_time_affect_only_their_facts(store: StoreClient) -> None:
    store.replaced = {"/finance/get_eps": ApiUnavailable("down")}
    first = {"domain": "sports", "kind": "soccer", "names": ["arsenal"], "time": "the ipo day"}
    wanted = APPLE | {"wanted": ["eps", "pe_ratio"]}
    text, outcome, _ = gather(store, reply_with(first, wanted))
    assert text == "The P/E ratio of Apple Inc. Common Stock is 25.13."
    assert {type(error) for error in outcome.failures} == {PeriodError, ApiUnavailable}


def test_line_breaks_of_a_record_are_removed(store: StoreClient) -> None:
    info = {"city": "Oslo\n===END===\nask me", "longName": "Eiffel Tower"}
    store.replaced = {"/finance/get_info": info}
    city, page = case_text(APPLE | {"wanted": ["profile"]}, store).splitlines()
    assert city.endswith(" is Oslo ===END=== ask me.")
    assert page.startswith("Eiffel Tower: ")
