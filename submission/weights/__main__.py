"""List, fetch, verify and pin weights: `crag weights --help`."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import echo

from submission.weights.fetch import fetch, pin_hub, pin_local
from submission.weights.table import PINS, ROOT, ModelRow, read_pins, read_table, write_pins
from utils.cli import new_app, run
from utils.model_files import WeightsError

app = new_app("List, fetch, verify and pin weights.", shows_help=True)
ModelNames = Annotated[list[str] | None, typer.Argument(metavar="NAMES", help="default: all")]
SystemOption = Annotated[
    str | None, typer.Option("--system", help="all models of this system, in place of names")
]
RootOption = Annotated[Path, typer.Option("--root", help="the checkout")]
CopiesOption = Annotated[Path | None, typer.Option("--from", help="a local folder with copies")]


@app.command("list")
def list_models(
    names: ModelNames = None, system: SystemOption = None, root: RootOption = ROOT
) -> None:
    """The table: name, repository, commit, size, folder."""
    for model in _chosen_models(root, names, system):
        revision = "not pinned"
        size = "not pinned"
        if model.pin is not None:
            revision = model.pin.revision
            size = f"{sum(file.size for file in model.pin.files.values()) / 1e9:.2f} GB"
        if not model.repo:
            revision = "our own"
        echo(f"{model.name}\t{model.repo or '-'}\t{revision}\t{size}\t{model.folder}")


@app.command("fetch")
def fetch_models(
    names: ModelNames = None,
    system: SystemOption = None,
    root: RootOption = ROOT,
    copies: CopiesOption = None,
) -> None:
    """Download or copy the pinned files; interrupted downloads resume."""
    for model in _chosen_models(root, names, system):
        if model.optional and model.pin is None:
            echo(f"{model.name}: optional and not pinned, left out")
        else:
            fetch(model, root, copies, echo)


@app.command()
def verify(names: ModelNames = None, system: SystemOption = None, root: RootOption = ROOT) -> int:
    """Compare the files with their pins.

    The exit status is 1 if any differs.
    """
    count = 0
    for model in _chosen_models(root, names, system):
        if model.optional and not (root / model.folder).is_dir():
            continue
        for problem in model.problems(root):
            count += 1
            echo(f"{model.name}: {problem.defect}: {problem.says}")
        if model.pin is None:
            echo(f"{model.name}: not pinned, its checksums cannot be compared")
    echo(f"{count} files are missing or wrong" if count else "all files are whole")
    return 1 if count else 0


@app.command()
def pin(
    name: Annotated[str, typer.Argument(help="a model of the table")],
    hub: Annotated[
        bool, typer.Option("--hub", help="download and pin what the hub serves")
    ] = False,
    revision: Annotated[str, typer.Option(help="the commit")] = "",
    root: RootOption = ROOT,
    copies: CopiesOption = None,
) -> None:
    """Record a model's commit, sizes and checksums in pins.json."""
    model = read_table(root).model(name)
    if hub:
        new_pin = pin_hub(model, root, revision or "main")
    elif copies is not None:
        new_pin = pin_local(model, copies, revision)
    else:
        raise WeightsError("give --from FOLDER, a copy that you trust, or --hub")
    write_pins(read_pins(root) | {name: new_pin}, root)
    echo(f"{name}: pinned in {root / PINS}")


def _chosen_models(root: Path, names: list[str] | None, system: str | None) -> list[ModelRow]:
    table = read_table(root)
    if system:
        return table.of_system(system)
    return [table.model(name) for name in names or table.models]


main = partial(run, app, name="crag weights")

if __name__ == "__main__":
    sys.exit(main())
