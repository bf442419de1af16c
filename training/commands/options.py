"""The options that several commands of `crag training` have, and how they print."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.judge.make_judge import make_judge
from evaluation.judge.protocol import Judge
from models.settings import load_settings
from training.records import Part, Preference, Sample

say = Console(soft_wrap=True, highlight=False, markup=False).print

KgPath = Annotated[Path, typer.Option(help="a folder of facts or a file")]
Out = Annotated[Path, typer.Option(help="the file to write")]
OutFolder = Annotated[Path, typer.Option(help="the folder to write")]
Questions = Annotated[Path, typer.Option("--data", help="CRAG questions with answers")]
DataFiles = Annotated[list[Path], typer.Option("--data", metavar="FILE...", help="questions")]
# Further values of an option that takes several, as in `--data A B`.
MoreFiles = Annotated[list[Path] | None, typer.Argument(hidden=True)]
JudgeOption = Annotated[str, typer.Option("--judge", metavar="rules|openai:URL#MODEL")]
Limit = Annotated[int | None, typer.Option(help="questions to read at most, of all parts")]
ChosenPart = Annotated[
    Part, typer.Option("--part", help="by the hash of the id: nine of ten, or the one held out")
]
FoldOption = Annotated[
    str | None, typer.Option(metavar="K/N", help="hold out the K-th of N folds, by wording")
]
Threads = Annotated[int | None, typer.Option("--threads", help="of a CPU; default: torch's choice")]
BATCH = 16  # questions that an engine is asked at a time
CALLS = ".calls.sqlite"  # beside the output: what engines replied


def judge_of(spec: str) -> Judge:
    """The judge that `--judge` names, with the key of the settings."""
    return make_judge(spec, api_key=load_settings().judge_api_key)


def say_notes(rows: Iterable[Sample | Preference]) -> None:
    """Print how many rows have each note."""
    for note, count in Counter(row.note for row in rows).items():
        say(f"{note}: {count}")
