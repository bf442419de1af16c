"""The coverage of annotated programs: outcomes, halves, the table, and the command."""

import json
from pathlib import Path

import pytest

from benchmarks.parser_coverage import (
    DEV,
    HELD_OUT,
    Outcome,
    QuestionRow,
    half_of,
    main,
    outcome_of,
    table_rows,
)
from models.kg.lexicon.lexicon import lexicon
from models.kg.parsing.parser import MAX_CHARS

TIME = "03/06/2024, 10:00:00 PT"
QUERY = "who directed the movie the quiet harbour?"
DIRECTOR = 'get_movie("the quiet harbour")["director"]'
WEBSITE = 'get_movie_person_cast("the quiet harbour", None, eq(order, 7))["birthday"]'
DEV_ID = "id1"
HELD_OUT_ID = "id9"


def question(query: str = QUERY, id: str = DEV_ID, time: str = TIME) -> QuestionRow:
    return QuestionRow(id, query, time, "movie")


def test_the_ids_of_these_tests_are_in_different_halves() -> None:
    assert (half_of(DEV_ID), half_of(HELD_OUT_ID)) == (DEV, HELD_OUT)


def test_six_of_ten_questions_are_dev() -> None:
    halves = [half_of(f"question {number}") for number in range(2000)]
    assert 0.57 < halves.count(DEV) / len(halves) < 0.63


@pytest.mark.parametrize(
    ("query", "program", "covered"),
    [
        (QUERY, DIRECTOR, True),
        (
            QUERY,
            'get_movie_person_crew("the quiet harbour", None, eq(job, "Director"))["name"][:1]',
            False,
        ),
        ("what is the p/e ratio of acw?", 'get_stock_pe_ratio("acw")', True),
        ("who is the mayor of loviisa?", 'get_open("loviisa")["mayor"]', True),
        ("who is the mayor of loviisa?", 'get_open("loviisa")', False),
        ("is it raining?", DIRECTOR, False),
        (QUERY, WEBSITE, False),
        (QUERY, "None", False),
        (QUERY, "what?", False),
        (QUERY, "", False),
        ("", DIRECTOR, False),
        (f"{QUERY} {'indeed ' * MAX_CHARS}", DIRECTOR, False),
    ],
)
def test_a_question_is_covered_by_the_annotated_program(
    query: str, program: str, covered: bool
) -> None:
    assert outcome_of(question(query), program, lexicon()).covered == covered


def test_without_its_time_a_question_is_not_covered() -> None:
    assert not outcome_of(question(time="some day"), DIRECTOR, lexicon()).covered


def test_the_table_has_shares_by_domain_and_half() -> None:
    outcomes = [
        Outcome(question(id=DEV_ID), DIRECTOR, (), covered=True),
        Outcome(question(id=DEV_ID), DIRECTOR, (), covered=False),
        Outcome(question(id=HELD_OUT_ID), DIRECTOR, (), covered=True),
    ]
    assert list(table_rows(outcomes, (DEV, HELD_OUT, "all"))) == [
        ("movie", 2, "50.0%", 1, "100.0%", 3, "66.7%"),
        ("all", 2, "50.0%", 1, "100.0%", 3, "66.7%"),
    ]


# ---- the command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with two questions that are covered and two that are not, in both halves."""
    questions = []
    programs = []
    for id in (DEV_ID, HELD_OUT_ID):
        for kind, program in (("full", DIRECTOR), ("full", WEBSITE), ("partial", DIRECTOR)):
            questions.append(
                {"interaction_id": id, "query": QUERY, "query_time": TIME, "domain": "movie"}
            )
            programs.append({"interaction_id": id, "program": program, "kind": kind})
    write(tmp_path / "questions_validation.jsonl", questions[:3])
    write(tmp_path / "questions_more.jsonl", questions[3:])
    write(tmp_path / "programs.jsonl", programs)
    return tmp_path


def write(file: Path, rows: list[dict[str, str]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_the_command_counts_full_programs(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data)]) == 0
    output = capsys.readouterr().out
    assert output.count("50.0%") == 6  # two halves and both, for the domain and for all
    assert QUERY not in output


def test_the_list_has_the_failures_of_dev(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--list"]) == 0
    output = capsys.readouterr().out
    assert output.count(QUERY) == 1
    assert WEBSITE in output
    assert "Values: ALL get_movie_person_crew" in output


def test_the_held_out_half_alone(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--held-out"]) == 0
    assert capsys.readouterr().out.count("50.0%") == 2


def test_the_held_out_half_is_never_listed(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--held-out", "--list"]) != 0
    assert "never listed" in capsys.readouterr().err


@pytest.mark.crag_data
def test_every_annotated_program_is_compared(
    crag_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(crag_data), "--held-out"]) == 0
    assert "all" in capsys.readouterr().out
