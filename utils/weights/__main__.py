"""List, fetch, verify and pin weights: `python -m utils.weights --help`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from utils.errors import CragError
from utils.weights.check import WeightsError, troubles
from utils.weights.fetch import fetch, pin_hub, pin_local
from utils.weights.hub import HUB, Hub
from utils.weights.table import TABLE, Model, Table, read_table, write_table

ROOT = Path(__file__).resolve().parent.parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status: 0 well, 1 something is wrong."""
    args = _parser().parse_args(arguments)
    try:
        table = read_table(args.table)
        done: int = args.run(table, args)
        return done
    except (CragError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _list(table: Table, args: argparse.Namespace) -> int:
    for model in _chosen(table, args):
        size = f"{model.size / 1e9:.2f} GB" if model.size is not None else "size not pinned"
        revision = model.revision or ("not pinned" if model.repo else "our own")
        _say(f"{model.name}\t{model.repo or '-'}\t{revision}\t{size}\t{model.folder}")
    return 0


def _verify(table: Table, args: argparse.Namespace) -> int:
    found = 0
    for model in _chosen(table, args):
        for entry in troubles(model, args.root, deep=not args.quick):
            if model.optional and not (args.root / model.folder).is_dir():
                continue
            found += 1
            _say(f"{model.name}: {entry.fault}: {entry.says}")
        if not model.pinned:
            _say(f"{model.name}: not pinned, its checksums cannot be compared")
    _say("all there" if not found else f"{found} files are not as they should be")
    return int(found > 0)


def _fetch(table: Table, args: argparse.Namespace) -> int:
    hub = Hub(args.hub_url, _token(args))
    for model in _chosen(table, args):
        if model.optional and not model.pinned:
            _say(f"{model.name}: optional and not pinned, left out")
            continue
        fetch(model, args.root, hub, args.source, _say)
    return 0


def _pin(table: Table, args: argparse.Namespace) -> int:
    model = table.model(args.name)
    if args.hub:
        revision = args.revision or "main"
        row = pin_hub(model, Hub(args.hub_url, _token(args)), args.root, revision, _say)
    elif args.source is None:
        raise WeightsError("say --from FOLDER, a copy that you trust, or --hub")
    else:
        row = pin_local(model, args.source, args.revision)
    write_table(Table({**table.models, model.name: row}, table.systems, table.head), args.table)
    _say(f"{model.name}: pinned in {args.table}")
    return 0


def _chosen(table: Table, args: argparse.Namespace) -> list[Model]:
    if args.system:
        return table.of_system(args.system)
    return [table.model(name) for name in args.names] or list(table.models.values())


def _token(args: argparse.Namespace) -> str | None:
    file: Path = args.token_file
    return file.read_text(encoding="utf-8").strip() if file.is_file() else None


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--table", type=Path, default=TABLE, help="the table of weights")
    shared.add_argument("--root", type=Path, default=ROOT, help="below which the folders lie")
    several = argparse.ArgumentParser(add_help=False)
    several.add_argument("names", nargs="*", help="models; default: all")
    several.add_argument("--system", help="all models of this system")
    remote = argparse.ArgumentParser(add_help=False)
    remote.add_argument("--from", dest="source", type=Path, help="a local folder with copies")
    remote.add_argument("--hub-url", default=HUB)
    remote.add_argument(
        "--token-file",
        type=Path,
        default=Path.home() / ".cache" / "huggingface" / "token",
        help="holds the hub's token; default: where `hf auth login` puts it",
    )
    parser = argparse.ArgumentParser(prog="python -m utils.weights", description=__doc__)
    commands = parser.add_subparsers(required=True)
    add = commands.add_parser("list", parents=[shared, several], help="the table")
    add.set_defaults(run=_list)
    add = commands.add_parser("fetch", parents=[shared, several, remote], help="bring files here")
    add.set_defaults(run=_fetch)
    add = commands.add_parser("verify", parents=[shared, several], help="compare with the table")
    add.add_argument("--quick", action="store_true", help="sizes and headers, no checksums")
    add.set_defaults(run=_verify)
    add = commands.add_parser("pin", parents=[shared, remote], help="fill in a row of the table")
    add.add_argument("name")
    add.add_argument("--hub", action="store_true", help="as the hub serves it now")
    add.add_argument("--revision", default="", help="the commit")
    add.set_defaults(run=_pin)
    return parser


if __name__ == "__main__":
    sys.exit(main())
