import pytest
import typer

from utils.cli import run
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
