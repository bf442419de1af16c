"""`python -m evaluation COMMAND`: show, compare, judge and merge existing runs."""

import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.arguments import GpusPerWorker, RayAddress, Workers
from evaluation.cluster import Cluster
from evaluation.compare import as_text, compare, write_compare_page
from evaluation.corpus import write_corpus
from evaluation.dataset import read_examples
from evaluation.judge.factory import make_judge
from evaluation.judge.protocol import Judge
from evaluation.page.report import write_report_page
from evaluation.rejudge import rejudge, score_predictions, shards_merged
from evaluation.report import runs_table
from evaluation.run_folder import JUDGE_CACHE, RESULTS, read_object
from evaluation.trace import SHOWN_CHARS, find, latest, show
from models.settings import load_settings
from utils.cli import run
from utils.errors import InputError
from utils.tokens import cut_answer, load_counter

RUNS = Path("runs")

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="a run's folder")]
JudgeSpec = Annotated[
    str, typer.Option("--judge", help="rules, openai:URL#MODEL, or rules+openai:URL#MODEL")
]

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)


@app.command()
def trace(
    question: Annotated[str, typer.Argument(metavar="ID", help="an id, or how one begins")],
    run: Annotated[Path | None, typer.Option(help="default: the latest with traces")] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="the prompts that LLMs read")] = False,
    full: Annotated[bool, typer.Option("--full", help="whole values")] = False,
) -> None:
    """Show what each step did for one question."""
    folder = run or latest(RUNS)
    result, steps = find(question, folder)
    show(result, steps, None if full else SHOWN_CHARS, prompts=prompt)


@app.command()
def runs(folder: Annotated[Path, typer.Argument(help="the folder of the runs")] = RUNS) -> None:
    """List the runs in a folder with their scores."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    Console().print(runs_table(folder))


@app.command()
def report(folder: Folder) -> None:
    """Write report.html of a run again."""
    typer.echo(write_report_page(folder))


@app.command("compare")
def compare_command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN...", help="the first is before")
    ],
    out: Annotated[Path, typer.Option(help="the page to write")] = Path("compare.html"),
) -> None:
    """Compare runs on the same questions: differences, significance, what turned right or wrong."""
    comparison = compare(folders)
    typer.echo(as_text(comparison))
    write_compare_page(comparison, out)
    typer.echo(out)


@app.command("rejudge")
def rejudge_command(folder: Folder, judge: JudgeSpec = "rules") -> None:
    """Judge the answers of a run again, beside its own verdicts; no question is answered again."""
    _scored(rejudge(folder, _judge(judge, folder / JUDGE_CACHE)))


@app.command()
def score(
    predictions: Annotated[Path, typer.Argument(help="JSON lines: prediction, interaction_id")],
    dataset: Annotated[Path, typer.Option(help="the questions")],
    out: Annotated[Path | None, typer.Option(help="default: a new folder in runs/")] = None,
    judge: JudgeSpec = "rules",
) -> None:
    """Score any file of predictions."""
    folder = out or RUNS / f"{datetime.now():%Y%m%d-%H%M%S}-{predictions.stem}"
    cut = partial(cut_answer, count=load_counter(load_settings().tokenizer))
    _scored(score_predictions(predictions, dataset, _judge(judge), folder, cut))


@app.command()
def merge(
    shards: Annotated[list[Path], typer.Argument(metavar="RUN...", help="shards 1/N to N/N")],
    out: Annotated[Path, typer.Option(help="the folder to write")],
) -> None:
    """Put the shards of one run together (local_evaluation.py --shard I/N)."""
    _scored(shards_merged(shards, out))


@app.command()
def corpus(
    dataset: Annotated[Path, typer.Argument(help="questions with their pages")],
    out: Annotated[Path, typer.Argument(help="the folder to write")],
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Write all pages as one corpus, and which questions their own pages answer."""
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    counts = write_corpus(read_examples(dataset), out, cluster)
    typer.echo(", ".join(f"{count} {name}" for name, count in counts.items()))


def _judge(spec: str, cache: Path | None = None) -> Judge:
    return make_judge(spec, cache=cache, api_key=load_settings().judge_api_key)


def _scored(folder: Path) -> None:
    figures = read_object(folder / RESULTS)
    says = ", ".join(
        f"{name} {figures[name]:.1%}" for name in ("score", "accuracy", "hallucination")
    )
    typer.echo(f"{figures['total']} questions: {says}\n{folder}")


main = partial(run, app, name="python -m evaluation")

if __name__ == "__main__":
    sys.exit(main())
