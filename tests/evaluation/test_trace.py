"""One question of a traced run, shown."""

from pathlib import Path

import pytest

from evaluation.run_folder import TRACES
from models.runtime.trace import Step
from tests.evaluation.run_files import Command, result, write_run

ROUTE_STEP = Step(
    name="route",
    inputs={"question": "who?"},
    output="movie",
    seconds=0.25,
    tokens=1,
    confidence={"domain": 0.5},
    llm="small",
    prompt="db3/route",
    cost=0.1,
)
ANSWER_STEP = Step("answer_kg", {"passages": "The [bold]director[/bold] is " + "x" * 2000}, "Ann")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two questions, one of them without steps."""
    failure = {"kind": "ApiUnavailable", "step": "ask", "example": "gone"}
    results = [result(10), result(11, failures=(failure,))]
    return write_run(tmp_path / "one", results, [[ROUTE_STEP, ANSWER_STEP], []])


def test_a_question_is_shown_with_values_cut_and_markup_as_text(
    run: Path, command: Command
) -> None:
    text = command("trace", "q10", "--run", run)
    assert "who is 10?" in text
    assert "correct: Ann" in text
    assert "right answers: Ann" in text
    assert "LLM: small, adapter: none" in text
    assert "route · 0.250 s · 0 + 1 tokens" in text
    assert "movie" in text
    assert "domain 0.5" in text
    assert "[bold]director[/bold]" in text
    assert "characters)" in text
    assert "characters)" not in command("trace", "q10", "--run", run, "--full")
    assert "ApiUnavailable in ask: gone" in command("trace", "q11", "--run", run)
    assert "system:" in command("trace", "q10", "--run", run, "--prompt")


def test_the_latest_run_is_the_default_and_errors_say_what_is_missing(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setattr("evaluation.__main__.RUNS", tmp_path)
    command("trace", "q10")
    for absent_or_ambiguous in ("q7", "q1"):
        assert "q10" in command("trace", absent_or_ambiguous, status=2)
    (run / TRACES).unlink()
    assert "--no-trace" in command("trace", "q10", status=2)
    assert "--no-trace" in command("trace", "q10", "--run", run, status=2)


def test_a_question_is_found_by_its_words_and_the_run_is_named(run: Path, command: Command) -> None:
    text = command("trace", "Who 11", "--run", run)
    assert "who is 11?" in text
    assert text.startswith(f"{run}, question q11")
    ambiguous = command("trace", "who is", "--run", run, status=2)
    assert "2 questions of 2" in ambiguous
    assert "q10  who is 10?" in ambiguous
