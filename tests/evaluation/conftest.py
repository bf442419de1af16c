"""A fixture that runs `crag runs`."""

from pathlib import Path

import pytest

from evaluation.__main__ import main
from tests.evaluation.run_files import Command


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command, and returns what it prints."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(*argv: str | Path, status: int = 0) -> str:
        capsys.readouterr()
        assert main([*map(str, argv)]) == status
        output = capsys.readouterr()
        return output.out + output.err

    return run
