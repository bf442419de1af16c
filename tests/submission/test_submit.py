"""The command: a clean tree passes and leaves one tag; a dry run leaves none."""

from pathlib import Path

import pytest

from models.records import Task
from models.settings import load_settings
from models.systems.make_system import spec_of, web_of
from submission.__main__ import main, preflight
from submission.local_run import QUESTIONS
from submission.tree import Tree
from submission.weights.table import read_table
from tests.submission.scratch import ROOT, Scratch, write_model


@pytest.fixture(autouse=True)
def no_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")


def submit(scratch: Scratch, *options: str, track: str = "3") -> int:
    return main(["submit", track, "v0.1", *options, "--root", str(scratch.root)])


def test_a_dry_run_of_a_clean_tree_passes_and_changes_nothing(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (scratch.root / QUESTIONS).read_text().splitlines(keepends=True)
    scratch.write(QUESTIONS, "".join(lines[:2]))
    scratch.commit()
    assert submit(scratch, "--dry-run") == 0
    printed = capsys.readouterr().out
    assert "would make the tag submission-v0.1-track3" in printed
    assert "resolve: skipped" in printed
    assert scratch.git("tag", "--list") == ""
    assert scratch.git("status", "--porcelain") == ""


def test_a_clean_tree_gets_one_tag(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    write_model(scratch)
    scratch.commit()
    commit = scratch.git("rev-parse", "HEAD")
    assert submit(scratch, "--no-resolve") == 0
    assert scratch.git("tag", "--list").splitlines() == ["submission-v0.1-track3"]
    assert "git push aicrowd submission-v0.1-track3" in capsys.readouterr().out
    assert scratch.git("rev-parse", "HEAD") == commit
    assert scratch.git("status", "--porcelain") == ""
    assert scratch.git("cat-file", "-t", "submission-v0.1-track3").strip() == "tag"
    assert submit(scratch) == 1
    assert "[tag]" in capsys.readouterr().out
    assert scratch.git("tag", "--list").splitlines() == ["submission-v0.1-track3"]


def test_outside_a_repository_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert submit(Scratch(tmp_path)) == 2
    assert "not a git repository" in capsys.readouterr().err


def test_without_a_run_or_with_a_defect_no_tag_is_made(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert submit(scratch, "--no-run") == 1
    assert "no tag without a local run" in capsys.readouterr().out
    assert submit(scratch, track="2") == 1
    printed = capsys.readouterr().out
    assert "[track] aicrowd.json is for track 3, not 2" in printed
    assert "no tag was made" in printed
    assert scratch.git("tag", "--list") == ""


def test_the_command_track_sets_the_challenge(scratch: Scratch) -> None:
    assert main(["track", "2", "--root", str(scratch.root)]) == 0
    scratch.commit()
    assert preflight(Tree(scratch.root, Task.KG_WEB, "v0.1")) == []


@pytest.mark.parametrize("file", sorted((ROOT / "submission" / "settings").glob("*.toml")))
def test_the_settings_that_ship_name_the_weights_of_the_table(file: Path) -> None:
    settings = load_settings(file, env={})
    tree = Tree(ROOT, Task.END_TO_END, "v0.1")
    tree.__dict__["settings"] = settings
    folders = {str(model.folder) for model in read_table().of_system(settings.system)}
    paths = {place.path for place in tree.used}
    assert paths
    assert paths <= folders, f"{file.name} and the preset {settings.system} name other models"


@pytest.mark.parametrize("file", sorted((ROOT / "submission" / "settings").glob("*.toml")))
def test_the_settings_that_ship_load_the_reranker_as_the_preset_does(file: Path) -> None:
    settings = load_settings(file, env={})
    shipped = web_of(settings).reranker
    preset = spec_of(settings.system).web.reranker
    assert shipped is not None and preset is not None
    kind, _, _ = shipped.partition(":")
    assert kind == preset.partition(":")[0], f"{file.name} and the preset load it differently"
