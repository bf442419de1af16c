"""`crag runs COMMAND`: show, compare, judge, label and merge existing runs."""

import json
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.measure import Measurement

from evaluation.answerable import write_answerable
from evaluation.arguments import JudgeOption
from evaluation.compare import (
    COMPARE_PAGE,
    as_text,
    compare,
    comparison_as_json,
    write_compare_page,
)
from evaluation.dataset import read_examples
from evaluation.judge.make_judge import judge_checks, make_judge
from evaluation.judge.protocol import Judge
from evaluation.labels import SAMPLE, agreement_table, agreements, ask, read_labels, sample
from evaluation.page.report import write_report_page
from evaluation.rejudge import merge_shards, rejudge, score_predictions
from evaluation.report import ListedRun, between, counted, listed_runs, runs_table
from evaluation.run_folder import JUDGE_CACHE, RESULTS, RUNS, read_object, read_results
from evaluation.trace import SHOWN_CHARS, find_question, latest_traced_run, show
from models.settings import load_settings
from utils.cli import new_app, run
from utils.errors import InputError, JudgeError
from utils.tokens import cut_answer, load_counter

_WIDEST = 200  # characters of a table

AsJson = Annotated[bool, typer.Option("--json", help="print JSON instead of tables")]
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="a run's folder")]

app = new_app("Show, compare, judge, label and merge existing runs.", shows_help=True)


@app.command()
def trace(
    question: Annotated[
        str,
        typer.Argument(metavar="ID|WORDS", help="an id, its start, or words of a question"),
    ],
    run: Annotated[Path | None, typer.Option(help="default: the latest with traces")] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="the prompts that LLMs read")] = False,
    full: Annotated[bool, typer.Option("--full", help="whole values")] = False,
) -> None:
    """Show what each step did for one question."""
    folder = run or latest_traced_run(RUNS)
    result, steps = find_question(question, folder)
    typer.echo(f"{folder}, question {result.id}")
    show(result, steps, None if full else SHOWN_CHARS, prompts=prompt)


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="the folder of the runs")] = RUNS,
    as_json: AsJson = False,
) -> None:
    """List the runs in a folder with their scores."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    if as_json:
        _print_json([_as_object(folder, run) for run in listed_runs(folder)])
        return
    listed = runs_table(folder)
    if not listed.row_count:
        raise InputError(f"{folder}: there are no runs in it")
    console = Console()
    widest = Measurement.get(console, console.options.update(max_width=_WIDEST), listed).maximum
    Console(width=max(console.width, widest)).print(listed)  # no name is broken


def _as_object(folder: Path, run: ListedRun) -> dict[str, object]:
    """A run as a JSON object: its results, or how far it is."""
    path = str(folder / run.name)
    if run.results is not None:
        return {"run": path, "finished": True, **run.results}
    return {"run": path, "finished": False, "state": run.state, **run.described}


@app.command()
def report(folder: Folder) -> None:
    """Write report.html of a run again."""
    typer.echo(write_report_page(folder))


@app.command("compare")
def compare_command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="two or more; the first is before")
    ],
    out: Annotated[
        Path | None, typer.Option(help="the page to write; default: in the last run's folder")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare runs on the same questions.

    Shows differences, their significance, and changed verdicts.
    """
    comparison = compare(folders)
    page = out or folders[-1] / COMPARE_PAGE
    write_compare_page(comparison, page)
    if as_json:
        _print_json(comparison_as_json(comparison))
    else:
        typer.echo(f"{as_text(comparison)}\n{page}")


@app.command("rejudge")
def rejudge_command(folder: Folder, judge: JudgeOption = "rules", as_json: AsJson = False) -> None:
    """Judge the answers of a run again.

    The verdicts are written beside its own; no question is answered again.
    """
    out = rejudge(folder, _judge_of(judge, folder / JUDGE_CACHE))
    if as_json:
        _print_json({"run": str(out), **read_object(out / RESULTS)})
    else:
        _print_scores(out)


@app.command("label")
def label_answers(
    folder: Folder,
    count: Annotated[int, typer.Option(min=1, help="answers to ask about")] = SAMPLE,
    seed: Annotated[int, typer.Option(min=0, help="of the sample")] = 0,
) -> None:
    """Ask you for verdicts on a sample of answers.

    Then shows how far each of the run's judges agrees with them.
    """
    console = Console(highlight=False, markup=False)
    ask(folder, sample(read_results(folder).values(), count, seed), console)
    if read_labels(folder):
        console.print(agreement_table(agreements(folder)))
    else:
        console.print("nothing is labelled")


@app.command()
def score(
    predictions: Annotated[Path, typer.Argument(help="JSON lines: prediction, interaction_id")],
    dataset: Annotated[Path, typer.Option(help="the questions")],
    out: Annotated[Path | None, typer.Option(help="default: a new folder in runs/")] = None,
    judge: JudgeOption = "rules",
) -> None:
    """Score any file of predictions."""
    folder = out or RUNS / f"{datetime.now():%Y%m%d-%H%M%S}-{predictions.stem}"
    cut = partial(cut_answer, count=load_counter(load_settings().tokenizer))
    _print_scores(score_predictions(predictions, dataset, _judge_of(judge), folder, cut))


@app.command()
def merge(
    shards: Annotated[list[Path], typer.Argument(metavar="RUN", help="shards 1/N to N/N")],
    out: Annotated[Path, typer.Option(help="the folder to write")],
) -> None:
    """Merge the shards of a run (crag eval --shard I/N)."""
    _print_scores(merge_shards(shards, out))


@app.command()
def answerable(
    dataset: Annotated[Path, typer.Argument(help="questions with their pages")],
    out: Annotated[Path, typer.Argument(help="the file to write, for --slices of an evaluation")],
) -> None:
    """Write which questions of a dataset their own pages answer."""
    counts = write_answerable(read_examples(dataset), out)
    summary = ", ".join(f"{count} {mark}" for mark, count in counts.items())
    typer.echo(f"answerable from their pages: {summary}\n{out}")


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=2))


def _judge_of(spec: str, cache: Path | None = None) -> Judge:
    """The judge `spec`, once its servers answer.

    Raises:
        JudgeError: one does not.
        SettingsError: there is no such judge.
    """
    api_key = load_settings().judge_api_key
    judge = make_judge(spec, cache=cache, api_key=api_key)
    failures = [check for check in judge_checks(spec, api_key) if not check.ok]
    if failures:
        raise JudgeError(f"{failures[0].what}: {failures[0].says}; {failures[0].remedy}")
    return judge


def _print_scores(folder: Path) -> None:
    results = read_object(folder / RESULTS)
    names = ("score", "accuracy", "hallucination")
    scores = ", ".join(f"{name} {results[name]:.1%}" for name in names)
    failures = results["judge_failures"]
    if failures:
        bounds = between(results["score_bounds"])
        typer.echo(f"the judge gave no verdict on {failures}: the score may be {bounds}")
    typer.echo(f"{counted(results['total'], 'question')}: {scores}\n{folder}")


main = partial(run, app, name="crag runs")

if __name__ == "__main__":
    sys.exit(main())
