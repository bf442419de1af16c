"""The Dockerfile's install line, resolved by pip for the image's Python on Linux x86-64."""

from pathlib import Path

import pytest

from submission.resolve import resolve

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def one_line(tmp_path: Path) -> Path:
    """A checkout that asks for a package that no index has."""
    (tmp_path / "requirements.txt").write_text("no-such-package-of-ours==1\n")
    (tmp_path / "Dockerfile").write_text("RUN python3.12 -m venv venv\n")
    return tmp_path


def test_what_no_index_has_is_a_conflict(
    one_line: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "index").mkdir()
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "index").as_uri())
    outcome = resolve(one_line)
    assert outcome.reached and outcome.conflict
    assert "no-such-package-of-ours" in outcome.says


def test_an_index_that_is_not_there_is_no_conflict(
    one_line: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    outcome = resolve(one_line)
    assert not outcome.reached and not outcome.conflict


@pytest.mark.slow
def test_the_requirements_resolve_for_the_target(request: pytest.FixtureRequest) -> None:
    outcome = resolve(ROOT, timeout_s=request.config.getoption("--pip-seconds"))
    if not outcome.reached:
        pytest.skip(outcome.says)
    assert not outcome.conflict, outcome.says
