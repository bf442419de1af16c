"""Typer command lines with one look of help and uniform error handling."""

import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from utils.errors import CragError

# Options of several commands.
SettingsFile = Annotated[
    Path,
    typer.Option(metavar="FILE", help="default: settings.toml beside crag.py", show_default=False),
]
KgApi = Annotated[
    str | None, typer.Option(metavar="URL", help="the KG API; default: CRAG_MOCK_API_URL, or none")
]
ExampleKg = Annotated[bool, typer.Option("--example", help="ask the example KG")]
FAILED = 2  # bad arguments, or an error that the command reports
STOPPED = 130  # by Ctrl-C


def new_app(help: str | None = None, *, shows_help: bool = False) -> typer.Typer:
    """An app without commands yet.

    Args:
        help: what its commands have in common.
        shows_help: print the help if no command is given.
    """
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=shows_help,
        help=help,
    )


def run(
    app: typer.Typer,
    arguments: Sequence[str] | None = None,
    name: str | None = None,
    then: Callable[[Any], int | None] | None = None,
) -> int:
    """Run a command line and return its exit status.

    Args:
        app: the commands; a command's return value is the status, None is 0.
        arguments: those of the process if None.
        name: the command's name in the help, such as "crag training".
        then: computes the status from the command's return value, such as a record of its
            arguments.

    Returns:
        the status: 2 after bad arguments or an `OSError`, that of a `CragError` (2; 3 where every
            question or verdict failed), whose message is printed as one line on stderr; 130 after
            Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that is not UTF-8 lacks characters
    try:
        status = app(arguments, prog_name=name, standalone_mode=False)
        if status == STOPPED:  # what typer returns after Ctrl-C
            sys.stderr.write("Interrupted.\n")
        if then is not None and not isinstance(status, int):  # an int where help was printed
            status = then(status)
    except typer.TyperException as error:
        message = error.format_message()
        shows_help = message.startswith("Usage: ")  # no command is given
        sys.stderr.write(f"{message}\n" if shows_help else f"error: {message}\n")
        return FAILED
    except (typer.Abort, KeyboardInterrupt):
        sys.stderr.write("Interrupted.\n")
        return STOPPED
    except CragError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_status
    except OSError as error:
        sys.stderr.write(f"error: {error}\n")
        return FAILED
    return status or 0
