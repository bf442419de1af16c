"""`crag kg 'get_movie("…")["release_date"]' --api URL` runs or explains a program."""

import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from models.batch_input import read_time
from models.kg.client import command_client
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.run import explain, run
from models.kg.schema.prompt_text import schema_table, schema_text, with_schema_table
from models.records import Domain
from utils import cli
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.tokens import estimate_tokens

app = cli.new_app()


@app.command()
def _run_program(
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help='such as get_movie("…")["release_date"]')
    ] = None,
    schema: Annotated[
        Domain | None,
        typer.Option(help="print the functions and keys as prompts list them, this domain's first"),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="print them as a table of docs")] = False,
    write_table: Annotated[
        Path | None, typer.Option(help="replace that table in this page: docs/kg_reference.md")
    ] = None,
    api: cli.KgApi = None,
    example: cli.ExampleKg = False,
    now: Annotated[
        datetime | None, typer.Option(parser=read_time, help="the question's time")
    ] = None,
    explain_only: Annotated[
        bool, typer.Option("--explain", help="print the plan, and call nothing")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="repair nothing in the program")] = False,
    seconds: Annotated[float, typer.Option(min=0.001, help="for all calls together")] = 30.0,
) -> int:
    """Run a program of the KG query language, or explain it."""
    if table:
        _write_lines(schema_table())
        return 0
    if write_table is not None:
        page = with_schema_table(write_table.read_text(encoding="utf-8"))
        write_table.write_text(page, encoding="utf-8")
        return 0
    if schema is not None:
        text = schema_text(schema)
        tokens = estimate_tokens(text)
        _write_lines(text, f"# {len(text)} characters, at most {tokens} tokens")
        return 0
    if program is None:
        raise SettingsError("no program: give one, or --schema")
    parsed = parse(program, strict=strict)
    lines = [f"repaired: {repair}" for repair in parsed.repairs]
    if parsed.repairs:
        lines.append(f"read as: {to_text(parsed.program)}")
    if explain_only:
        _write_lines(*lines, explain(parsed.program))
        return 0
    client = command_client(api, example=example)
    result = run(parsed.program, client, now, Deadline.after(seconds))
    _write_lines(*lines, *result.sentences)
    for error in result.errors:
        sys.stderr.write(f"error: {error}\n")
    return max((error.exit_status for error in result.errors), default=0)


def _write_lines(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


main = partial(cli.run, app, name="crag kg")

if __name__ == "__main__":
    sys.exit(main())
