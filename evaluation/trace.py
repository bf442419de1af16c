"""The trace of one question, shown step by step."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from evaluation.run_folder import TRACES, read_results, read_traces
from evaluation.score import QuestionResult
from models.runtime.step_panel import step_panel
from models.runtime.trace import Step
from utils.errors import InputError
from utils.terminal import clean

SHOWN_CHARS = 1500  # of one value
_LISTED_IDS = 5  # in an error


def find_question(wanted: str, run: Path) -> tuple[QuestionResult, list[Step]]:
    """The question with the id `wanted`, whose id begins so, or that has its words; and its steps.

    Raises:
        InputError: the run has no traces, or none or several of that id or these words.
    """
    results = read_results(run)
    traces = read_traces(run)
    ids = [id for id in results if id in traces]
    if not ids:
        raise InputError(f"{run}: no traces; run without --no-trace")
    matches = [id for id in ids if id.startswith(wanted)]
    if wanted in ids:
        matches = [wanted]
    if not matches:
        words = wanted.lower().split()
        matches = [id for id in ids if all(word in results[id].query.lower() for word in words)]
    if len(matches) != 1:
        some = (matches or ids)[:_LISTED_IDS]
        listed = "".join(f"\n  {id}  {clean(results[id].query)}" for id in some)
        raise InputError(
            f"{run}: {len(matches)} questions of {len(ids)} have the id or the words {wanted!r}; "
            f"there are, among others:{listed}"
        )
    id = matches[0]
    return results[id], traces[id]


def show(
    result: QuestionResult, steps: Sequence[Step], most_chars: int | None, *, prompts: bool
) -> None:
    """Print a trace, one panel per step.

    Args:
        most_chars: characters of each value that are shown; None: all.
        prompts: show the whole prompt of a step with an LLM instead of the values in it.
    """
    console = Console()
    console.print(Text(clean(result.query), style="bold"))
    console.print(clean(f"{result.verdict}: {result.prediction}"), markup=False)
    console.print(clean(f"right answers: {' / '.join(result.golds)}"), markup=False)
    for failure in result.failures:
        step_name = f" in {failure['step']}" if failure["step"] else ""
        line = f"{failure['kind']}{step_name}: {failure['example']}"
        console.print(clean(line), style="red", markup=False)
    for step in steps:
        console.print(step_panel(step, most_chars, prompts=prompts))


def latest_traced_run(runs: Path) -> Path:
    """The newest run in a folder that has traces.

    Raises:
        InputError: there is none.
    """
    with_traces = sorted(runs.glob(f"*/{TRACES}"), key=lambda file: file.stat().st_mtime)
    if not with_traces:
        raise InputError(
            f"no run under {runs} has traces; run without --no-trace, or give --run FOLDER"
        )
    return with_traces[-1].parent
