"""`python -m training evaluate`: base and adapters side by side on held-out data."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from evaluation.judge.factory import make_judge
from models.llm.adapters import read_adapter
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM
from models.settings import load_settings
from training.evaluate import (
    BASE,
    EVALUATION,
    answer_table,
    as_json,
    evaluate_answers,
    evaluate_queries,
    query_table,
)
from training.kg import EXAMPLE_KG, opened
from training.progress import Bars
from training.recipe import Recipe, read_recipe
from training.records import file_hash, read_pairs, read_samples
from training.sft import CARD
from utils.errors import InputError

HELP = "measure adapters against their base: programs by execution, answers by CRAG's figures"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", help="the recipe that the adapters were made by")
    parser.add_argument("--llm", required=True, metavar="hf:PATH|vllm:PATH", help="the base")
    parser.add_argument("--adapter", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--data", type=Path, required=True, help="held-out pairs or samples")
    parser.add_argument("--kg", type=Path, default=EXAMPLE_KG, help="for write_query")
    parser.add_argument("--judge", default="rules", metavar="rules|openai:URL#MODEL")
    parser.add_argument("--free", action="store_true", help="write_query without its grammar")


def run(options: Namespace, console: Console) -> int:
    recipe = read_recipe(options.recipe)
    adapters = named(options.adapter)
    for name, folder in adapters.items():
        read_adapter(name, folder)
        refuse_its_own(Path(folder), options.data)
    llm = make_llm(LLMSettings(options.llm, adapters))
    with Bars(console) as bars:
        measured = _queries if recipe.subtask == "write_query" else _answers
        figures, table = measured(options, recipe, llm, list(adapters), bars)
    told = {"llm": options.llm, "data_sha256": file_hash(options.data), "figures": figures}
    for folder in options.adapter:
        text = json.dumps(told, indent=2) + "\n"
        (folder / EVALUATION).write_text(text, encoding="utf-8")
    console.print(table)
    return 0


def named(folders: Sequence[Path]) -> dict[str, str]:
    """The folders by their names; by their whole paths where two have one name."""
    names = [folder.name for folder in folders]
    return {f.name if names.count(f.name) == 1 else str(f): str(f) for f in folders}


def refuse_its_own(adapter: Path, data: Path) -> None:
    """Raises InputError where the adapter was tuned on just that data."""
    card = adapter / CARD
    if not card.exists():  # an adapter of somewhere else
        return
    if json.loads(card.read_text(encoding="utf-8")).get("data_sha256") == file_hash(data):
        raise InputError(f"{adapter} was tuned on {data}: it is no held-out data")


def _queries(
    options: Namespace, recipe: Recipe, llm: LLM, adapters: Sequence[str], bars: Bars
) -> tuple[dict[str, Any], Table]:
    pairs = [pair for pair in read_pairs(options.data) if pair.split == "held_out"]
    if not pairs:
        raise InputError(f"{options.data} holds no pair of the split held_out")
    figures = {}
    with opened(options.kg) as kg:
        for name in (BASE, *adapters):
            figures[name], _ = evaluate_queries(
                llm, None if name == BASE else name, pairs, recipe, kg.checker,
                bars.bar(name, len(pairs)), constrained=not options.free,
            )  # fmt: skip
    return as_json(figures), query_table(figures)


def _answers(
    options: Namespace, recipe: Recipe, llm: LLM, adapters: Sequence[str], bars: Bars
) -> tuple[dict[str, Any], Table]:
    samples = read_samples(options.data)
    judge = make_judge(options.judge, api_key=load_settings().judge_api_key)
    figures = {}
    for name in (BASE, *adapters):
        adapter = None if name == BASE else name
        show = bars.bar(name, len(samples))
        figures[name], _ = evaluate_answers(llm, adapter, recipe.subtask, samples, judge, show)
    return figures, answer_table(figures)
