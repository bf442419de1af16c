"""`python -m training COMMAND`: pairs, labels and rationales; adapters; what they are worth."""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console

from training.commands import COMMANDS
from utils.errors import CragError

FAILED = 2


def main(argv: Sequence[str]) -> int:
    """The exit status: the command's own, or 2 with a word on stderr where it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        made = commands.add_parser(name, help=command.help, description=command.help)
        command.arguments(made)
    options = parser.parse_args(argv)
    try:
        return COMMANDS[options.command].run(options, Console(soft_wrap=True))
    except (CragError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
