"""Our own questions about the example KG (`DOMAIN.jsonl`), and which of them are answered.

A case: `question`, `answer` (null: the KG cannot answer), and `now` where it is not the usual time.
`fails` says what the parser is known to give in place of the answer: "no answer" or "another
answer". The answers in `answers.jsonl` must all be found, at any probability.
"""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from mock_api.local import LocalClient
from models.kg.language.printer import to_text
from models.kg.parsing.__main__ import explained
from models.kg.parsing.base import Base
from models.kg.parsing.semantic_parser import MAX_CHARS, ParsedQuestion, SemanticParser
from models.records import Domain
from tests.models.kg.cases import SOON, Answering
from utils.crag_api import ApiCall
from utils.errors import ApiUnavailable

NOW = "2024-02-28T08:25:51"


def cases(name: str) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def parse(question: str, client: Any, now: str = NOW) -> ParsedQuestion:
    return SemanticParser(client).parse(question, datetime.fromisoformat(now), SOON)


def outcome(case: dict[str, Any], answer: str | None) -> str:
    """What became of a case: "right", or what it `fails` by."""
    if answer is None:
        return "right" if case["answer"] is None else "no answer"
    item = Item("", case["question"], (str(case["answer"]),), answer)
    (judgement,) = RulesJudge().judge([item])
    is_right = case["answer"] is not None and judgement.verdict is Verdict.CORRECT
    return "right" if is_right else "another answer"


@pytest.mark.parametrize(
    "case",
    [case for domain in Domain for case in cases(str(domain))],
    ids=lambda case: case["question"],
)
def test_each_question_is_answered_but_those_that_are_known_to_fail(
    case: dict[str, Any], example_kg: LocalClient
) -> None:
    answer = parse(case["question"], example_kg, case.get("now", NOW)).answer
    assert outcome(case, answer) == case.get("fails", "right")


def test_answers_of_a_type_that_is_not_asked_for_are_ruled_out(example_kg: LocalClient) -> None:
    released = parse("was dunkirk released in 2017?", example_kg)
    assert released.answer == "yes"
    dates = [d for d in released.derivations if d.candidate.type == "date"]
    assert dates and all(d.ruled_out and d.answer is None for d in dates)


@pytest.mark.parametrize(
    ("question", "name", "is_offered"),
    [
        ("who directed green?", "Green Book", False),
        ("what is the market cap of independent?", "Independent Bank Corp. Common Stock", False),
        ("what is the market cap of royal?", "Royal Caribbean Cruises Ltd. Common Stock", False),
        ("who directed the film green?", "Green Book", True),
        ("who directed green book?", "Green Book", True),
        (
            "what is the market cap of the company royal?",
            "Royal Caribbean Cruises Ltd. Common Stock",
            True,
        ),
    ],
)
def test_a_common_word_is_no_evidence_of_a_longer_name(
    question: str, name: str, is_offered: bool, example_kg: LocalClient
) -> None:
    derivations = parse(question, example_kg).derivations
    about = [d for d in derivations if d.answer and d.candidate.bases[0].thing.name == name]
    assert bool(about) == is_offered


@pytest.mark.parametrize(
    ("question", "is_dated"),
    [
        ("what was the score of arsenal's last game?", False),
        ("what was arsenal's score last month?", True),
        ("how many goals did arsenal score last month?", True),
        ("what was alavés's score in the last month?", True),
        ("what was brentford's score yesterday?", True),
        ("how many goals did tottenham score last month?", True),
    ],
)
def test_an_undated_reading_is_ruled_out_where_the_dated_one_is_empty(
    question: str, is_dated: bool, example_kg: LocalClient
) -> None:
    last_games = [
        derivation
        for derivation in parse(question, example_kg, "2024-03-14T08:00:00").derivations
        if derivation.candidate.bases[0].relation.function.name == "get_soccer_last_game"
    ]
    assert is_dated != any(derivation.answer for derivation in last_games)


@pytest.mark.parametrize(
    "question",
    [
        'who wrote the song "hello" from the album "silver birches"?',
        'who sang "hello" in "the quiet ferry"?',
        'when was the song "hello" of the record "north by nine" released?',
        'who directed "dunkirk", the sequel of "a distant shore"?',
        'how long is dunkirk in the "extended harbour" cut?',
    ],
)
def test_an_answer_that_leaves_a_quoted_name_unread_is_ruled_out(
    question: str, example_kg: LocalClient
) -> None:
    parsed = parse(question, example_kg)
    assert any(derivation.ruled_out for derivation in parsed.derivations)
    assert parsed.choice is None


def test_the_explanation_shows_spans_programs_and_features(example_kg: LocalClient) -> None:
    parser = SemanticParser(example_kg)
    parsed = parser.parse("how long is dunkirk roughly?", datetime.fromisoformat(NOW), SOON)
    lines = list(explained(parsed, parser))
    assert "  movie: 'Dunkirk', named 'dunkirk' (1.00)" in lines
    assert '  ALL get_movie("Dunkirk")["length"]' in lines
    assert any(line.startswith("  score ") and "left none" in line for line in lines)
    values = [line.partition(": ")[2] for line in lines if re.match(r"\d+\. ", line)]
    assert repr(parsed.answer) in values
    assert "gives no answer" in values, "those without an answer are shown, too"
    end = re.escape(f"answer: {parsed.answer!r}, right with a probability of 0.")
    assert re.fullmatch(rf"{end}\d\d", lines[-1])


def test_the_explanation_tells_nothing_refused_and_ruled_out_apart(
    example_kg: LocalClient,
) -> None:
    parser = SemanticParser(example_kg)

    def lines_of(text: str) -> list[str]:
        return list(explained(parser.parse(text, None, SOON), parser))

    assert lines_of("") == ["not read: too long, or empty"]
    empty = lines_of("where did james cameron build the big water tank to shoot titanic?")
    assert "1. invalid: the KG has nothing" in empty
    assert empty[-1] == "no answer: no reading of the question has an answer in the KG"
    refused = lines_of("how many oscars did the crew of the hurt locker's catering win?")
    assert any(line.endswith(", ruled out") for line in refused)
    assert re.fullmatch(r"answer refused: '6': .* of 0\.\d\d, .* is needed", refused[-1])
    scores = [float(line.split()[1].rstrip(":")) for line in refused if line.startswith("  score ")]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("question", "times"),
    [
        ("what did apple close at on february 27, 2024?", '"2024-02-27"'),
        (
            "what was the highest closing price of apple in january 2024?",
            '"2024-01-01", "2024-01-31"',
        ),
        ("which movies were released in 2016?", "2016"),
    ],
)
def test_an_absolute_time_is_read_as_well_without_the_time_of_the_question(
    question: str, times: str, example_kg: LocalClient
) -> None:
    parser = SemanticParser(example_kg)
    best = []
    for now in (None, datetime.fromisoformat(NOW)):
        first = parser.parse(question, now, SOON).ranked()[0]
        best.append(to_text(first.candidate.program))
    assert best[0] == best[1]
    assert times in best[0]


def test_a_join_reads_another_call(example_kg: LocalClient) -> None:
    parsed = parse("how many films has christopher nolan directed in total?", example_kg)
    joined: list[Base] = []
    for derivation in parsed.derivations:
        joined += [base for base in derivation.candidate.bases if base.inner]
    assert joined
    for base in joined:
        assert base.inner is not None
        outer = (base.relation.function, base.relation.filter_value)
        assert outer != (base.inner.relation.function, base.inner.relation.filter_value)


@pytest.mark.parametrize("case", cases("answers"), ids=lambda case: case["question"])
def test_answers(case: dict[str, str], example_kg: LocalClient) -> None:
    choice = parse(case["question"], example_kg).choice
    assert choice is not None and choice.answer == case["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "how many hours long is titanic?",
        "how old was kate winslet in 1997?",
        "how old was frida kahlo when she married?",
        "how old was leonardo dicaprio and kate winslet when titanic came out?",
        "is titanic more than 3 and a half hours long?",
        "was the budget of titanic a loss?",
        "when was titanic, produced by jon landau, released?",
        "how many days apart were the releases of titanic and fury road?",
        "what films did tom hanks not star in?",
        "between feb 29 and march 5 2025, what was the close of expedia?",
        "9" * 500 + "th oscars best actor",
        "did the lakers win in the week of the latest game",
        "who are the current members of eagles of death metal?",
        "why did arsenal beat brentford on march 9 2024?",
        "which group formed first, the beatles or the glass harbour?",
        "is dunkirk two the original title?",
        "who plays dom cobb's wife in inception?",
        "who betrays dom cobb in inception?",
        "what is the average budget of dune, arrival and interstellar?",
        "what is the average closing price of facebook and expedia in february 2024?",
        "tell me facebook's eps of the last quarter of 2023",
        "what dividend did facebook pay at the end of february 2024?",
        "what were facebook's opening prices in total last week?",
        "how much did barbie make on its opening weekend?",
        "which movie has the larger number of remakes, oppenheimer or dune?",
    ],
)
def test_a_question_that_is_not_understood_has_no_answer(
    question: str, example_kg: LocalClient
) -> None:
    assert parse(question, example_kg, "2024-03-05T16:00:00").answer is None


def test_no_answer_is_given_if_an_equally_good_reading_failed(example_kg: LocalClient) -> None:
    def without_birth_places(call: ApiCall) -> Any:
        down = call.endpoint == "/music/get_artist_birth_place"
        return ApiUnavailable("down") if down else example_kg.call_many([call], deadline=SOON)[0]

    parsed = parse("was luis fonsi born in spain?", Answering(without_birth_places))
    assert parsed.answer is None and parsed.errors


def test_a_draw_has_no_margin(example_kg: LocalClient) -> None:
    question = "burnley played west ham on march 10 2024. what was the margin?"
    assert parse(question, example_kg, "2024-03-12").answer == "invalid question"


def open_domain_kg(pages: dict[str, Any], hits: dict[str, list[str]]) -> Answering:
    """A KG of open-domain entities: the page of each, and which queries find them."""

    def answer(call: ApiCall) -> Any:
        table: dict[str, Any] = hits if "search" in call.endpoint else pages
        return table.get(call.params["query"])

    return Answering(answer)


def test_an_entity_is_found_by_the_first_sentence_of_its_page() -> None:
    question = "how high is the capital of arcadia?"
    text = "Port Royal is the capital and largest city of Arcadia. It rains."
    pages = {
        "Port Royal": {"summary_text": text, "summary_structured": {"elevation_m": "238"}},
        "Elm Town": {"summary_text": "Elm Town is a town on the coast."},
    }
    hits = dict.fromkeys((question, "capital of arcadia", "Port Royal"), list(pages))
    parsed = parse(question, open_domain_kg(pages, hits))
    assert parsed.coverage is not None
    assert "Port Royal" in {t.name for t in parsed.coverage.spans.things if t.score < 1}
    assert parsed.choice is not None and parsed.choice.answer == "238"


def test_more_may_mean_a_lower_value() -> None:
    pages = {
        name: {"summary_text": f"{name} is a star.", "summary_structured": {"appmag_v": value}}
        for name, value in (("Alnor", "1.5"), ("Betzel", "2.5"))
    }
    client = open_domain_kg(pages, {name: [name] for name in pages})
    parsed = parse("which star shines the most, Alnor or Betzel?", client)
    assert parsed.choice is not None and parsed.choice.answer == "Alnor"


@pytest.mark.parametrize("text", ["", "?!", "x" * (MAX_CHARS + 1), "\u0000", "\ud800 film"])
def test_a_text_that_is_no_question_has_no_derivations(text: str, example_kg: LocalClient) -> None:
    parsed = SemanticParser(example_kg).parse(text, None, SOON)
    assert parsed.answer is None and not parsed.derivations
