"""The demo: from a KG to a tuned and served query adapter of SmolLM2, in minutes on a CPU."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from evaluation.run_folder import write_json
from models.llm.config import LLMSettings
from models.llm.gguf_export import export
from models.llm.gguf_model import find_gguf
from models.llm.llms import make_llm
from training.encode import samples_of
from training.evaluate import BASE, Writing, compare_writers, figures_table
from training.kg import EXAMPLE_KG, Kg
from training.queries.copying import unify_form
from training.queries.sample import draw_pairs
from training.recipe import read_recipe
from training.records import Pair, PairSplit, write_rows
from training.tuning.job import Job
from training.tuning.run import tune
from training.tuning.sft import Sft
from utils.model_files import sha256

MODEL = "smollm2"
RECIPE = "demo"
PAIRS = 300
HELD_OUT = 40
LEAST_GAIN = 0.3  # of execution match, over the base
MOST_SECONDS = 600.0  # in all
_DRAWN = 2  # pairs drawn for one that is used: of some, the program cannot be copied
_CONTEXT = 512  # tokens of a prompt and its program
_PROGRAM_TOKENS = 80


@dataclass(frozen=True, slots=True)
class DemoCheck:
    """One requirement on the demo, what was measured, and whether that meets it."""

    requirement: str
    measured: str
    met: bool


def run_demo(
    out: Path, *, kg: Path = EXAMPLE_KG, pairs: int = PAIRS, held_out: int = HELD_OUT
) -> bool:
    """Run all steps in the folder `out`; an interrupted run resumes.

    Args:
        kg: what the questions are about.
        pairs: to train on.
        held_out: pairs of held-out wordings, on which base and adapter are compared.

    Returns:
        whether every check of `demo_checks` is met.

    Raises:
        LLMError: the model's package is not installed.
        MissingPackageError: a package of the extras `train` and `llamacpp` is not installed.
    """
    model = find_gguf(MODEL)
    recipe = read_recipe(RECIPE)
    facts = Kg(kg)
    seconds: dict[str, float] = {}
    with _timed(seconds, "data"):
        train_pairs = _draw(facts, "train", pairs)
        held_out_pairs = _draw(facts, "held_out", held_out)
        data = out / "train.jsonl"
        write_rows(data, train_pairs)
        write_rows(out / "held_out.jsonl", held_out_pairs)
    with _timed(seconds, "base"):
        base = out / "base"
        export(model, base)
    with _timed(seconds, "adapter"):
        adapter = out / "adapter"
        samples = samples_of(train_pairs, recipe)
        card = tune(Job(recipe, base, sha256(data), adapter), Sft(samples))
    with _timed(seconds, "evaluation"):
        adapters = {"write_query": str(adapter)}
        llm = make_llm(LLMSettings(f"llamacpp:{MODEL}", adapters, context=_CONTEXT))
        models = {BASE: None, "adapter": "write_query"}
        writing = Writing(copied=True, max_tokens=_PROGRAM_TOKENS)
        figures = compare_writers(llm, models, held_out_pairs, recipe, facts, writing)
    checks = demo_checks(figures, card["updates"], sum(seconds.values()))
    report = {
        "pairs": len(train_pairs),
        "held_out": len(held_out_pairs),
        "updates": card["updates"],
        "figures": figures,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "checks": [asdict(check) for check in checks],
    }
    write_json(out / "demo.json", report)
    _show(figures, checks, seconds)
    Console().print(
        f"To serve it: crag model serve {MODEL} --adapter write_query={adapter}",
        soft_wrap=True,
    )
    return all(check.met for check in checks)


def demo_checks(
    figures: Mapping[str, Mapping[str, Any]], updates: int, seconds: float
) -> list[DemoCheck]:
    """The requirements on the demo.

    Args:
        figures: of the base and of the adapter.
        updates: of the adapter.
        seconds: in all.
    """
    gain = figures["adapter"]["execution"] - figures[BASE]["execution"]
    return [
        DemoCheck(
            f"{LEAST_GAIN:.0%} of execution match or more gained",
            f"{gain:.1%} in {updates} updates",
            gain >= LEAST_GAIN,
        ),
        DemoCheck(f"{MOST_SECONDS:.0f} s or less", f"{seconds:.0f} s", seconds <= MOST_SECONDS),
    ]


def _draw(kg: Kg, split: PairSplit, count: int) -> list[Pair]:
    """Pairs whose programs copy names and times from their question."""
    pairs = unify_form(draw_pairs(kg, split, _DRAWN * count), kg)
    return pairs[:count]


def _show(
    figures: Mapping[str, Mapping[str, Any]],
    checks: list[DemoCheck],
    seconds: Mapping[str, float],
) -> None:
    table = Table("asked for", "found", "held")
    for check in checks:
        table.add_row(check.requirement, check.measured, "yes" if check.met else "no")
    spent = ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items())
    Console().print(figures_table(figures), table, spent)


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[name] = time.monotonic() - start
