"""`python -m training real`: programs for the questions of a dataset, checked by their golds."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from evaluation.judge.factory import make_judge
from models.settings import load_settings
from training.commands.labels import questions, questions_arguments, remembering
from training.kg import EXAMPLE_KG, opened
from training.progress import Bars
from training.queries.real import RealPairs
from training.recipe import read_recipe
from training.records import Pair, write_rows

HELP = "find programs for real questions, kept where what they return agrees with the gold"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="CRAG questions with answers")
    parser.add_argument("--out", type=Path, required=True, help="the file of pairs")
    parser.add_argument("--kg", type=Path, default=EXAMPLE_KG)
    parser.add_argument("--recipe", default="write_query", help="with whose prompt an LLM is asked")
    parser.add_argument("--judge", default="rules", metavar="rules|openai:URL#MODEL")
    questions_arguments(parser)


def run(options: Namespace, console: Console) -> int:
    settings = load_settings()
    judge = make_judge(options.judge, api_key=settings.judge_api_key)
    calls = options.out.with_suffix(".calls.sqlite")
    llms = remembering(settings, calls, ("write_query",)) if settings.llms else None
    pairs: list[Pair] = []
    asked = 0
    with opened(options.kg) as kg, Bars(console) as bars:
        show = bars.bar("questions", None)
        maker = RealPairs(kg.checker.client, judge, read_recipe(options.recipe), llms)
        for example in questions(options):
            asked += 1
            pair = maker.pair(example) if example.golds else None
            if pair is not None:
                pairs.append(pair)
            show(asked)
    write_rows(options.out, pairs)
    console.print(f"programs for {len(pairs)} of {asked} questions", highlight=False)
    return 0
