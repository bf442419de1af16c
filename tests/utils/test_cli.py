from typing import Annotated

import pytest
import typer

from utils.cli import run
from utils.errors import SettingsError

app = typer.Typer()


@app.command()
def double(number: Annotated[int, typer.Option(help="what to double")]) -> int:
    return 2 * number


@app.command()
def broken(stopped: bool = False) -> None:
    raise KeyboardInterrupt if stopped else SettingsError("no such file: a.toml")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["double", "--number", "4"], 8, ""),
        (["broken"], 2, "error: no such file: a.toml"),
        (["double"], 2, "--number"),
        (["double", "--number", "x"], 2, "integer"),
        (["none"], 2, "none"),
        (["broken", "--stopped"], 130, ""),
    ],
)
def test_the_status_is_the_returned_value_or_that_of_an_error_of_one_line(
    arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(app, arguments) == status
    assert said in capsys.readouterr().err
