"""Options and fixtures that every test shares."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.chromium import chromium

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("tests", max_examples=50)
settings.register_profile("fuzz", max_examples=800, print_blob=True)
settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--crag-data",
        type=Path,
        default=ROOT.parent / "shared" / "crag",
        help="folder of real CRAG data; tests marked crag_data skip where it is absent",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives a test of the clock three attempts: a busy machine may stop a process for a second."""
    for item in items:
        if item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def crag_data(request: pytest.FixtureRequest) -> Path:
    """The folder of real CRAG data; the test is skipped without it."""
    folder: Path = request.config.getoption("--crag-data")
    if not folder.is_dir():
        pytest.skip(f"no CRAG data at {folder}; give its folder with --crag-data=DIR")
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real browser for the tests of a file."""
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started
