"""Runs typer command lines with uniform error handling."""

import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Any

import typer
from typer.exceptions import TyperException

from utils.errors import CragError

FAILED = 2  # bad arguments, or an error that the command reports
STOPPED = 130  # by Ctrl-C


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
        if then is not None and not isinstance(status, int):  # an int where help was printed
            status = then(status)
    except TyperException as error:
        message = error.format_message()
        if message:  # empty if the help was printed
            sys.stderr.write(f"error: {message}\n")
        return FAILED
    except typer.Abort:
        return STOPPED
    except CragError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_status
    except OSError as error:
        sys.stderr.write(f"error: {error}\n")
        return FAILED
    return status or 0
