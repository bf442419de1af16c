"""How long commands take from the shell, each beside an empty Python program (`python -c pass`).

The modules are compiled first, and every command runs once before it is timed. The runs alternate.
"""

import compileall
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from benchmarks._command import ROOT, command, show

QUESTION = "who directed titanic?"
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "crag --help": ["-m", "crag", "--help"],
    "crag eval --help": ["-m", "crag", "eval", "--help"],
    "crag answer --example": ["-m", "crag", "answer", QUESTION, "--example"],
}


def seconds_of(arguments: list[str]) -> float:
    """The seconds that this Python takes for `arguments`.

    Raises:
        CalledProcessError: its status is not 0.
    """
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - started


@command
def main(
    runs: Annotated[int, typer.Option(min=1, help="of each command")] = 15,
) -> None:
    """Time the commands and print the medians."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for package in ("models", "utils", "mock_api", "evaluation"):
        compileall.compile_dir(ROOT / package, quiet=1)
    for arguments in COMMANDS.values():
        seconds_of(arguments)
    for _ in range(runs):
        for name, arguments in COMMANDS.items():
            seconds[name].append(seconds_of(arguments))
    medians = {name: median(times) for name, times in seconds.items()}
    empty = medians["python -c pass"]
    rows = [(name, value, value / empty, max(seconds[name])) for name, value in medians.items()]
    names = ("command", "seconds, median", "times python -c pass", "seconds, longest")
    show(f"{runs} runs with {Path(sys.executable).name}", names, rows)


if __name__ == "__main__":
    sys.exit(main())
