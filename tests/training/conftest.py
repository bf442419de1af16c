"""The example KG in this process, and pairs over it."""

import pytest

from tests.models.conftest import client
from tests.models.engines import tiny
from tests.models.llm.smollm2 import smollm2
from training.kg import EXAMPLE_KG, Kg
from training.queries.sample import draw_pairs
from training.records import Pair

__all__ = ["client", "smollm2", "tiny"]


@pytest.fixture(scope="session")
def kg() -> Kg:
    return Kg(EXAMPLE_KG)


@pytest.fixture(scope="session")
def pairs(kg: Kg) -> list[Pair]:
    """A pair of each pattern and more, of both splits."""
    return draw_pairs(kg, "train", 260) + draw_pairs(kg, "held_out", 130)
