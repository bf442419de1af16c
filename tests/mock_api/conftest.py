"""Small invented facts in both forms: the neutral folder `facts/`, and an official one of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from mock_api.app import make_app
from mock_api.cache import import_folder
from mock_api.store import Store
from tests.mock_api.official_kg import FOLDER, write_official_kg


@pytest.fixture
def neutral(tmp_path: Path) -> Path:
    """A copy of the folder of the neutral format."""
    return Path(shutil.copytree(FOLDER, tmp_path / "neutral"))


@pytest.fixture(scope="session")
def official_facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same facts in the layout of the official KG."""
    folder = tmp_path_factory.mktemp("facts") / "official"
    write_official_kg(folder)
    return folder


@pytest.fixture(scope="session", params=["neutral", "official"])
def client(
    request: pytest.FixtureRequest, official_facts: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    """A client of the application, over either form of the facts."""
    out = tmp_path_factory.mktemp("client") / "facts.sqlite"
    folder = FOLDER if request.param == "neutral" else official_facts
    import_folder(folder, out, lambda _: None)
    with TestClient(make_app(Store(out)), raise_server_exceptions=False) as client:
        yield client
