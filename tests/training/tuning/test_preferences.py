"""DPO and GRPO on a tiny model: they learn, resume, and their adapters load everywhere."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.rules import RulesJudge
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM, Message, Prompt
from tests.models.engines import Tiny
from training.recipe import Recipe
from training.records import Preference, Sample
from training.truthfulness import answer_samples, shares_of
from training.tuning.dpo import Dpo
from training.tuning.grpo import Grpo
from training.tuning.job import CARD, Job
from training.tuning.report import METRICS, SHARES
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
RIGHT, WRONG = "yes", "no"
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

    def watch(llm: LLM, adapter: str) -> dict[str, float]:
        return shares_of(answer_samples(llm, adapter, "answer_kg", SAMPLES, RulesJudge()))

    tune(job(tiny, out, started), Dpo(PREFERENCES), watch=watch)
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
    assert "<svg" in (preferring / SHARES).read_text()


def test_grpo_earns_more_and_resumes(tiny: Tiny, started: Path, tmp_path: Path) -> None:
    class Stop(package("transformers").TrainerCallback):  # type: ignore[misc]
        """Interrupts a run after its fifth update."""

        def on_log(self, args: Any, state: Any, *_: Any, **__: Any) -> None:
            if state.global_step == 5:
                raise KeyboardInterrupt

    method = Grpo(SAMPLES, RulesJudge())
    recipe = replace(RECIPE, learning_rate=1e-2, beta=0.001)
    with pytest.raises(KeyboardInterrupt):
        tune(job(tiny, tmp_path, started, recipe), method, [Stop()])
    card = tune(job(tiny, tmp_path, started, recipe), method)
    assert card["done"] and card["updates"] == 12
    rows = metrics(tmp_path)
    assert [row["step"] for row in rows] == list(range(1, 13))
    assert {"reward", "kl", "accuracy", "hallucination", "missing"} <= rows[0].keys()
    assert rows[-1]["accuracy"] > rows[0]["accuracy"] + 0.2
    assert "<svg" in (tmp_path / SHARES).read_text()
    assert not (tmp_path / "ref").exists(), "the frozen copy was written, too"


def test_what_fits_no_recipe_is_an_error(tiny: Tiny, started: Path, tmp_path: Path) -> None:
    short = job(tiny, tmp_path, started, replace(RECIPE, max_tokens=4))
    with pytest.raises(InputError, match="none of 8 preferences has 4 tokens"):
        tune(short, Dpo(PREFERENCES))
    with pytest.raises(InputError, match="none of 8 samples has 4 tokens"):
        tune(short, Grpo(SAMPLES, RulesJudge()))


@pytest.mark.parametrize("engine", ["hf", "vllm"])
def test_the_adapter_loads_in_an_engine(
    tiny: Tiny, preferring: Path, engine: str, request: pytest.FixtureRequest
) -> None:
    if engine == "vllm":
        request.getfixturevalue("vllm_environment")
    settings = LLMSettings(
        f"{engine}:{tiny.folder}", {"answer": str(preferring)}, dtype="float32", eager=True
    )
    prompts = [
        Prompt(tuple(Message(role, text) for role, text in sample.turns), "answer", max_tokens=4)
        for sample in SAMPLES
    ]
    completions = make_llm(settings).generate(prompts, deadline=Deadline.after(120))
    assert [completion.text for completion in completions] == [RIGHT] * len(SAMPLES)
