import pytest
import typer

from utils.cli import run
from utils.errors import SettingsError

app = typer.Typer()


@app.command()
def double(number: int) -> int:
    if number in (0, 13):
        raise SettingsError("no such file: a.toml") if number else KeyboardInterrupt
    return 2 * number


@pytest.mark.parametrize(
    ("argument", "status", "said"),
    [
        (["4"], 8, ""),
        (["13"], 2, "error: no such file: a.toml"),
        ([], 2, "number"),
        (["x"], 2, "integer"),
        (["0"], 130, ""),
    ],
)
def test_the_status_is_the_returned_value_or_that_of_an_error_of_one_line(
    argument: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(app, argument) == status
    assert said in capsys.readouterr().err
