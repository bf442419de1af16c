"""The trace of one question, shown step by step."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from evaluation.report import clean, visible
from evaluation.run_folder import TRACES, read_results, read_traces
from evaluation.score import Result
from models.prompts import load_prompt
from models.runtime.trace import Step
from utils.errors import InputError

SHOWN_CHARS = 1500  # of one value


def find(question: str, run: Path) -> tuple[Result, list[Step]]:
    """The question with that id, or whose id begins so, and its steps.

    Raises:
        InputError: the run has no traces, or none or several of that id.
    """
    results, traces = read_results(run), read_traces(run)
    ids = [id for id in results if id in traces]
    if not ids:
        raise InputError(f"{run}: no traces; run without --no-trace")
    found = [question] if question in ids else [id for id in ids if id.startswith(question)]
    if len(found) != 1:
        raise InputError(f"{run}: {len(found)} questions of {len(ids)} have the id {question!r};"
                         f" there are: {', '.join((found or ids)[:5])} ...")  # fmt: skip
    return results[found[0]], traces[found[0]]


def show(result: Result, steps: Sequence[Step], most: int | None, *, prompts: bool) -> None:
    """Print a trace, one panel per step.

    Args:
        most: characters of each value that are shown; None: all.
        prompts: show the whole prompt of a step with an LLM instead of the values in it.
    """
    console = Console()
    console.print(Text(clean(result.query), style="bold"))
    console.print(clean(f"{result.verdict}: {result.prediction}"), markup=False)
    console.print(clean(f"right answers: {' / '.join(result.golds)}"), markup=False)
    for failure in result.failures:
        where = f" in {failure['step']}" if failure["step"] else ""
        said = f"{failure['kind']}{where}: {failure['example']}"
        console.print(clean(said), style="red", markup=False)
    for step in steps:
        parts = [step.name, f"{step.seconds:.3f} s"]
        if step.llm or step.tokens:
            parts += [
                f"{step.prompt_tokens} + {step.tokens} tokens",
                f"LLM: {step.llm or '?'}, adapter: {step.adapter or 'none'}",
            ]
            parts += [f"${step.cost:.5f}"] if step.cost else []
        body = Text()
        given = step.inputs
        if prompts and step.prompt:
            template = load_prompt(step.prompt)
            messages = template.render({name: given.get(name, "") for name in template.fields})
            given = {message.role: f"\n{message.text}" for message in messages}
        for name, value in given.items():
            body.append(f"{name}: ", style="cyan")
            body.append(_cut(value, most) + "\n")
        body.append(_cut(step.output, most) or "(nothing)", style="green")
        if step.confidence:
            figures = ", ".join(f"{name} {value:.3g}" for name, value in step.confidence.items())
            body.append(f"\n{figures}", style="magenta")
        console.print(Panel(body, title=Text(" · ".join(parts)), title_align="left"))


def _cut(text: str, most: int | None) -> str:
    text = visible(text)
    if most is None or len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text)} characters)"


def latest(runs: Path) -> Path:
    """The newest run in a folder that has traces. Raises InputError where there is none."""
    with_traces = sorted(runs.glob(f"*/{TRACES}"), key=lambda file: file.stat().st_mtime)
    if not with_traces:
        raise InputError(
            f"no run under {runs} has traces; run without --no-trace, or give --run FOLDER"
        )
    return with_traces[-1].parent
