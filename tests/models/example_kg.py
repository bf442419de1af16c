"""The example KG, read in this process."""

from pathlib import Path

import pytest

from mock_api.cache import ready_file
from mock_api.local import LocalClient

EXAMPLE_KG = Path(__file__).parents[2] / "example_data" / "kg"


@pytest.fixture(scope="session")
def example_kg(tmp_path_factory: pytest.TempPathFactory) -> LocalClient:
    cache = tmp_path_factory.mktemp("cache")
    return LocalClient(ready_file(EXAMPLE_KG, lambda _: None, cache=cache))
