"""Does a system fit a machine? `python -m submission.budget --system db3`."""

import sys
from dataclasses import replace
from functools import partial
from typing import Annotated

from typer import Option, Typer, echo

from submission.budget import tables
from submission.budget.plan import BATCH, CACHE, GIB, advice, make_plan
from utils.cli import run

app = Typer(add_completion=False)


@app.command()
def budget(
    hardware: Annotated[str, Option(help=", ".join(tables.read("hardware")))] = "g4dn.12xlarge",
    system: Annotated[str, Option(help=", ".join(tables.read("systems")))] = "db3",
    task: Annotated[int, Option(min=1, max=3)] = 3,
    memory: Annotated[float | None, Option(help="the engine's share of a card")] = None,
    context: Annotated[int | None, Option(help="tokens of a sequence")] = None,
    adapters: Annotated[int | None, Option(help="LoRA adapters of the engine")] = None,
) -> int:
    """Print memory per card and seconds per question; the exit status is 0 if both fit, else 1."""
    given = {"memory": memory, "context": context, "adapters": adapters}
    changed = {field: value for field, value in given.items() if value is not None}
    steps = replace(tables.system(system), **changed)  # type: ignore[arg-type]
    machine = tables.hardware(hardware)
    plan = make_plan(steps, machine, task)
    echo(f"{steps.name} ({steps.says}), task {task}, on {machine.name} ({machine.says})\n")
    echo(f"memory of a card, GiB, of {machine.memory_gib:.1f}")
    notes = {CACHE: f"{plan.tokens:,} tokens, {plan.tokens / steps.context:.1f} full sequences"}
    for part, size in (*plan.engine.items(), *plan.beside.items()):
        echo(_row(part, size / GIB, notes.get(part, "")))
    echo("\nseconds a question")
    for stage, seconds in plan.web.items():
        echo(_row(stage, seconds, "web"))
    for entry, seconds in plan.rounds.items():
        echo(_row(entry.name, seconds, "LLM"))
    echo(_row(f"a batch of {BATCH}", plan.seconds, f"of {plan.allowed:.0f} s"))
    echo("\nit does not fit: " + "; ".join(plan.lacks) if plan.lacks else "\nit fits")
    if plan.lacks:
        echo("change: " + ", ".join(advice(steps, machine, task)))
    return int(bool(plan.lacks))


def _row(name: str, value: float, note: str = "") -> str:
    return f"  {name:<32}{value:>9.3f}  {note}".rstrip()


main = partial(run, app, name="python -m submission.budget")

if __name__ == "__main__":
    sys.exit(main())
