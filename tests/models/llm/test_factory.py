"""Engines by their specs, what a subtask uses, and what is not installed."""

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from models.llm import packages
from models.llm.adapters import Adapter
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.errors import ModelMissing
from models.llm.factory import LLMs, make_llm
from models.llm.openai import OpenAILLM
from models.llm.protocol import LLM, Message, Prompt
from models.llm.vllm import engine_arguments
from utils.errors import InputError, MissingPackageError, SettingsError

ROOT = Path(__file__).resolve().parent.parent.parent.parent
ADAPTERS = [Adapter(name, Path(name), "base", frozenset({8}), 1) for name in ("a", "b", "c")]


def test_a_server_needs_no_package_and_sends_nothing() -> None:
    llm = make_llm(LLMSettings("openai:http://127.0.0.1:9/v1#some/model"))
    assert isinstance(llm, OpenAILLM)


@pytest.mark.parametrize("spec", ["vllm:/no/such/model", "hf:/no/such/model"])
def test_a_missing_model_is_said_before_anything_is_imported(spec: str) -> None:
    code = (
        "import sys\nfrom models.llm.factory import make_llm\n"
        "from models.llm.config import LLMSettings\nfrom models.llm.errors import ModelMissing\n"
        f"try:\n    make_llm(LLMSettings({spec!r}))\nexcept ModelMissing:\n"
        "    print([m for m in ('torch', 'vllm', 'transformers') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    with pytest.raises(ModelMissing):
        make_llm(LLMSettings(spec))


def test_a_missing_package_names_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingPackageError, match="pip install peft accelerate"):
        packages.package("peft")


def test_each_engine_is_made_once_and_only_when_asked_for() -> None:
    made: list[tuple[str, Any]] = []

    def make(settings: LLMSettings, *, api_key: str | None) -> LLM:
        made.append((settings.spec, api_key))
        return cast(LLM, object())

    llms = LLMs(
        {"default": LLMSettings("hf:a", {"kg": "x"}), "big": LLMSettings("hf:b")},
        {"write_query": SubtaskSettings(adapter="kg"), "answer_web": SubtaskSettings("big")},
        api_key="key",
        make=make,
    )
    assert made == []
    first, adapter = llms.of("write_query")
    assert adapter == "kg"
    assert llms.of("route") == (first, None)
    assert llms.of("answer_web")[0] is not first
    assert made == [("hf:a", "key"), ("hf:b", "key")]


def test_a_subtask_without_an_engine_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"route needs an LLM.*CRAG_LLM"):
        LLMs({}, {}).of("route")


def test_vllm_on_four_t4s_and_as_settings_say() -> None:
    arguments = engine_arguments(LLMSettings("vllm:m", memory=0.6), 4096, ADAPTERS, gpus=4)
    assert (arguments["tensor_parallel_size"], arguments["dtype"]) == (4, "half")
    assert arguments["gpu_memory_utilization"] == 0.6
    assert (arguments["max_loras"], arguments["max_lora_rank"]) == (len(ADAPTERS) + 1, 8)
    assert "attention_backend" not in arguments
    settings = LLMSettings("vllm:m", dtype="bfloat16", tensor_parallel=1, attention="TRITON_ATTN")
    arguments = engine_arguments(settings, 4096, [], gpus=4)
    assert (arguments["tensor_parallel_size"], arguments["dtype"]) == (1, "bfloat16")
    assert arguments["attention_backend"] == "TRITON_ATTN" and "enable_lora" not in arguments


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": ()},
        {"max_tokens": 0},
        {"temperature": -1.0},
        {"top_p": 0.0},
        {"n": 0},
        {"stop": ("",)},
    ],
)
def test_a_prompt_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a prompt cannot have"):
        Prompt(**({"messages": (Message("user", "x"),)} | wrong))
