"""`crag public-data build --oscars CSV … --out FILE`, and `show FILE DOMAIN NAME`."""

import sys
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from models.public_data import sources, store
from models.records import Domain
from utils.cli import new_app, run
from utils.errors import SettingsError

app = new_app("Build or show the facts of public files.", shows_help=True)


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="the SQLite file to write")],
    oscars: Annotated[Path | None, typer.Option(help="the_oscar_award.csv")] = None,
    grammys: Annotated[Path | None, typer.Option(help="the_grammy_awards.csv")] = None,
    movies: Annotated[Path | None, typer.Option(help="movies_metadata.csv")] = None,
    credits: Annotated[Path | None, typer.Option(help="credits.csv, with --movies")] = None,
    finance: Annotated[Path | None, typer.Option(help="ticker, name, P/E, cap, EPS")] = None,
) -> None:
    """Make a file of facts by entity from public CSV files."""
    if credits and not movies:
        raise SettingsError("--credits needs --movies")
    tables = []
    if oscars:
        tables.append(sources.read_oscars(oscars))
    if grammys:
        tables.append(sources.read_grammys(grammys))
    if movies:
        tables.append(sources.read_movies(movies, credits))
    if finance:
        tables.append(sources.read_finance(finance))
    if not tables:
        raise SettingsError("give at least one of --oscars, --grammys, --movies, --finance")
    count = store.build(chain.from_iterable(tables), out)
    sys.stdout.write(f"{out}: {count:,} entities\n")


@app.command()
def show(file: Path, domain: Domain, name: str) -> None:
    """Print the facts of the entities of a name."""
    for entity in store.PublicData(file).find(domain, name):
        sys.stdout.write(f"{entity.name} ({entity.match}): {' '.join(entity.sentences)}\n")


main = partial(run, app, name="crag public-data")

if __name__ == "__main__":
    sys.exit(main())
