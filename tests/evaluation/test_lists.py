"""The lists of what there is to choose, and the report of a run."""

import re
from pathlib import Path

import pytest

import crag
from evaluation.judge.make_judge import JUDGES, make_judge
from models.systems.make_system import SYSTEMS, web_presets
from tests.evaluation.run_files import result, write_run


@pytest.mark.parametrize(
    ("command", "names"),
    [("systems", SYSTEMS), ("judges", [spec for spec, _ in JUDGES]), ("presets", web_presets())],
)
def test_all_that_there_is_is_listed(
    command: str,
    names: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert crag.main([command]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in names)


def test_a_preset_s_models_are_listed_whole_in_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert crag.main(["presets"]) == 0
    printed = capsys.readouterr().out
    for preset in web_presets().values():
        assert (preset.embedder or "none") in printed and (preset.reranker or "none") in printed


def test_each_judge_of_the_list_can_be_made() -> None:
    for spec, _ in JUDGES:
        assert make_judge(re.sub(r"openai:(\w+)", r"openai:http://\1", spec)).name


def test_the_report_of_a_run_is_written_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run = write_run(tmp_path / "run", [result(0)])
    assert crag.main(["view", str(run)]) == 0
    assert opened == [(run / "report.html").as_uri()]
    assert crag.main(["view", str(run), "--no-open"]) == 0
    assert len(opened) == 1
    assert crag.main(["view", str(tmp_path / "absent")]) == 2
    assert "not a run's folder" in capsys.readouterr().err
