"""`python -m training paraphrase`: pairs in an LLM's words, each checked by execution."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from models.settings import load_settings
from training.commands.labels import remembering
from training.kg import EXAMPLE_KG, opened
from training.progress import Bars
from training.queries.paraphrase import PARAPHRASE, WRITE, paraphrase
from training.recipe import read_recipe
from training.records import read_pairs, write_rows

HELP = "ask pairs in the words of settings.toml's engine, kept if they lead back to what was asked"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="pairs")
    parser.add_argument("--out", type=Path, required=True, help="the file of further pairs")
    parser.add_argument("--kg", type=Path, default=EXAMPLE_KG)
    parser.add_argument("--recipe", default="write_query", help="with whose prompt")
    parser.add_argument("--count", type=int, default=3, help="wordings of a pair at most")


def run(options: Namespace, console: Console) -> int:
    pairs, recipe = read_pairs(options.data), read_recipe(options.recipe)
    calls = options.out.with_suffix(".calls.sqlite")
    llms = remembering(load_settings(), calls, (PARAPHRASE, WRITE))
    with opened(options.kg) as kg, Bars(console) as bars:
        show = bars.bar("questions", None)
        made = paraphrase(pairs, llms, recipe, kg.checker, show, count=options.count)
    write_rows(options.out, made.pairs)
    console.print(f"{len(made.pairs)} of {made.offered} wordings kept", highlight=False)
    return 0
