import sys
from io import BytesIO, TextIOWrapper

import pytest
import typer

from utils.cli import new_app, run
from utils.errors import SettingsError

app = typer.Typer()


@app.command()
def double(number: int) -> int:
    if number == 0:
        raise KeyboardInterrupt
    if number == 13:
        raise SettingsError("no such file: a.toml")
    return 2 * number


@pytest.mark.parametrize(
    ("argument", "status", "message"),
    [
        (["4"], 8, ""),
        (["13"], 2, "error: no such file: a.toml"),
        ([], 2, "number"),
        (["x"], 2, "integer"),
        (["0"], 130, ""),
    ],
)
def test_the_status_is_the_returned_value_or_that_of_the_reported_error(
    argument: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(app, argument) == status
    assert message in capsys.readouterr().err


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    commands = new_app(shows_help=True)
    commands.command("double")(double)
    commands.command("again")(double)
    assert run(commands, [], "crag numbers") == 2
    assert capsys.readouterr().err.startswith("Usage: crag numbers [OPTIONS] COMMAND")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_a_terminal_that_lacks_a_character_shows_another_one(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(shown, encoding))
    says = typer.Typer()

    @says.command()
    def say() -> None:
        sys.stdout.write("\u4e2d \u2192 done\n")

    assert run(says, []) == 0
    sys.stdout.flush()
    expected = "\u4e2d \u2192 done" if encoding == "utf-8" else "? ? done"
    assert shown.getvalue().decode(encoding).strip() == expected
