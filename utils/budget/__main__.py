"""Does a system fit a machine? `python -m utils.budget --hardware g4dn.12xlarge --system db3`."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from utils.budget.plan import Plan, advice, make_plan
from utils.budget.seconds import BATCH
from utils.budget.tables import GIB, hardware, names, system
from utils.errors import CragError


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the plan; the exit status: 0 it fits, 1 it does not."""
    args = _parser().parse_args(arguments)
    try:
        chosen = system(args.system)
        given = {name: getattr(args, name) for name in ("memory", "context", "adapters")}
        chosen = replace(chosen, **{n: v for n, v in given.items() if v is not None})
        plan = make_plan(chosen, hardware(args.hardware), args.task)
    except CragError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    text = json.dumps(as_json(plan), indent=2) if args.json else "\n".join(lines(plan))
    sys.stdout.write(text + "\n")
    return int(not plan.fits)


def lines(plan: Plan) -> list[str]:
    """The plan for a person."""
    need = plan.memory
    told = [
        f"{plan.system.name} ({plan.system.says}), task {plan.task}, on {plan.hardware.name} "
        f"({plan.hardware.says})",
        "",
        f"memory of a card, GiB, of {need.card / GIB:.1f}",
    ]
    told += [_row(name, size / GIB) for name, size in need.engine.items()]
    if need.engine:
        tokens = f"{need.tokens:,} tokens, {need.tokens / plan.system.context:.1f} full sequences"
        told.append(_row("KV cache", need.cache / GIB, tokens))
    told += [_row(name, size / GIB) for name, size in need.beside.items()]
    told += ["", "seconds a question"]
    told += [_row(stage.name, stage.seconds, _kind(stage.web)) for stage in plan.stages]
    told.append(_row(f"a batch of {BATCH}", plan.seconds, f"of {plan.allowed:.0f} s"))
    told += ["", "it fits" if plan.fits else "it does not fit: " + "; ".join(plan.lacks)]
    if not plan.fits:
        told.append("change: " + ", ".join(advice(plan)))
    return told


def as_json(plan: Plan) -> dict[str, object]:
    """The plan for a program."""
    need = plan.memory
    return {
        "system": plan.system.name,
        "hardware": plan.hardware.name,
        "task": plan.task,
        "memory": {
            "card": need.card,
            "engine": need.engine,
            "kv_cache": need.cache,
            "kv_tokens": need.tokens,
            "beside": need.beside,
        },
        "seconds_a_question": {stage.name: stage.seconds for stage in plan.stages},
        "seconds_a_batch": plan.seconds,
        "allowed_a_batch": plan.allowed,
        "fits": plan.fits,
        "lacks": plan.lacks,
        "change": advice(plan),
    }


def _row(name: str, value: float, note: str = "") -> str:
    return f"  {name:<32}{value:>9.3f}  {note}".rstrip()


def _kind(web: bool) -> str:
    return "web" if web else "LLM"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m utils.budget", description=__doc__)
    parser.add_argument("--hardware", default="g4dn.12xlarge", help=", ".join(names("hardware")))
    parser.add_argument("--system", default="db3", help=", ".join(names("systems")))
    parser.add_argument("--task", type=int, choices=(1, 2, 3), default=3)
    parser.add_argument("--memory", type=float, help="the engine's share of a card")
    parser.add_argument("--context", type=int, help="tokens of a sequence")
    parser.add_argument("--adapters", type=int)
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
