"""A wheel in a clean environment, outside of the repository, does what a checkout does."""

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from mock_api.process import READY_PREFIX
from tests.submission.scratch import ROOT, Scratch

pytestmark = pytest.mark.slow
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
PACKAGES = [name.rstrip("*") for name in TOOLS["packages"]["find"]["include"]]
MODULES = TOOLS["py-modules"]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]

# Prints where each module, or folder of data, is imported from.
PLACES = """
import importlib, sys
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    print(module.__file__ or list(module.__path__)[0])
"""


class Installed:
    """The environment `folder` with the wheel, and a working directory of its own."""

    def __init__(self, folder: Path, directory: Path) -> None:
        self.python = folder / "bin" / "python"
        self.crag = folder / "bin" / "crag"
        self.directory = directory
        private = ("CRAG_", "PYTHON")  # the settings of this process, and its path
        self.variables = {
            name: value for name, value in os.environ.items() if not name.startswith(private)
        }

    def run(self, *command: str | Path) -> str:
        """What the command prints; it must succeed."""
        done = subprocess.run(
            command, cwd=self.directory, env=self.variables, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def wheel(base: Scratch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the files that git tracks, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), "."]
    subprocess.run(command, cwd=base.root, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment that sees the dependencies of this one, but no checkout.

    The line of a .pth file adds a folder without reading the .pth files in it, so the editable
    installation of the checkout stays out.
    """
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder)
    installed = Installed(folder, tmp_path_factory.mktemp("elsewhere"))
    command = [*PIP, "--python", str(installed.python), "install", "--no-deps", "--no-index"]
    subprocess.run([*command, str(wheel)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    shared = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "dependencies.pth").write_text("\n".join(shared), encoding="utf-8")
    return installed


def test_the_wheel_has_every_tracked_file_of_its_packages(wheel: Path, base: Scratch) -> None:
    tracked = base.git("ls-files", "-z", "--", *PACKAGES).split("\0")
    expected = {name for name in tracked if name and not name.startswith("models/weights/")}
    expected |= {f"{name}.py" for name in MODULES}
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_modules_come_from_the_wheel(installed: Installed) -> None:
    names = [*PACKAGES, *MODULES]
    lines = installed.run(installed.python, "-c", PLACES, *names).splitlines()
    environment = str(installed.python.parent.parent)
    assert len(lines) == len(names)
    assert [line for line in lines if not line.startswith(environment)] == []


def test_the_installed_commands_answer_evaluate_and_serve(installed: Installed) -> None:
    server = subprocess.Popen(
        [installed.crag, "mock-api", "--port", "0", "--until-eof"],
        cwd=installed.directory, env=installed.variables, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with server:
        assert server.stdout is not None
        url = server.stdout.readline().removeprefix(READY_PREFIX).strip()
        with urlopen(f"{url}/docs") as page:
            assert page.status == 200
        question = "who directed get out?"
        assert installed.run(installed.crag, "answer", question, "--api", url) == "Jordan Peele\n"
        server.stdin.close()
    shown = installed.run(installed.crag, "eval", "--limit", "4")
    assert "4 questions" in shown
    (run,) = (installed.directory / "runs").iterdir()
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    assert results["score"] > 0 and (run / "report.html").stat().st_size > 10_000
