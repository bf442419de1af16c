"""Engines are made from their specs, once each, and a missing package is named."""

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from models.llm.adapters import Adapter
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.errors import ModelMissing
from models.llm.llms import LLMs, make_llm
from models.llm.protocol import LLM
from models.llm.vllm import engine_arguments
from utils.errors import MissingPackageError
from utils.packages import package

ADAPTERS = [Adapter(name, Path(name), "base", 8, 1) for name in ("a", "b", "c")]


@pytest.mark.parametrize("spec", ["vllm:/no/such/model", "hf:/no/such/model"])
def test_a_missing_model_fails_before_imports(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "vllm", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it would fail
    with pytest.raises(ModelMissing):
        make_llm(LLMSettings(spec))


def test_the_error_of_a_missing_package_has_the_command_that_installs_it() -> None:
    with pytest.raises(MissingPackageError, match="pip install no-such-package"):
        package("no_such_package.part")


def test_each_engine_is_made_once_when_a_subtask_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Any]] = []

    def make(settings: LLMSettings, *, api_key: str | None) -> LLM:
        calls.append((settings.spec, api_key))
        return cast(LLM, object())

    monkeypatch.setattr("models.llm.llms.make_llm", make)
    llms = LLMs(
        {"default": LLMSettings("hf:a", {"kg": "x"}), "big": LLMSettings("hf:b")},
        {"write_query": SubtaskSettings(adapter="kg"), "answer_web": SubtaskSettings("big")},
        api_key="key",
    )
    assert calls == []
    first, adapter = llms.of("write_query")
    assert adapter == "kg"
    assert llms.of("route") == (first, None)
    assert llms.of("answer_web")[0] is not first
    assert calls == [("hf:a", "key"), ("hf:b", "key")]


def test_vllms_arguments_suit_four_t4s_unless_settings_change_them() -> None:
    arguments = engine_arguments(LLMSettings("vllm:m", memory=0.6), 4096, ADAPTERS, gpus=4)
    assert (arguments["tensor_parallel_size"], arguments["dtype"]) == (4, "half")
    assert arguments["gpu_memory_utilization"] == 0.6
    assert (arguments["max_loras"], arguments["max_lora_rank"]) == (len(ADAPTERS) + 1, 8)
    assert "attention_backend" not in arguments
    settings = LLMSettings("vllm:m", dtype="bfloat16", tensor_parallel=1, attention="TRITON_ATTN")
    arguments = engine_arguments(settings, 4096, [], gpus=4)
    assert (arguments["tensor_parallel_size"], arguments["dtype"]) == (1, "bfloat16")
    assert arguments["attention_backend"] == "TRITON_ATTN"
    assert "enable_lora" not in arguments
