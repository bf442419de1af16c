"""`python -m models.public_data build --oscars CSV … --out FILE`, and `show FILE DOMAIN NAME`."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console

from models.public_data.sources import (
    PublicFact,
    read_finance,
    read_grammys,
    read_movies,
    read_oscars,
)
from models.public_data.store import PublicData, build
from models.records import Domain
from utils.errors import CragError, SettingsError


def main(argv: Sequence[str]) -> int:
    """The exit status: 0, or 2 for an error of ours."""
    args = _parser().parse_args(argv)
    console = Console()
    try:
        if args.command == "show":
            for found in PublicData(args.file).find(Domain(args.domain), args.name):
                console.print(f"{found.name} ({found.match}): {found.text}", markup=False)
        else:
            count = build(_facts(args), args.out)
            console.print(f"{args.out}: {count:,} entities", markup=False, highlight=False)
    except CragError as error:
        Console(stderr=True).print(f"error: {error}", markup=False, soft_wrap=True)
        return 2
    return 0


def _facts(args: argparse.Namespace) -> Iterator[PublicFact]:
    if args.credits and not args.movies:
        raise SettingsError("--credits needs --movies")
    sources = [
        read_oscars(args.oscars) if args.oscars else (),
        read_grammys(args.grammys) if args.grammys else (),
        read_movies(args.movies, args.credits) if args.movies else (),
        read_finance(args.finance) if args.finance else (),
    ]
    if not any(sources):
        raise SettingsError("give at least one of --oscars, --grammys, --movies, --finance")
    return chain.from_iterable(sources)


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m models.public_data", description="Facts by entity, from public CSV files."
    )
    commands = made.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build", help="make the SQLite file")
    builder.add_argument("--oscars", type=Path, metavar="CSV", help="the_oscar_award.csv")
    builder.add_argument("--grammys", type=Path, metavar="CSV", help="the_grammy_awards.csv")
    builder.add_argument("--movies", type=Path, metavar="CSV", help="movies_metadata.csv")
    builder.add_argument("--credits", type=Path, metavar="CSV", help="credits.csv, beside --movies")
    builder.add_argument("--finance", type=Path, metavar="CSV", help="ticker, name, P/E, cap, EPS")
    builder.add_argument("--out", type=Path, required=True, metavar="FILE")
    show = commands.add_parser("show", help="what is known of a name")
    show.add_argument("file", type=Path)
    show.add_argument("domain", choices=[str(d) for d in Domain])
    show.add_argument("name")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
