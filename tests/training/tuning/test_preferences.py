"""DPO and GRPO on a tiny model: they learn and resume, and engines load their adapters."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.rules import RulesJudge
from models.llm.adapters import CARD, WEIGHTS
from models.llm.config import LLMSettings
from models.llm.llms import make_llm
from models.llm.protocol import LLM, Prompt
from tests.models.engines import VLLM_ENVIRONMENT, Tiny
from training.recipe import Recipe
from training.records import Preference, Sample
from training.truthfulness import SHARES, answer_samples, shares_of
from training.tuning.base_model import ADAPTER
from training.tuning.dpo import Dpo
from training.tuning.grpo import Grpo
from training.tuning.job import CHECKPOINTS, Job, last_checkpoint
from training.tuning.report import METRICS, SHARES_CURVE
from training.tuning.run import tune
from training.tuning.sft import Sft
from utils.deadline import Deadline
from utils.errors import InputError
from utils.packages import package

pytestmark = pytest.mark.engine
for name in ("trl", "datasets", "matplotlib"):
    pytest.importorskip(name, reason=f"{name} is not installed: the extra train")

RECIPE = Recipe(
    "answer_kg",
    dropout=0.0,
    learning_rate=2e-2,
    epochs=6,
    batch=4,
    accumulation=1,
    max_tokens=256,
    answer_tokens=4,
)
GRPO_RECIPE = replace(RECIPE, learning_rate=1e-2, beta=0.001)
RIGHT = "yes"
WRONG = "no"
SAMPLES = [
    Sample(
        id=str(number),
        turns=(("system", "Answer."), ("user", f"is {number} a number?")),
        answer=RIGHT,
        note="contains the answer",
        question=f"is {number} a number?",
        golds=(RIGHT,),
        subtask="answer_kg",
    )
    for number in range(8)
]
PREFERENCES = [Preference(each.id, each.turns, RIGHT, WRONG) for each in SAMPLES]


def job(tiny: Tiny, out: Path, start: Path | None, recipe: Recipe = RECIPE) -> Job:
    return Job(recipe, tiny.folder, "a" * 64, out, threads=1, start=start)


def shares_of_samples(llm: LLM, adapter: str) -> dict[str, float]:
    return shares_of(answer_samples(llm, adapter, "answer_kg", SAMPLES, RulesJudge()))


def metrics(adapter: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (adapter / METRICS).read_text().splitlines()]


@pytest.fixture(scope="module")
def started(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter that answers half of the questions with "yes", the others with "no"."""
    out = tmp_path_factory.mktemp("started")
    mixed = [
        replace(sample, answer=(RIGHT, WRONG)[place % 2]) for place, sample in enumerate(SAMPLES)
    ]
    tune(job(tiny, out, None, replace(RECIPE, learning_rate=5e-3, epochs=12)), Sft(mixed))
    return out


@pytest.fixture(scope="module")
def preferring(tiny: Tiny, started: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The adapter that DPO makes of `started`."""
    out = tmp_path_factory.mktemp("dpo")
    tune(job(tiny, out, started), Dpo(PREFERENCES), watch=shares_of_samples)
    return out


def test_dpo_learns_which_answer_is_better(preferring: Path) -> None:
    card = json.loads((preferring / CARD).read_text())
    assert card["done"] and card["updates"] == 12 and card["samples"] == len(PREFERENCES)
    assert card["first_loss"] == pytest.approx(0.693, abs=0.01)  # the reference is `started`
    assert card["last_loss"] < 0.3
    assert card["start"]["data_sha256"] == "a" * 64


def test_watched_samples_are_measured_from_the_start_on_and_drawn(preferring: Path) -> None:
    watched = [row for row in metrics(preferring) if row.get("watched")]
    assert watched[0]["step"] == 0 and watched[-1]["step"] == 12
    assert watched[-1]["accuracy"] == 1.0 > watched[0]["accuracy"]
    assert "<svg" in (preferring / SHARES_CURVE).read_text()


@pytest.fixture(scope="module")
def rewarded(tiny: Tiny, started: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The adapter that GRPO makes of `started`."""
    out = tmp_path_factory.mktemp("grpo")
    tune(job(tiny, out, started, GRPO_RECIPE), Grpo(SAMPLES, RulesJudge()))
    return out


def test_grpo_earns_more(rewarded: Path) -> None:
    card = json.loads((rewarded / CARD).read_text())
    assert card["done"] and card["updates"] == 12
    assert (card["method"], card["judge"]) == ("grpo", "rules")
    assert card["last_shares"]["accuracy"] > card["first_shares"]["accuracy"] + 0.2
    rows = metrics(rewarded)
    assert [row["step"] for row in rows] == list(range(1, 13))
    assert {"reward", "kl", *SHARES} <= rows[0].keys()
    assert "<svg" in (rewarded / SHARES_CURVE).read_text()
    assert not (rewarded / "ref").exists(), "the frozen copy was written, too"


class Interrupt(package("transformers").TrainerCallback):  # type: ignore[misc]
    """Ends a run after its tenth update, before it is saved."""

    def on_log(self, args: Any, state: Any, *_: Any, **__: Any) -> None:
        if state.global_step == 10:
            raise KeyboardInterrupt


class FirstWeights(package("transformers").TrainerCallback):  # type: ignore[misc]
    """Keeps the adapter as it is before the first update of a run."""

    weights: dict[str, Any] | None = None

    def on_step_begin(self, *_: Any, model: Any, **__: Any) -> None:
        if self.weights is None:
            state = package("peft").get_peft_model_state_dict(model, adapter_name=ADAPTER)
            self.weights = {name: values.clone() for name, values in state.items()}


def same_weights(file: Path, weights: dict[str, Any], atol: float) -> bool:
    expected = package("safetensors.torch").load_file(str(file))
    close = package("torch").allclose
    return all(
        bool(close(weights[name].float(), expected[name].float(), atol=atol)) for name in expected
    )


@pytest.mark.parametrize(
    ("method", "recipe"),
    [(Dpo(PREFERENCES), RECIPE), (Grpo(SAMPLES, RulesJudge()), GRPO_RECIPE)],
    ids=["dpo", "grpo"],
)
def test_an_interrupted_run_goes_on_from_its_checkpoint(
    tiny: Tiny, started: Path, preferring: Path, tmp_path: Path, method: Any, recipe: Recipe
) -> None:
    recipe = replace(recipe, kept_checkpoints=12)
    with pytest.raises(KeyboardInterrupt):
        tune(job(tiny, tmp_path, started, recipe), method, [Interrupt()])
    checkpoint = last_checkpoint(tmp_path / CHECKPOINTS)
    assert checkpoint is not None and checkpoint.name == "checkpoint-9"
    first = FirstWeights()
    card = tune(job(tiny, tmp_path, started, recipe), method, [first])
    assert card["done"] and card["updates"] == 12
    assert first.weights is not None
    assert same_weights(checkpoint / WEIGHTS, first.weights, atol=0)
    assert not same_weights(started / WEIGHTS, first.weights, atol=1e-3)
    assert [row["step"] for row in metrics(tmp_path)] == list(range(1, 13))
    if isinstance(method, Dpo):  # a resumed GRPO takes samples in the first epoch's order again
        assert same_weights(preferring / WEIGHTS, load_weights(tmp_path), atol=0)


def load_weights(adapter: Path) -> dict[str, Any]:
    return dict(package("safetensors.torch").load_file(str(adapter / WEIGHTS)))


def test_watching_changes_nothing(
    tiny: Tiny, started: Path, preferring: Path, rewarded: Path, tmp_path: Path
) -> None:
    tune(job(tiny, tmp_path / "dpo", started), Dpo(PREFERENCES))  # `preferring` was watched
    assert same_weights(preferring / WEIGHTS, load_weights(tmp_path / "dpo"), atol=0)
    grpo = Grpo(SAMPLES, RulesJudge())  # `rewarded` was not
    tune(job(tiny, tmp_path / "grpo", started, GRPO_RECIPE), grpo, watch=shares_of_samples)
    assert same_weights(rewarded / WEIGHTS, load_weights(tmp_path / "grpo"), atol=0)


def test_another_method_is_another_run(tiny: Tiny, started: Path, preferring: Path) -> None:
    with pytest.raises(InputError, match="another run \\(method"):
        tune(job(tiny, preferring, started), Sft(SAMPLES))


def test_what_fits_no_recipe_is_an_error(tiny: Tiny, started: Path, tmp_path: Path) -> None:
    short = job(tiny, tmp_path, started, replace(RECIPE, max_tokens=4))
    with pytest.raises(InputError, match="none of 8 preferences has 4 tokens"):
        tune(short, Dpo(PREFERENCES))
    with pytest.raises(InputError, match="none of 8 samples has 4 tokens"):
        tune(short, Grpo(SAMPLES, RulesJudge()))
    with pytest.raises(InputError, match="sample 0 has no question or no golds"):
        tune(short, Grpo([replace(SAMPLES[0], golds=())], RulesJudge()))


@pytest.mark.parametrize("engine", ["hf", "vllm"])
def test_the_adapters_answer_in_an_engine(
    tiny: Tiny, preferring: Path, rewarded: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine == "vllm":
        for name, value in VLLM_ENVIRONMENT.items():
            monkeypatch.setenv(name, value)
    adapters = {"dpo": str(preferring), "grpo": str(rewarded)}
    llm = make_llm(LLMSettings(f"{engine}:{tiny.folder}", adapters, dtype="float32", eager=True))

    def answers(adapter: str) -> list[str]:
        prompts = [Prompt(sample.messages, adapter, max_tokens=4) for sample in SAMPLES]
        completions = llm.generate(prompts, deadline=Deadline.after(120))
        return [completion.text for completion in completions]

    assert answers("dpo") == [RIGHT] * len(SAMPLES)
    assert answers("grpo").count(RIGHT) > len(SAMPLES) / 2
