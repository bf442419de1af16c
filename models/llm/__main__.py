"""`python -m models.llm check`: whether all that the settings name is there and works."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from models.check import as_table, run_checks
from models.settings import ROOT, load_settings
from utils.errors import CragError


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table; 0 where all is well, 2 where a check fails or the settings cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m models.llm", description=__doc__)
    parser.add_argument("command", choices=["check"])
    parser.add_argument("--settings", type=Path, default=ROOT / "settings.toml")
    parser.add_argument("--system", help="default: from the settings")
    parser.add_argument("--llm", metavar="SPEC", help="default: from the settings")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="change a setting, as llms.default.context=8192",
    )  # fmt: skip
    args = parser.parse_args(argv)
    try:
        settings = load_settings(
            args.settings, changes=args.changes, system=args.system, llm=args.llm
        )
    except CragError as error:
        Console(stderr=True).print(str(error), style="red", markup=False)
        return 2
    checks = run_checks(settings, engines=True)
    Console().print(as_table(checks))
    return 0 if all(check.ok for check in checks) else 2


if __name__ == "__main__":
    sys.exit(main())
