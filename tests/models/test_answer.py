"""`crag answer`."""

from pathlib import Path

import pytest

from models.__main__ import main

TITANIC = "who directed titanic?"
DEAD = "http://127.0.0.1:9"


@pytest.fixture
def page(tmp_path: Path) -> str:
    file = tmp_path / "page.html"
    html = (
        "<title>The Lamp</title><p>The Lamp was directed by Bo Third.</p><p>It is in caf\xe9s.</p>"
    )
    file.write_bytes(html.encode("latin-1"))
    return str(file)


@pytest.mark.parametrize(
    ("question", "sources", "answer"),
    [
        (TITANIC, ["--example"], "James Cameron"),
        ("who directed the film nobody made?", ["--page", "PAGE"], "i don't know"),
        (TITANIC, ["--example", "--page", "PAGE", "--now", "2024-03-01"], "James Cameron"),
    ],
)
def test_a_question_is_answered_from_the_given_sources(
    question: str, sources: list[str], answer: str, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [page if word == "PAGE" else word for word in sources]
    assert main([question, *argv]) == 0
    assert capsys.readouterr().out == f"{answer}\n"


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        ([], 2, "nothing to look in: give --page FILE or --api URL, or ask the example KG"),
        (["--example", "--api", DEAD], 2, "exclude each other"),
        (["--set", "sytem=db3", "--example"], 2, "system"),
        (["--system", "db4", "--example"], 2, "no system is called 'db4'"),
        (["--settings", "none.toml", "--example"], 2, "there is no file none.toml"),
        (["--page", "none.html"], 2, "none.html"),
        (["--api", "file:none"], 2, "none"),
        (["--api", DEAD], 3, "ApiUnavailable in kg: "),
        (["--llm", "openai:http://a#b", "--example"], 2, "the system offline uses no LLM"),
        (["--set", "task=1", "--page", "."], 2, "Is a directory"),
    ],
)
def test_an_error_is_one_line_and_a_failed_setup_is_status_3(
    argv: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([TITANIC, *argv]) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and message in line


def test_why_shows_the_program_what_is_missing_and_the_passages(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "who composed the music for dune: part two?"
    assert main([question, "--example", "--page", page, "--why"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "program: ALL get_movie_person_crew(" in shown
    assert "The knowledge graph has no crew member of Dune: Part Two" in shown
    assert "refused: no reading of the question has an answer in the KG" in shown
    assert "answer_web" in shown and "Bo Third" in shown
    assert shown.count("refused: ") == 2
    assert shown.endswith("i don't know")


def test_a_crash_of_the_system_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash(*_: object) -> None:
        raise TypeError("boom")

    monkeypatch.setattr("models.systems.offline.OfflineSystem.answer", crash)
    assert main([TITANIC, "--example"]) == 3
    assert capsys.readouterr().err.splitlines()[-1] == "error: TypeError: boom"


def test_a_failure_beside_an_answer_is_a_note(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "who directed the lamp?"
    assert main([question, "--api", DEAD, "--page", page]) == 0
    output = capsys.readouterr()
    assert output.out == "Bo Third\n"
    assert output.err.startswith("note: ApiUnavailable in kg: ")


def test_why_shows_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TITANIC, "--api", DEAD, "--why"]) == 3
    assert "ApiUnavailable in kg: " in capsys.readouterr().out
