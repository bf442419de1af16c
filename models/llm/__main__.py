"""`crag llm check`: whether everything that the settings name exists and works."""

import json
import sys
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from models.check import as_table, check_question, run_checks
from models.settings import DEFAULT_FILE, load_settings
from models.systems.make_system import subtasks_of
from utils.cli import FAILED, SettingsFile, new_app, run

app = new_app("Check the engines and adapters that the settings name.", shows_help=True)
app.callback()(lambda: None)  # `check` is a subcommand, even if it is the only one


@app.command("check")
def check(
    settings: SettingsFile = DEFAULT_FILE,
    system: Annotated[str | None, typer.Option(help="default: from the settings")] = None,
    llm: Annotated[
        str | None, typer.Option(metavar="SPEC", help="default: from the settings")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="such as llms.default.context=8192"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the checks as JSON")] = False,
) -> int:
    """Print a table of checks; the status is 2 if one fails."""
    loaded = load_settings(settings, changes=changes or (), system=system, llm=llm)
    checks = run_checks(loaded, engines=True)
    if all(each.ok for each in checks) and loaded.llms and subtasks_of(loaded.system):
        checks.append(check_question(loaded))
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        Console().print(as_table(checks))
    return 0 if all(check.ok for check in checks) else FAILED


main = partial(run, app, name="crag llm")

if __name__ == "__main__":
    sys.exit(main())
