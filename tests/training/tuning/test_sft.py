"""An adapter tuned with peft and TRL: on answers alone, resumable, the same in each engine."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.llm.adapters import CARD
from tests.models.engines import Tiny
from training.encode import samples_of
from training.recipe import Recipe
from training.records import Pair, Sample
from training.tuning.job import CHECKPOINTS, Job
from training.tuning.report import LOSS_CURVE, METRICS
from training.tuning.run import tune
from training.tuning.sft import Sft
from utils.errors import InputError
from utils.packages import package

pytestmark = pytest.mark.engine
for name in ("trl", "datasets", "matplotlib"):
    pytest.importorskip(name, reason=f"{name} is not installed: the extra train")

RECIPE = Recipe(
    "write_query", query_prompt="short", learning_rate=5e-3, epochs=4, batch=4, accumulation=1
)


@pytest.fixture(scope="module")
def samples(pairs: list[Pair]) -> list[Sample]:
    too_long = Sample("l", (("user", "word " * RECIPE.max_tokens),), "x")
    return [*samples_of(pairs[:24], RECIPE), too_long]


def job(tiny: Tiny, out: Path, recipe: Recipe = RECIPE) -> Job:
    return Job(recipe, tiny.folder, "a" * 64, out, threads=1)


@pytest.fixture(scope="module")
def tuned(tiny: Tiny, samples: list[Sample], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("adapter")
    tune(job(tiny, out), Sft(samples))
    return out


def weights(adapter: Path) -> Any:
    return package("safetensors.torch").load_file(str(adapter / "adapter_model.safetensors"))


def metrics(adapter: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (adapter / METRICS).read_text().splitlines()]


def test_the_loss_falls_and_the_card_says_what_the_adapter_was_made_of(
    tuned: Path, samples: list[Sample]
) -> None:
    card = json.loads((tuned / CARD).read_text())
    assert card["done"] and card["updates"] == 24
    assert (card["samples"], card["left_out"]) == (len(samples) - 1, 1)
    assert card["last_loss"] < card["first_loss"]
    assert card["recipe"] == RECIPE.as_json() and card["data_sha256"] == "a" * 64
    assert "<svg" in (tuned / LOSS_CURVE).read_text()
    assert {str(tensor.dtype) for tensor in weights(tuned).values()} == {"torch.float16"}
    assert metrics(tuned)[-1]["step"] == 24
    config = json.loads((tuned / "adapter_config.json").read_text())
    assert (config["r"], config["lora_alpha"]) == (8, 16)


def test_the_same_seed_gives_the_same_weights_and_answers_alone_are_learnt(
    tiny: Tiny, samples: list[Sample], tuned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What reaches the model as labels, decoded, is answers and the ends of their turns."""
    trainer = package("trl").SFTTrainer
    compute = trainer.compute_loss
    label_rows: list[list[int]] = []

    def watched(self: Any, model: Any, inputs: Any, *args: Any, **named: Any) -> Any:
        label_rows.extend(inputs["labels"].tolist())
        return compute(self, model, inputs, *args, **named)

    monkeypatch.setattr(trainer, "compute_loss", watched)
    tune(job(tiny, tmp_path), Sft(samples))
    decode = package("transformers").AutoTokenizer.from_pretrained(str(tiny.folder)).decode
    answers = {decode([token for token in row if token >= 0]) for row in label_rows}
    assert answers == {sample.answer + "<|eot_id|>" for sample in samples[:-1]}
    first_weights = weights(tuned)
    second_weights = weights(tmp_path)
    assert all(bool((first_weights[n] == second_weights[n]).all()) for n in first_weights)


def test_an_interrupted_run_resumes_from_its_checkpoint(
    tiny: Tiny, samples: list[Sample], tuned: Path, tmp_path: Path
) -> None:
    steps: list[int] = []

    class Watch(package("transformers").TrainerCallback):  # type: ignore[misc]
        """Notes the steps, and stops the first run after 14."""

        def on_log(self, args: Any, state: Any, *_: Any, logs: Any, **__: Any) -> None:
            if "loss" in logs:
                steps.append(state.global_step)
                if len(steps) == 14:
                    raise KeyboardInterrupt

    out = tmp_path / "adapter"
    with pytest.raises(KeyboardInterrupt):
        tune(job(tiny, out), Sft(samples), [Watch()])
    assert not json.loads((out / CARD).read_text())["done"]
    assert (out / LOSS_CURVE).exists()
    assert [row["step"] for row in metrics(out)] == list(range(1, 15))
    (out / CHECKPOINTS / "checkpoint-20").mkdir()  # torn: without what is written last
    card = tune(job(tiny, out), Sft(samples), [Watch()])
    assert card["done"] and card["updates"] == 24
    assert 12 <= steps[14] <= 15, "it began again from the start"
    rows = metrics(out)
    assert [row["step"] for row in rows] == list(range(1, 25))
    assert card["seconds"] >= rows[-1]["seconds"] >= rows[13]["seconds"] >= rows[0]["seconds"]
    resumed = weights(out)
    uninterrupted = weights(tuned)
    for name, values in uninterrupted.items():
        assert bool(package("torch").allclose(resumed[name], values, atol=1e-6))


def test_a_finished_run_another_run_and_too_long_samples_are_not_trained_on(
    tiny: Tiny, samples: list[Sample], tuned: Path, tmp_path: Path
) -> None:
    before = (tuned / "adapter_model.safetensors").stat().st_mtime_ns
    same = job(tiny, tuned)
    (tmp_path / "link").symlink_to(tiny.folder)  # the same base by another path
    assert (
        tune(same, Sft(samples))["done"]
        and tune(replace(same, base=tmp_path / "link"), Sft(samples))["done"]
    )
    assert (tuned / "adapter_model.safetensors").stat().st_mtime_ns == before
    other_recipe = job(tiny, tuned, replace(RECIPE, r=4))
    other_data = replace(same, data_sha256="b" * 64)
    for other in (other_recipe, other_data):
        with pytest.raises(InputError, match="holds another run"):
            tune(other, Sft(samples))
    short = replace(same, recipe=replace(RECIPE, max_tokens=8), out=tmp_path / "short")
    with pytest.raises(InputError, match="none of 25 samples has 8 tokens"):
        tune(short, Sft(samples))


def test_a_base_whose_turns_end_differently_is_refused(
    tiny: Tiny, samples: list[Sample], tmp_path: Path
) -> None:
    base = shutil.copytree(tiny.folder, tmp_path / "base")
    tokenizer = package("transformers").AutoTokenizer.from_pretrained(str(base))
    tokenizer.eos_token = tokenizer.bos_token
    tokenizer.save_pretrained(str(base))
    with pytest.raises(InputError, match="correct eos_token"):
        tune(replace(job(tiny, tmp_path / "out"), base=base), Sft(samples))


def test_a_second_stage_starts_from_the_first_ones_weights(
    tiny: Tiny, samples: list[Sample], tuned: Path, tmp_path: Path
) -> None:
    still = replace(RECIPE, learning_rate=1e-12, epochs=1)
    second = replace(job(tiny, tmp_path / "second", still), start=tuned, fold="0/3")
    card = tune(second, Sft(samples))
    assert card["fold"] == "0/3"
    assert card["start"]["data_sha256"] == job(tiny, tuned).data_sha256
    assert len(card["start"]["weights_sha256"]) == 64
    first_weights = weights(tuned)
    for name, values in weights(tmp_path / "second").items():
        assert bool(package("torch").allclose(first_weights[name], values, atol=1e-5))
    with pytest.raises(InputError, match="start differ"):
        tune(replace(second, start=None), Sft(samples))
    other_rank = replace(second, recipe=replace(still, r=4), out=tmp_path / "third")
    with pytest.raises(InputError, match="another rank"):
        tune(other_rank, Sft(samples))
