"""The planner: counts equal to real tiny models' to the byte, memory, seconds, advice, tables."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.llm.config import LLMSettings
from models.settings import Settings
from models.systems.bumblebee7.system import Bumblebee7Options
from models.systems.db3 import Db3Options
from models.systems.factory import SYSTEMS
from models.web.settings import PRESETS, WebSettings
from tests.models.engines import CONTEXT, Tiny, tiny
from utils.budget import plan as planning
from utils.budget.__main__ import main
from utils.budget.count import SINGLE, shape_of
from utils.budget.memory import memory
from utils.budget.plan import CHANGES, advice, make_plan
from utils.budget.seconds import batch_seconds, stages, web_stages
from utils.budget.tables import GIB, Web, hardware, names, shape, system
from utils.errors import SettingsError

__all__ = ["tiny"]
ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = ROOT / "benchmarks" / "recorded" / "web_path.json"
TARGETS = ("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj", "down_proj")


def held(model: Any) -> int:
    """Bytes of the parameters of a torch module, each once."""
    return sum(p.numel() * p.element_size() for p in model.parameters())


def config_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return content


@pytest.mark.engine
def test_a_llamas_weights_are_counted_to_the_byte(tiny: Tiny) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(str(tiny.folder))
    counted = shape_of(config_of(tiny.folder))
    assert counted.bytes(SINGLE) == held(model)


@pytest.mark.engine
@pytest.mark.parametrize(
    "other", [{}, {"tie_word_embeddings": True}, {"num_key_value_heads": 1}, {"head_dim": 48}]
)
def test_other_llamas_are_counted_to_the_byte(other: Mapping[str, Any]) -> None:
    transformers = pytest.importorskip("transformers", reason="requirements-engines.txt")
    pytest.importorskip("torch", reason="requirements-engines.txt")
    small = {
        "vocab_size": 100,
        "hidden_size": 64,
        "intermediate_size": 112,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "tie_word_embeddings": False,
    }
    config = transformers.LlamaConfig(**small | other)
    model = transformers.LlamaForCausalLM(config)
    assert shape_of(config.to_dict()).bytes(SINGLE) == held(model)


@pytest.mark.engine
def test_a_llamas_cache_is_counted_to_the_byte(tiny: Tiny) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(str(tiny.folder))
    ids = torch.arange(2 * 17).reshape(2, 17) % 50
    with torch.no_grad():
        cache = model(input_ids=ids, use_cache=True).past_key_values
    real = sum(
        part.numel() * part.element_size()
        for layer in cache.layers
        for part in (layer.keys, layer.values)
    )
    assert shape_of(config_of(tiny.folder)).cache_bytes(2 * 17, SINGLE) == real


@pytest.mark.engine
def test_an_adapter_is_counted_to_the_byte(tiny: Tiny) -> None:
    from safetensors.torch import load_file

    folder = Path(next(iter(tiny.adapters.values())))
    rank = config_of_adapter(folder)["r"]
    tensors = load_file(folder / "adapter_model.safetensors").values()
    real = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    counted = shape_of(config_of(tiny.folder)).lora_parameters(rank, TARGETS)
    assert counted * SINGLE == real


def config_of_adapter(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "adapter_config.json").read_text())
    return content


@pytest.mark.engine
@pytest.mark.parametrize(
    ("config", "model", "head"),
    [
        ("BertConfig", "BertModel", {}),
        ("XLMRobertaConfig", "XLMRobertaModel", {}),
        ("XLMRobertaConfig", "XLMRobertaForSequenceClassification", {"classes": 1}),
        ("BertConfig", "BertForSequenceClassification", {"classes": 1}),
    ],
)
def test_encoders_are_counted_to_the_byte(config: str, model: str, head: dict[str, int]) -> None:
    transformers = pytest.importorskip("transformers", reason="requirements-engines.txt")
    pytest.importorskip("torch", reason="requirements-engines.txt")
    made = getattr(transformers, config)(
        vocab_size=70, hidden_size=24, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=50, max_position_embeddings=34, type_vocab_size=2,
        num_labels=head.get("classes", 2),
    )  # fmt: skip
    real = held(getattr(transformers, model)(made))
    assert shape_of(made.to_dict() | head).bytes(SINGLE) == real


@pytest.mark.engine
def test_a_t5_encoder_is_counted_to_the_byte() -> None:
    transformers = pytest.importorskip("transformers", reason="requirements-engines.txt")
    pytest.importorskip("torch", reason="requirements-engines.txt")
    made = transformers.T5Config(
        vocab_size=70, d_model=24, d_kv=8, d_ff=50, num_layers=3, num_heads=4
    )
    assert shape_of(made.to_dict()).bytes(SINGLE) == held(transformers.T5EncoderModel(made))


def test_the_models_of_the_table_have_the_sizes_that_they_are_known_by() -> None:
    known = {
        "llama-3-8b-instruct": 8_030_261_248,
        "bge-base-en-v1.5": 109_482_240,
        "bge-reranker-v2-m3": 567_755_777,
        "all-minilm-l6-v2": 22_713_216,
        "msmarco-minilm-l-12-v3": 33_360_000,
        "ms-marco-minilm-l-6-v2": 22_713_601,
        "sentence-t5-large": 334_939_648,
    }
    assert {name: shape(name).parameters for name in names("models")} == known
    assert shape("llama-3-8b-instruct").cache_bytes(1) == 128 * 1024


@pytest.mark.parametrize(("kind", "pages"), [("dev", 5), ("task3", 50)])
def test_the_web_paths_seconds_are_within_twice_the_benchmarks(kind: str, pages: int) -> None:
    """`python -m benchmarks.web_path --json benchmarks/recorded/web_path.json` made the figures."""
    ours = json.loads(RECORDED.read_text())[kind]["ours"]
    planned = web_stages(system("web"), hardware("cpu"), pages, ours["dtype"])
    seconds = sum(stage.seconds for stage in planned)
    assert ours["median s"] / 2 <= seconds <= ours["median s"] * 2
    longest = max(planned, key=lambda stage: stage.seconds)
    assert ours["stages"][longest.name] / 2 <= longest.seconds <= ours["stages"][longest.name] * 2


def test_a_plan_is_the_sum_of_its_parts() -> None:
    chosen, machine = system("db3"), hardware("g4dn.12xlarge")
    need = memory(chosen, machine)
    llm = shape("llama-3-8b-instruct")
    assert need.engine["weights"] == llm.bytes() // 4
    assert sum(need.engine.values()) + need.cache == int(machine.memory_gib * GIB * 0.7)
    assert need.cache_a_token == 128 * 1024 // 4
    found = stages(chosen, machine, 3)
    web = sum(stage.seconds for stage in found if stage.web)
    before = sum(stage.seconds for stage in found if not stage.web and not stage.after_web)
    after = sum(stage.seconds for stage in found if stage.after_web)
    assert batch_seconds(found) == pytest.approx(16 * (max(web, before) + after))


def test_the_contests_machine_holds_db3_on_every_task() -> None:
    for task in (1, 2, 3):
        assert make_plan(system("db3"), hardware("g4dn.12xlarge"), task).fits


def test_what_comes_first_has_its_share_of_the_time() -> None:
    machine, chosen = hardware("g4dn.12xlarge"), system("db3")
    hurried = make_plan(replace(chosen, first_share=0.01), machine, 2)
    assert hurried.lacks == ["the first rounds take 13 s more than their share"]


def test_the_first_card_holds_a_process_of_the_rerankers_too() -> None:
    one, four = (
        memory(system("db3"), replace(hardware("g4dn.12xlarge"), gpus=gpus)) for gpus in (1, 4)
    )
    assert four.beside["workspace"] == 2 * one.beside["workspace"]


def test_every_system_is_planned() -> None:
    assert {*names("systems")} == {*SYSTEMS, "web"}
    first = {"db3": Db3Options().kg_share, "bumblebee7": Bumblebee7Options().first_share}
    for name in SYSTEMS:
        assert system(name).first_share == first.get(name, 1.0)


def test_one_card_says_which_setting_to_change() -> None:
    tight = make_plan(system("db3"), hardware("rtx3090"), 3)
    assert not tight.fits
    said = advice(tight)
    known = dict(CHANGES)
    changed = tight.system
    for name in said:
        changed = known[name](changed)
    assert make_plan(changed, tight.hardware, 3).fits


def test_a_machine_without_a_gpu_is_told_so() -> None:
    assert advice(make_plan(system("db3"), hardware("cpu"), 3)) == [planning.LAST]
    assert make_plan(system("offline"), hardware("cpu"), 3).fits


def test_more_work_takes_more() -> None:
    machine, chosen = hardware("g4dn.12xlarge"), system("db3")
    seconds = make_plan(chosen, machine, 3).seconds
    longer = replace(chosen, rounds=tuple(replace(r, completion=300) for r in chosen.rounds))
    assert make_plan(longer, machine, 3).seconds > seconds
    assert make_plan(chosen, replace(machine, gpus=1), 3).seconds > seconds
    wider = replace(chosen, web=replace(chosen.web, pages_kept=50))
    assert make_plan(wider, machine, 3).seconds > seconds
    assert memory(replace(chosen, adapters=8), machine).cache < memory(chosen, machine).cache
    starved = stages(chosen, machine, 3, cache_tokens=9000)
    assert batch_seconds(starved) > batch_seconds(stages(chosen, machine, 3))
    quantised = memory(replace(chosen, weight_bits=4), machine)
    assert quantised.engine["weights"] < memory(chosen, machine).engine["weights"] // 2


@pytest.mark.parametrize("name", names("systems"))
def test_a_web_path_of_the_table_is_that_of_the_settings(name: str) -> None:
    def last(model: str | None) -> str | None:
        return model.partition(":")[2].split("/")[-1].lower() if model and ":" in model else model

    planned, real = system(name).web, PRESETS.get(name, WebSettings())
    if name == "web":
        real = replace(real, embedder="all-minilm-l6-v2")
    assert planned == Web(
        extractor=real.extractors[0],
        chunking=real.chunking,
        prefilter=real.prefilter,
        pages_kept=real.pages_kept,
        lexical_cut=real.lexical_cut,
        recall_k=real.recall_k,
        max_length=real.max_length,
        embedder=real.embedder.split("/")[-1].lower() if real.embedder else None,
        reranker=last(real.reranker),
    )


def test_db3s_rounds_are_those_of_its_options() -> None:
    options, planned = Db3Options(), system("db3")
    by_name = {entry.name: entry for entry in planned.rounds}
    assert by_name["write_query"].completion == options.query_tokens
    assert by_name["answer_web"].prompt >= options.context_tokens
    assert by_name["answer_web"].completion == 75
    assert planned.memory == LLMSettings("vllm:x").memory
    assert planned.context == CONTEXT
    settings = Settings()
    assert (
        planning.SECONDS_A_QUESTION,
        planning.MARGIN_S,
        planning.RETRY_SHARE,
    ) == (settings.seconds_per_question, settings.margin_s, settings.retry_share)


@pytest.mark.parametrize("name", names("hardware"))
@pytest.mark.parametrize("chosen", names("systems"))
def test_every_row_makes_a_plan(name: str, chosen: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--hardware", name, "--system", chosen])
    said = capsys.readouterr().out
    assert ("it fits" in said) == (status == 0)
    assert ("change: " in said) == (status == 1)
    assert main(["--hardware", name, "--system", chosen, "--json"]) == status
    assert json.loads(capsys.readouterr().out)["fits"] == (status == 0)


def test_an_unknown_name_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hardware", "abacus"]) == 2
    assert "g4dn.12xlarge" in capsys.readouterr().err
    with pytest.raises(SettingsError, match="no models can|no model of type"):
        shape_of({"model_type": "mamba"})
