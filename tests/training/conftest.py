"""The example KG, a small tokenizer, and pairs over the KG."""

from pathlib import Path
from typing import Any

import pytest

from mock_api.cache import ready_file
from mock_api.store import Store
from models.llm.chat import Chat
from tests.models.conftest import client
from tests.models.engines import hf, tiny, vllm
from tests.models.example_kg import EXAMPLE_KG, example_kg
from training.kg import Checker
from training.queries.facts import Drawn, pools
from training.queries.intents import intents
from training.queries.sample import Drawing, draw_pairs
from training.records import Pair
from training.small_base import make_tokenizer

__all__ = ["client", "example_kg", "hf", "tiny", "vllm"]


@pytest.fixture(scope="session")
def checker(example_kg: Any) -> Checker:
    return Checker(example_kg)


@pytest.fixture(scope="session")
def kg_pools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Drawn]]:
    cache = tmp_path_factory.mktemp("pools")
    return pools(Store(ready_file(Path(EXAMPLE_KG), lambda _: None, cache=cache)))


@pytest.fixture(scope="session")
def pairs(checker: Checker, kg_pools: dict[str, list[Drawn]]) -> list[Pair]:
    """A pair of each pattern and more, of both splits."""
    how = Drawing(pairs=260, held_out=130)
    return draw_pairs(intents(), kg_pools, checker, how, lambda _: None)


@pytest.fixture(scope="session")
def chat(pairs: list[Pair]) -> Chat:
    pytest.importorskip("transformers", reason="transformers is not installed")
    texts = [f"{pair.question}\n{pair.program}" for pair in pairs]
    return Chat(make_tokenizer(texts, 600), 4096)
