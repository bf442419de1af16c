"""The budget: the contest's machine holds the planned systems; what has no row is named."""

import pytest

from submission import budget
from submission.budget import budget_table, main, make_plan

READING_S = 0.027  # measured for a question's five pages (docs/web.md: extract, chunk, BM25)


@pytest.mark.parametrize("system", budget_table().rounds)
def test_the_contests_machine_holds_the_system(
    system: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--system", system]) == 0
    printed = capsys.readouterr().out
    assert "read pages" in printed and "it fits" in printed


def test_a_machine_that_is_too_small_gives_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hardware", "cpu"]) == 1
    assert "it does not fit" in capsys.readouterr().out
    assert main(["--hardware", "abacus"]) == 2


def test_what_has_no_row_is_not_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = budget_table().model_copy(update={"models": {}, "rounds": {}})
    monkeypatch.setattr(budget, "budget_table", lambda: bare)
    plan = make_plan("db3", bare.machines["cpu"], 3)
    assert len(plan.not_planned) == 3 and "the LLM of db3" in plan.not_planned


def test_reading_pages_takes_what_was_measured() -> None:
    planned = make_plan("offline", budget_table().machines["cpu"], 1).pages["read pages"]
    assert READING_S / 2 <= planned <= READING_S * 2
