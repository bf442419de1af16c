"""A model that brings its own code is refused: the code is not run, and nobody is asked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.vllm import engine_arguments
from models.ranking.factory import make_embedder, make_reranker

CLASSES = ("AutoConfig", "AutoModel", "AutoModelForCausalLM", "AutoModelForSequenceClassification")


def load_hf(folder: str) -> object:
    from models.llm.hf import _load_model

    return _load_model(Path(folder), LLMSettings(f"hf:{folder}"))


@pytest.mark.engine
@pytest.mark.parametrize(
    ("package", "load"),
    [
        ("transformers", lambda folder: Chat.load(Path(folder), 100)),
        ("transformers", load_hf),
        ("sentence_transformers", make_embedder),
        ("sentence_transformers", lambda folder: make_reranker(f"cross:{folder}")),
        ("FlagEmbedding", lambda folder: make_reranker(f"flag:{folder}")),
    ],
    ids=["chat", "hf", "embedder", "cross", "flag"],
)
def test_its_code_is_refused(
    package: str, load: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("somebody was asked"))
    code = {"model_type": "own", "auto_map": dict.fromkeys(CLASSES, "own.Own")}
    (tmp_path / "config.json").write_text(json.dumps(code))
    tokenizer = {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    (tmp_path / "own.py").write_text("raise SystemExit('the code was run')")
    with pytest.raises(Exception, match="contains custom code"):
        load(str(tmp_path))


def test_vllm_is_told_so() -> None:
    assert engine_arguments(LLMSettings("vllm:x"), 100, (), 0)["trust_remote_code"] is False
