"""The planner: sizes equal to those of real models, memory, seconds, advice, tables."""

import json
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import Any

import pytest

from models.llm.config import LLMSettings
from models.systems.bumblebee7.system import Bumblebee7Options
from models.systems.db3 import Db3Options
from models.systems.factory import SYSTEMS
from submission.budget.__main__ import main
from submission.budget.plan import CACHE, LAST, BudgetPlan, advice, make_plan, web_seconds
from submission.budget.tables import SystemSteps, hardware, model, read, system
from tests.models.engines import CONTEXT
from tests.submission.scratch import ROOT

RECORDED = ROOT / "benchmarks" / "recorded" / "web_path.json"
T4S = hardware("g4dn.12xlarge")
DB3 = system("db3")

BERT = {"vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2}
MINILM = {"hidden_size": 384, "intermediate_size": 1536, "num_attention_heads": 12, **BERT}
# What transformers builds each row of models.toml from: its class, and its config.json.
BUILT: dict[str, tuple[str, dict[str, Any]]] = {
    "llama-3-8b-instruct": ("LlamaForCausalLM", {
        "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    }),
    "bge-base-en-v1.5": ("BertModel", BERT | {"num_hidden_layers": 12}),
    "bge-reranker-v2-m3": ("XLMRobertaForSequenceClassification", {
        "vocab_size": 250002, "hidden_size": 1024, "intermediate_size": 4096, "num_labels": 1,
        "num_hidden_layers": 24, "num_attention_heads": 16, "max_position_embeddings": 8194,
        "type_vocab_size": 1,
    }),
    "all-minilm-l6-v2": ("BertModel", MINILM | {"num_hidden_layers": 6}),
    "msmarco-minilm-l-12-v3": ("BertModel", MINILM | {"num_hidden_layers": 12}),
    "ms-marco-minilm-l-6-v2": (
        "BertForSequenceClassification", MINILM | {"num_hidden_layers": 6, "num_labels": 1},
    ),
    "sentence-t5-large": ("T5EncoderModel", {
        "vocab_size": 32128, "d_model": 1024, "d_kv": 64, "d_ff": 4096, "num_layers": 24,
        "num_heads": 16,
    }),
}  # fmt: skip


@pytest.mark.engine
@pytest.mark.parametrize("name", read("models"))
def test_a_row_of_the_models_has_the_sizes_of_the_real_model(name: str) -> None:
    """Built without memory, on torch's meta device."""
    transformers = pytest.importorskip("transformers", reason="pip install -e '.[test-engines]'")
    torch = pytest.importorskip("torch", reason="pip install -e '.[test-engines]'")
    kind, values = BUILT[name]
    cls, row = getattr(transformers, kind), model(name)
    with torch.device("meta"):
        built = cls(cls.config_class(**values))
    matrices = [  # those of the layers, which are numbered modules
        part.weight
        for name, part in built.named_modules()
        if isinstance(part, torch.nn.Linear) and any(map(str.isdigit, name.split(".")))
    ]
    assert sum(p.numel() for p in built.parameters()) == row.parameters
    assert sum(w.numel() for w in matrices) == row.matrices
    assert max(max(w.shape) for w in matrices) == row.widest
    if row.cache_values:
        config = built.config
        width = config.hidden_size // config.num_attention_heads
        assert row.cache_values == 2 * row.layers * config.num_key_value_heads * width
        assert row.lora == sum(sum(w.shape) for w in matrices)
        assert row.output == built.lm_head.weight.numel()


@pytest.mark.parametrize(("kind", "pages"), [("dev", 5), ("task3", 50)])
def test_the_web_paths_seconds_are_within_twice_the_benchmarks(kind: str, pages: int) -> None:
    """`python -m benchmarks.web_path --json benchmarks/recorded/web_path.json` made the figures."""
    ours = json.loads(RECORDED.read_text())[kind]["ours"]
    planned = web_seconds(system("web").web, hardware("cpu"), pages)
    seconds = sum(planned.values())
    assert ours["median s"] / 2 <= seconds <= ours["median s"] * 2
    longest = max(planned, key=planned.__getitem__)
    assert ours["stages"][longest] / 2 <= planned[longest] <= ours["stages"][longest] * 2


def test_the_contests_machine_holds_db3_on_every_task() -> None:
    assert [make_plan(DB3, T4S, task).lacks for task in (1, 2, 3)] == [[], [], []]
    hurried = make_plan(replace(DB3, first_share=0.01), T4S, 2)
    assert hurried.lacks == ["the first rounds take 13 s more than their share"]


def test_one_card_says_which_setting_to_change() -> None:
    card = hardware("rtx3090")
    assert make_plan(DB3, card, 3).lacks
    changed = reduce(SystemSteps.changed, advice(DB3, card, 3), DB3)
    assert not make_plan(changed, card, 3).lacks
    assert advice(DB3, hardware("cpu"), 3) == [LAST]


def test_more_pages_take_more_time_and_adapters_and_few_bits_change_the_memory() -> None:
    def planned(**changed: Any) -> BudgetPlan:
        return make_plan(replace(DB3, **changed), T4S, 3)

    before = planned()
    assert planned(web=replace(DB3.web, pages_kept=50)).seconds > before.seconds
    assert planned(adapters=8).engine[CACHE] < before.engine[CACHE]
    assert planned(weight_bits=4).engine["weights"] < before.engine["weights"] // 2


def test_the_systems_are_planned_with_their_own_options() -> None:
    assert {*read("systems")} == {*SYSTEMS, "web"}
    first = {"db3": Db3Options().kg_share, "bumblebee7": Bumblebee7Options().first_share}
    for name in SYSTEMS:
        assert system(name).first_share == first.get(name, 1.0)
    options, by_name = Db3Options(), {entry.name: entry for entry in DB3.rounds}
    assert by_name["write_query"].completion == options.query_tokens
    assert by_name["answer_web"].prompt >= options.context_tokens
    assert (DB3.memory, DB3.context) == (LLMSettings("vllm:x").memory, CONTEXT)


def test_each_row_makes_a_plan_others_are_errors(capsys: pytest.CaptureFixture[str]) -> None:
    for machine, chosen in product(read("hardware"), read("systems")):
        status = main(["--hardware", machine, "--system", chosen])
        said = capsys.readouterr().out
        assert ("it fits" in said, "change: " in said) == (status == 0, status == 1)
    assert main(["--hardware", "abacus"]) == 2
    assert "g4dn.12xlarge" in capsys.readouterr().err
