"""The small base: pre-trained on the KG's text and on programs, never on a pair."""

from pathlib import Path

import pytest
from rich.console import Console

from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import Message, Prompt
from training.demo import Demo
from training.queries.check import Checker
from training.queries.sample import Drawing
from training.records import Pair, read_pairs
from training.small_base import END, Shape, documents, make_base
from utils.deadline import Deadline

Said = dict[str, tuple[str, ...]]
LITTLE = Shape(vocabulary=500, hidden=32, layers=1, inner=64, documents=40, steps=2, batch=4)


@pytest.fixture(scope="module")
def said(pairs: list[Pair], checker: Checker) -> Said:
    return {
        pair.program: checker.returned(pair.program, pair.query_time).sentences
        for pair in pairs
        if pair.split == "train"
    }


def test_no_question_is_in_its_text(pairs: list[Pair], said: Said) -> None:
    text = "\n".join(documents(said, 2000, 0))
    assert not [pair for pair in pairs if pair.question in text]


def test_a_program_never_stands_beside_what_it_returns(said: Said) -> None:
    for document in documents(said, 2000, 0):
        facts, *programs = document.split("\n")
        beside = [s for p in programs for s in said[p] if len(s) > 20 and s.lower() in facts]
        assert not beside, document


def test_the_same_seed_makes_the_same_documents(said: Said) -> None:
    assert documents(said, 50, 1) == documents(said, 50, 1) != documents(said, 50, 2)


@pytest.mark.engine
def test_it_is_a_model_that_an_engine_loads(said: Said, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: requirements-engines.txt")
    losses: list[float] = []
    make_base(tmp_path, documents(said, 40, 0), LITTLE, lambda step, loss: losses.append(loss))
    assert len(losses) == 2
    llm = make_llm(LLMSettings(f"hf:{tmp_path}"))
    prompt = Prompt((Message("user", "who?"),), max_tokens=4)
    (completion,) = llm.generate([prompt], deadline=Deadline(1e9, lambda: 0.0))
    assert completion.finished and 1 <= completion.tokens <= END


@pytest.mark.engine
@pytest.mark.slow
def test_the_demos_road_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With next to no training: files and figures, not skill. `make train-demo` measures that."""
    for name in ("trl", "datasets"):
        pytest.importorskip(name, reason=f"{name} is not installed: requirements-train.txt")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # vLLM: see test_sft.py
    how = Drawing(pairs=60, held_out=8)
    demo = Demo(tmp_path, Console(quiet=True), seeds=(0,), drawing=how, shape=LITTLE)
    assert not demo.run()
    assert len(read_pairs(tmp_path / "train.jsonl")) == 60
    assert (tmp_path / "adapter-0" / "evaluation.json").exists()
    assert set(demo.seconds) == {"data", "base", "adapters", "transformers", "vllm"}
