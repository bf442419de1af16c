"""The command: a clean tree passes and leaves one tag; a dry run leaves none."""

import zipfile
from pathlib import Path

import pytest

from models.records import Task
from models.settings import load_settings
from models.web.settings import web_settings
from submission.__main__ import main
from submission.git import tags
from submission.preflight import preflight
from submission.tracks import challenge_of
from submission.tree import Tree
from tests.submission.scratch import ROOT, Scratch
from utils.weights.table import read_table


@pytest.fixture(autouse=True)
def no_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")


def test_a_clean_tree_passes_and_leaves_exactly_one_tag(
    scratch: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = scratch.git("rev-parse", "HEAD"), scratch.git("status", "--porcelain")
    root = ["--root", str(scratch.root)]
    assert main(["submit", "3", "v0.1", "--dry-run", *root]) == 0
    assert tags(scratch.root) == []
    said = capsys.readouterr().out
    assert "would make the tag submission-v0.1-track3" in said
    assert "left out: the package registry was not reached" in said
    assert main(["submit", "3", "v0.1", "--no-resolve", *root]) == 0
    assert tags(scratch.root) == ["submission-v0.1-track3"]
    said = capsys.readouterr().out
    assert "git push aicrowd submission-v0.1-track3" in said
    assert (scratch.git("rev-parse", "HEAD"), scratch.git("status", "--porcelain")) == before
    assert scratch.git("cat-file", "-t", "submission-v0.1-track3").strip() == "tag"
    assert main(["submit", "3", "v0.1", *root]) == 1
    assert "[tag]" in capsys.readouterr().out
    assert tags(scratch.root) == ["submission-v0.1-track3"]


def test_files_alone_make_no_tag(scratch: Scratch) -> None:
    assert main(["submit", "3", "v0.1", "--no-run", "--root", str(scratch.root)]) == 1
    assert tags(scratch.root) == []


def test_a_defect_makes_no_tag(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", "2", "v0.1", "--root", str(scratch.root)]) == 1
    said = capsys.readouterr().out
    assert "[track] aicrowd.json is for track 3, not 2" in said
    assert "no tag was made" in said
    assert tags(scratch.root) == []


@pytest.mark.parametrize("track", list(Task))
def test_each_track_has_its_aicrowd_json(scratch: Scratch, track: Task) -> None:
    assert main(["track", str(track.value), "--root", str(scratch.root)]) == 0
    scratch.commit()
    assert preflight(Tree(scratch.root, track, "v0.1"), run=track is Task.WEB) == []


def test_requirements_that_bring_what_excludes_each_other_make_no_tag(
    scratch: Scratch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each line by itself is well, and no two are of one name: only pip can tell."""
    scratch.write("requirements.txt", "one==1  # a\ntwo==1  # b\n")
    for name, version, needs in (
        ("one", "1", "third==1"), ("two", "1", "third==2"), ("third", "1", ""), ("third", "2", ""),
    ):  # fmt: skip
        wheel(tmp_path / "index" / name, name, version, needs)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "index").as_uri())
    scratch.edit("Dockerfile", "requirements-default.txt", "")
    scratch.edit_json("aicrowd.json", challenge_id=challenge_of(Task.WEB))
    scratch.commit()
    assert main(["submit", "1", "v0.1", "--root", str(scratch.root)]) == 1
    assert "[requirements] no versions go together" in capsys.readouterr().out
    assert tags(scratch.root) == []


def wheel(folder: Path, name: str, version: str, needs: str) -> None:
    """An empty package in an index."""
    folder.mkdir(parents=True, exist_ok=True)
    file, info = f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / file, "w") as archive:
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    links = "".join(f'<a href="{path.name}">{path.name}</a>' for path in folder.glob("*.whl"))
    (folder / "index.html").write_text(links)


def test_no_repository_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", "3", "v0.1", "--root", str(tmp_path)]) == 1
    assert "not a git repository" in capsys.readouterr().err


@pytest.mark.parametrize("file", sorted((ROOT / "submission" / "settings").glob("*.toml")))
def test_the_settings_that_ship_name_the_weights_of_the_table(file: Path) -> None:
    settings = load_settings(file, env={})
    web_settings(settings.web, settings.system)
    tree = Tree(ROOT, Task.END_TO_END, "v0.1")
    tree.__dict__["loaded"] = settings
    folders = {str(model.folder) for model in read_table().of_system(settings.system)}
    used = {entry.path for entry in tree.used}
    assert used and used <= folders
