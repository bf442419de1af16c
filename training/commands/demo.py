"""`python -m training demo`: the whole road on a CPU in minutes."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from training.demo import Demo
from training.kg import EXAMPLE_KG

HELP = "from the sample KG to adapters in both engines, on a CPU, with figures"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("runs/train-demo"))
    parser.add_argument("--kg", type=Path, default=EXAMPLE_KG)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--no-vllm", action="store_true", help="transformers alone")


def run(options: Namespace, console: Console) -> int:
    made = Demo(options.out, console, kg=options.kg, seeds=options.seeds, vllm=not options.no_vllm)
    return 0 if made.run() else 1
