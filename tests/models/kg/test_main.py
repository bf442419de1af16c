"""`crag kg`: one program run or explained."""

import pytest

from mock_api.process import serve
from models.kg.__main__ import main
from tests.models.conftest import EXAMPLE_KG

BUDGET = 'get_movie("la la land")["budget"]'


def test_a_program_is_run_over_a_served_kg(capsys: pytest.CaptureFixture[str]) -> None:
    misspelt = BUDGET.replace("get_movie", "Get_Movie")
    with serve(EXAMPLE_KG) as url:
        assert main([BUDGET, "--api", url, "--now", "2024-03-10T23:19:21"]) == 0
        assert "30,000,000" in capsys.readouterr().out
        assert main([misspelt, "--api", url]) == 0
        assert "repaired" in capsys.readouterr().out
        assert main([misspelt, "--api", url, "--strict"]) == 2


def test_a_plan_needs_no_api(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([BUDGET, "--explain"]) == 0
    assert "get_movie" in capsys.readouterr().out


def test_a_dead_api_is_reported_with_status_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([BUDGET, "--api", "http://127.0.0.1:9", "--seconds", "2"]) == 3
    shown = capsys.readouterr()
    assert shown.out.startswith("It is not known whether there is a budget of la la land: ")
    assert "has no" not in shown.out
    assert shown.err.startswith("error: ")


@pytest.mark.parametrize(
    "argv", [["get_movi("], [BUDGET, "--api", "http://127.0.0.1:9", "--now", "noon"]]
)
def test_unreadable_input_is_an_error_with_status_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert capsys.readouterr().err.startswith("error: ")
