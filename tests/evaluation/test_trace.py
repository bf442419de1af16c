"""One question of a traced run, shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.run_folder import TRACES
from models.runtime.trace import Step
from tests.evaluation.made import result, write_run

STEPS = [
    Step("route", {"question": "who?"}, "movie", 0.25, None, 1, {"domain": 0.5}, "small",
         "db3/route", cost=0.1),
    Step("answer_kg", {"passages": "The [bold]director[/bold] is " + "x" * 2000}, "Ann"),
]  # fmt: skip
Shown = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two questions, one of them without steps."""
    failure = {"kind": "ApiUnavailable", "step": "ask", "example": "gone"}
    results = [result(10), result(11, failures=(failure,))]
    return write_run(tmp_path / "one", results, [STEPS, []])


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    """What the command says."""
    monkeypatch.setenv("COLUMNS", "100")

    def show(*argv: str | Path, status: int = 0) -> str:
        assert main(["trace", *map(str, argv)]) == status
        said = capsys.readouterr()
        return said.out + said.err

    return show


def test_a_question_is_shown_with_its_values_cut_and_markup_as_text(
    run: Path, shown: Shown
) -> None:
    text = shown("q10", "--run", run)
    for part in ("who is 10?", "correct: Ann", "right answers: Ann", "LLM: small, adapter: none",
                 "route · 0.250 s · 0 + 1 tokens", "movie", "domain 0.5", "[bold]director[/bold]",
                 "characters)"):  # fmt: skip
        assert part in text
    assert "characters)" not in shown("q10", "--run", run, "--full")
    assert "ApiUnavailable in ask: gone" in shown("q11", "--run", run)
    assert "system:" in shown("q10", "--run", run, "--prompt")


@pytest.mark.parametrize("question", ["q7", "q1"])
def test_an_id_that_is_absent_or_ambiguous(run: Path, question: str, shown: Shown) -> None:
    assert "q10" in shown(question, "--run", run, status=2)


def test_the_latest_run_is_taken_and_without_traces_it_says_how_to_get_them(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    monkeypatch.setattr("evaluation.__main__.RUNS", tmp_path)
    shown("q10")
    (run / TRACES).unlink()
    assert "--no-trace" in shown("q10", status=2)
    assert "--no-trace" in shown("q10", "--run", run, status=2)
