"""The example KG in this process, pairs over it, and a small tokenizer."""

import pytest

from models.llm.chat import Chat
from tests.models.conftest import client
from tests.models.engines import tiny
from training.kg import EXAMPLE_KG, Kg
from training.queries.sample import draw_pairs
from training.records import Pair
from training.small_base import make_tokenizer

__all__ = ["client", "tiny"]


@pytest.fixture(scope="session")
def kg() -> Kg:
    return Kg(EXAMPLE_KG)


@pytest.fixture(scope="session")
def pairs(kg: Kg) -> list[Pair]:
    """A pair of each pattern and more, of both splits."""
    return draw_pairs(kg, "train", 260) + draw_pairs(kg, "held_out", 130)


@pytest.fixture(scope="session")
def chat(pairs: list[Pair]) -> Chat:
    pytest.importorskip("transformers", reason="transformers is not installed")
    texts = [f"{pair.question}\n{pair.program}" for pair in pairs]
    return Chat(make_tokenizer(texts, 600), 4096)
