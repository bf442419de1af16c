"""One question's path through a system: `python -m evaluation.trace ID [--run FOLDER]`."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from evaluation.run_folder import TRACES
from models.prompts import load_prompt
from utils.errors import CragError, InputError

RUNS = Path("runs")
_SHOWN_CHARS = 1500  # of one value; --full shows all


def main(argv: Sequence[str], console: Console | None = None) -> int:
    """Print the steps of a question; 0, or 2 where it cannot be found."""
    args = _parser().parse_args(argv)
    try:
        show(
            find(args.id, args.run or _latest(RUNS)),
            console or Console(),
            None if args.full else _SHOWN_CHARS,
            prompts=args.prompt,
        )
    except CragError as error:
        (console or Console(stderr=True)).print(f"error: {error}", markup=False, soft_wrap=True)
        return 2
    return 0


def find(question: str, run: Path) -> Mapping[str, Any]:
    """The trace of the question with that id, or whose id begins so.

    Raises:
        InputError: the run has no traces, or none or several of that id.
    """
    by_id = {str(trace["id"]): trace for trace in _read(run / TRACES)}
    traces = list(by_id.values())
    found = (
        [by_id[question]]
        if question in by_id
        else [trace for id, trace in by_id.items() if id.startswith(question)]
    )
    if len(found) != 1:
        some = ", ".join(str(trace["id"]) for trace in (found or traces)[:5])
        raise InputError(f"{run}: {len(found)} questions of {len(traces)} have the id {question!r};"
                         f" there are: {some} ...")  # fmt: skip
    return found[0]


def show(
    trace: Mapping[str, Any], console: Console, most: int | None, *, prompts: bool = False
) -> None:
    """Print a trace, a panel a step; `most` characters of each value, None: all. `prompts`: the
    whole prompt of a step with a model, in place of the values in it."""
    console.print(Text(str(trace["query"]), style="bold"))
    if "verdict" in trace:
        console.print(f"{trace['verdict']}: {trace['prediction']}", markup=False)
        console.print(f"right answers: {' / '.join(trace['answers'])}", markup=False)
        for failure in trace["failures"]:
            where = f" in {failure['step']}" if failure["step"] else ""
            console.print(f"{failure['kind']}{where}: {failure['example']}", style="red",
                          markup=False)  # fmt: skip
    for step in trace["steps"]:
        parts = [step["name"], f"{step['seconds']:.3f} s"]
        if step.get("llm") or step["tokens"]:
            parts += [
                f"{step.get('prompt_tokens', 0)} + {step['tokens']} tokens",
                f"LLM: {step.get('llm') or '?'}, adapter: {step['adapter'] or 'none'}",
            ]
            parts += [f"${step['cost']:.5f}"] if step.get("cost") else []
        body = Text()
        given = step["given"]
        if prompts and step.get("prompt"):
            template = load_prompt(step["prompt"])
            messages = template.render({name: given.get(name, "") for name in template.fields})
            given = {message.role: f"\n{message.text}" for message in messages}
        for name, value in given.items():
            body.append(f"{name}: ", style="cyan")
            body.append(_cut(value, most) + "\n")
        body.append(_cut(step["made"], most) or "(nothing)", style="green")
        if step.get("sure"):
            figures = ", ".join(f"{name} {value:.3g}" for name, value in step["sure"].items())
            body.append(f"\n{figures}", style="magenta")
        console.print(Panel(body, title=Text(" · ".join(parts)), title_align="left"))


def _cut(text: str, most: int | None) -> str:
    if most is None or len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text)} characters)"


def _read(file: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        for line in lines:
            yield json.loads(line)
    except OSError as error:
        raise InputError(f"{file}: no traces; run without --no-trace ({error})") from error
    except ValueError as error:
        raise InputError(f"{file}: not what an evaluation writes ({error})") from error


def _latest(runs: Path) -> Path:
    with_traces = sorted(runs.glob(f"*/{TRACES}"), key=lambda file: file.stat().st_mtime)
    if not with_traces:
        raise InputError(
            f"no run under {runs} has traces; run without --no-trace, or give --run FOLDER"
        )
    return with_traces[-1].parent


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m evaluation.trace", description="Show what was done for one question."
    )
    made.add_argument("id", help="the question's interaction_id, or how it begins")
    made.add_argument("--run", type=Path, metavar="FOLDER", help="default: the latest with traces")
    made.add_argument("--prompt", action="store_true", help="show the prompts that models read")
    made.add_argument("--full", action="store_true", help="show whole values")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
