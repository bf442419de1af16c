"""`crag systems`, `crag judges`, `crag presets`: what there is to choose; `crag view`: a report."""

import webbrowser
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.judge.make_judge import JUDGES
from evaluation.page.report import write_report_page
from evaluation.report import TableRow, table
from evaluation.run_folder import REPORT_PAGE
from models.systems.make_system import SYSTEMS, subtasks_of, web_presets
from utils.cli import new_app, run

Main = Callable[..., int]  # of a command: arguments, and its name in the help
_SHOWN_OF_PRESETS = ("extractors", "chunking", "prefilter", "embedder", "reranker")


def _main_of(function: Callable[..., None]) -> Main:
    """The `main` of a command that is one function."""
    app = new_app()
    app.command()(function)

    def main(arguments: Sequence[str] | None = None, name: str | None = None) -> int:
        return run(app, arguments, name)

    return main


def _show(title: str, titles: Sequence[str], rows: Iterable[TableRow]) -> None:
    Console().print(table(title, titles, rows, left=len(titles)))


def _systems() -> None:
    """List the systems, for --system."""
    rows: list[TableRow] = []
    for name in SYSTEMS:
        document = import_module(f"models.systems.{name}").__doc__ or ""
        subtasks = ", ".join(subtasks_of(name)) or "none: it needs no LLM"
        rows.append((name, document.split("\n")[0], subtasks))
    _show("systems", ("--system", "what it is", "subtasks of an LLM"), rows)


def _judges() -> None:
    """List the judges, for --judge."""
    _show("judges", ("--judge", "who gives the verdict"), JUDGES)


def _presets() -> None:
    """List the presets of the web path, for --web."""
    rows: list[TableRow] = []
    for name, preset in web_presets().items():
        title = name  # in its first row
        for setting in _SHOWN_OF_PRESETS:
            rows.append((title, setting, _cell(getattr(preset, setting))))
            title = ""
    _show("web paths", ("--web", "setting", "value"), rows)


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value or "none")


def _view(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="a run's folder")],
    opens: Annotated[bool, typer.Option("--open/--no-open", help="in a browser")] = True,
) -> None:
    """Open the report of a run, which is written if it is not there."""
    page = folder / REPORT_PAGE
    if not page.is_file():
        write_report_page(folder)
    typer.echo(page)
    if opens:
        webbrowser.open(page.resolve().as_uri())


systems = _main_of(_systems)
judges = _main_of(_judges)
presets = _main_of(_presets)
view = _main_of(_view)
