"""`python -m training queries`: question-program pairs over a KG, without hand labels."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from training.kg import EXAMPLE_KG, opened
from training.progress import Bars
from training.queries.intents import intents
from training.queries.sample import QUERY_TIME, Drawing, draw_pairs
from training.records import write_rows

HELP = "make question-program pairs over a KG, each executed and kept if it returns something"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--kg", type=Path, default=EXAMPLE_KG, help="a folder of facts or a file")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--pairs", type=int, default=6000)
    parser.add_argument("--held-out", type=int, default=300, help="pairs of held-out wordings")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--query-time", default=QUERY_TIME, help="when all questions are asked")


def run(options: Namespace, console: Console) -> int:
    how = Drawing(options.pairs, options.held_out, options.seed, options.query_time)
    with opened(options.kg) as kg, Bars(console) as bars:
        show = bars.bar("pairs", options.pairs + options.held_out)
        pairs = draw_pairs(intents(), kg.pools, kg.checker, how, show)
    for split in ("train", "held_out"):
        chosen = [pair for pair in pairs if pair.split == split]
        write_rows(options.out / f"{split}.jsonl", chosen)
        programs = len({pair.program for pair in chosen})
        console.print(f"{split}: {len(chosen)} pairs, {programs} programs", highlight=False)
    return 0
