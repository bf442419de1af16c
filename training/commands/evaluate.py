"""`python -m training evaluate`: base and adapters side by side on held-out data."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from evaluation.judge.factory import make_judge
from models.llm.adapters import read_adapter
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM
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
    adapters = {folder.name: str(folder) for folder in options.adapter}
    for name, folder in adapters.items():
        read_adapter(name, folder)
    llm = make_llm(LLMSettings(options.llm, adapters))
    with Bars(console) as bars:
        if recipe.subtask == "write_query":
            figures, table = _queries(options, recipe, llm, bars)
        else:
            figures, table = _answers(options, llm, bars)
    told = {"llm": options.llm, "data_sha256": file_hash(options.data), "figures": figures}
    for folder in options.adapter:
        text = json.dumps(told, indent=2) + "\n"
        (folder / EVALUATION).write_text(text, encoding="utf-8")
    console.print(table)
    return 0


def _queries(
    options: Namespace, recipe: Recipe, llm: LLM, bars: Bars
) -> tuple[dict[str, Any], Table]:
    pairs = read_pairs(options.data)
    figures = {}
    with opened(options.kg) as kg:
        for name in (BASE, *(folder.name for folder in options.adapter)):
            figures[name], _ = evaluate_queries(
                llm, None if name == BASE else name, pairs, recipe, kg.checker,
                bars.bar(name, len(pairs)), constrained=not options.free,
            )  # fmt: skip
    return as_json(figures), query_table(figures)


def _answers(options: Namespace, llm: LLM, bars: Bars) -> tuple[dict[str, Any], Table]:
    samples, judge = read_samples(options.data), make_judge(options.judge)
    figures = {}
    for name in (BASE, *(folder.name for folder in options.adapter)):
        adapter = None if name == BASE else name
        figures[name], _ = evaluate_answers(
            llm, adapter, samples, judge, bars.bar(name, len(samples))
        )
    return figures, answer_table(figures)
