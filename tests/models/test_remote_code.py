"""Models with their own code are refused without a prompt for consent; no pickle is loaded."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.vllm import engine_arguments
from models.ranking.make_rankers import make_embedder, make_reranker
from training.recipe import Recipe
from training.tuning.base_model import load_base

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
def test_a_model_with_its_own_code_is_refused(
    package: str, load: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("the user was asked"))
    code = {"model_type": "own", "auto_map": dict.fromkeys(CLASSES, "own.Own")}
    (tmp_path / "config.json").write_text(json.dumps(code))
    tokenizer = {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    (tmp_path / "own.py").write_text("raise SystemExit('the code was run')")
    with pytest.raises(Exception, match="contains custom code"):
        load(str(tmp_path))


@pytest.mark.engine
@pytest.mark.parametrize(
    ("kind", "load"),
    [
        ("Llama", load_hf),
        ("Llama", lambda folder: load_base(Path(folder), Recipe("route"), cuda=False)),
        ("Bert", make_embedder),
        ("Bert", lambda folder: make_reranker(f"cross:{folder}")),
    ],
    ids=["hf", "training", "embedder", "cross"],
)
def test_no_pickle_is_loaded(kind: str, load: Callable[[str], object], tmp_path: Path) -> None:
    """`find_model` accepts other safetensors files beside a pickle; the loaders do not."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    small = {
        "hidden_size": 8,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "vocab_size": 8,
    }
    config = getattr(transformers, f"{kind}Config")(**small)
    name = {"Llama": "LlamaForCausalLM", "Bert": "BertForSequenceClassification"}[kind]
    model = getattr(transformers, name)(config)
    config.architectures = [name]
    config.save_pretrained(tmp_path)
    import torch

    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    (tmp_path / "other.safetensors").write_bytes(b"")
    with pytest.raises(Exception, match="no file named model.safetensors"):
        load(str(tmp_path))


def test_vllm_runs_no_remote_code_and_loads_only_safetensors() -> None:
    arguments = engine_arguments(LLMSettings("vllm:x"), 100, (), 0)
    assert arguments["trust_remote_code"] is False
    assert arguments["load_format"] == "safetensors"
