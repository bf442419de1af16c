"""`python -m models.public_data build --oscars CSV … --out FILE`, and `show FILE DOMAIN NAME`."""

import sys
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from models.public_data import sources, store
from models.records import Domain
from utils.cli import run
from utils.errors import SettingsError

app = typer.Typer(add_completion=False)


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
    given = [
        sources.read_oscars(oscars) if oscars else None,
        sources.read_grammys(grammys) if grammys else None,
        sources.read_movies(movies, credits) if movies else None,
        sources.read_finance(finance) if finance else None,
    ]
    if not any(given):
        raise SettingsError("give at least one of --oscars, --grammys, --movies, --finance")
    count = store.build(chain.from_iterable(filter(None, given)), out)
    sys.stdout.write(f"{out}: {count:,} entities\n")


@app.command()
def show(file: Path, domain: Domain, name: str) -> None:
    """What is known of a name."""
    for found in store.PublicData(file).find(domain, name):
        sys.stdout.write(f"{found.name} ({found.match}): {' '.join(found.sentences)}\n")


main = partial(run, app, name="python -m models.public_data")

if __name__ == "__main__":
    sys.exit(main())
