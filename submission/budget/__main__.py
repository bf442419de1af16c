"""Does a system fit a machine? `python -m submission.budget --system db3`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from submission.budget.plan import BATCH, GIB, BudgetPlan, advice, make_plan
from submission.budget.tables import hardware, read, system
from utils.cli import run

app = typer.Typer(add_completion=False)


@app.command()
def budget(
    machine: Annotated[
        str, typer.Option("--hardware", help=", ".join(read("hardware")))
    ] = "g4dn.12xlarge",
    name: Annotated[str, typer.Option("--system", help=", ".join(read("systems")))] = "db3",
    task: Annotated[int, typer.Option(min=1, max=3)] = 3,
    memory: Annotated[float | None, typer.Option(help="the engine's share of a card")] = None,
    context: Annotated[int | None, typer.Option(help="tokens of a sequence")] = None,
    adapters: Annotated[int | None, typer.Option(help="LoRA adapters of the engine")] = None,
) -> int:
    """Print memory per card and seconds per question; the exit status is 0 if both fit, else 1."""
    given = {"memory": memory, "context": context, "adapters": adapters}
    changed = {field: value for field, value in given.items() if value is not None}
    plan = make_plan(replace(system(name), **changed), hardware(machine), task)  # type: ignore[arg-type]
    typer.echo(_text(plan))
    return int(bool(plan.lacks))


def _text(plan: BudgetPlan) -> str:
    need, chosen, machine = plan.memory, plan.system, plan.hardware
    told = [
        f"{chosen.name} ({chosen.says}), task {plan.task}, on {machine.name} ({machine.says})",
        "",
        f"memory of a card, GiB, of {need.card / GIB:.1f}",
    ]
    told += [_row(part, size / GIB) for part, size in need.engine.items()]
    if need.engine:
        note = f"{need.tokens:,} tokens, {need.tokens / chosen.context:.1f} full sequences"
        told.append(_row("KV cache", need.cache / GIB, note))
    told += [_row(part, size / GIB) for part, size in need.beside.items()]
    told += ["", "seconds a question"]
    told += [_row(s.name, s.seconds, "web" if s.phase == "web" else "LLM") for s in plan.stages]
    told.append(_row(f"a batch of {BATCH}", plan.seconds, f"of {plan.allowed:.0f} s"))
    told += ["", "it does not fit: " + "; ".join(plan.lacks) if plan.lacks else "it fits"]
    told += ["change: " + ", ".join(advice(plan))] if plan.lacks else []
    return "\n".join(told)


def _row(name: str, value: float, note: str = "") -> str:
    return f"  {name:<32}{value:>9.3f}  {note}".rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return run(app, arguments, "python -m submission.budget")


if __name__ == "__main__":
    sys.exit(main())
