"""`python -m training rationales`: reasons for known answers, to tune `answer_alone` on."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from evaluation.judge.factory import make_judge
from models.settings import load_settings
from training.commands.labels import questions, questions_arguments, remembering
from training.progress import Bars
from training.rationales import SUBTASK, Rationales
from training.records import write_rows

HELP = "write reasons for known answers (dragonrangers, 3.1) with the engine of settings.toml"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="CRAG questions with answers")
    parser.add_argument("--out", type=Path, required=True, help="the file of samples")
    parser.add_argument("--judge", default="rules", metavar="rules|openai:URL#MODEL")
    questions_arguments(parser)


def run(options: Namespace, console: Console) -> int:
    settings = load_settings()
    llms = remembering(settings, options.out.with_suffix(".calls.sqlite"), (SUBTASK,))
    writer = Rationales(llms, make_judge(options.judge, api_key=settings.judge_api_key))
    examples = [replace(example, pages=()) for example in questions(options)]
    with Bars(console) as bars:
        samples = list(writer.write(examples, bars.bar("questions", len(examples))))
    write_rows(options.out, samples)
    counts = ", ".join(f"{name} {count}" for name, count in writer.counts.items() if count)
    console.print(f"{len(examples)} questions: {counts}", markup=False, highlight=False)
    return 0
