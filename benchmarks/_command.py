"""What the benchmarks share: a command line, the rows of files, tables on the terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from training.records import JsonRow, read_rows
from utils.cli import new_app, run
from utils.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
Data = Annotated[Path, typer.Option(metavar="DIR", help="the folder of CRAG's files")]


def command(measure: Callable[..., int | None]) -> Callable[..., int]:
    """The `main` of a benchmark, made of the function below the decorator.

    `main` takes arguments, by default those of the process, and returns the exit status.

    Args:
        measure: its parameters are the options, its module's docstring is the help, and what it
            returns is the exit status.
    """
    module = sys.modules[measure.__module__]
    app = new_app()
    app.command(help=module.__doc__)(measure)
    name = f"python -m benchmarks.{Path(str(module.__file__)).stem}"
    return lambda arguments=None: run(app, arguments, name)


def rows_of(path: Path) -> Iterator[JsonRow]:
    """The JSON lines of `path`, which may be packed as .bz2.

    Raises:
        InputError: there is no such file, or a line is no JSON object; the line is named.
    """
    yield from read_rows(existing(path), JsonRow)


def existing(path: Path) -> Path:
    """`path`, if it is a file.

    Raises:
        InputError: there is no such file.
    """
    if not path.is_file():
        raise InputError(f"no {path}; give the folder of CRAG's files with --data DIR")
    return path


def show(title: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; the first column is text, the others are numbers."""
    table = Table(title=title)
    for place, name in enumerate(names):
        table.add_column(name, justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(_cell_text, row))
    Console(width=150).print(table)


def _cell_text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
