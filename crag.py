"""`crag COMMAND …`: every command line of the project; `pip install -e .` puts it on the path."""

import sys
from collections.abc import Sequence
from importlib import import_module

# Each module has `main(arguments)`, and is imported only if its command is asked for.
COMMANDS = {
    "answer": ("models.__main__", "answer one question"),
    "budget": ("submission.budget.__main__", "whether a system fits a machine"),
    "eval": ("local_evaluation", "evaluate a system on questions"),
    "kg": ("models.kg.__main__", "run or explain a program of the KG language"),
    "llm": ("models.llm.__main__", "check the engines that the settings name"),
    "mock-api": ("mock_api.__main__", "serve the KG API"),
    "public-data": ("models.public_data.__main__", "build the database of public facts"),
    "runs": ("evaluation.__main__", "runs: traces, scores, other judges, comparisons"),
    "parse": ("models.kg.parsing.__main__", "show how a question is parsed"),
    "submission": ("submission.__main__", "check and tag a submission"),
    "training": ("training.__main__", "training data, adapters, parser weights"),
    "weights": ("submission.weights.__main__", "fetch, verify and pin weights"),
}
HELP = "usage: crag COMMAND [ARGUMENTS]; `crag COMMAND --help` shows its arguments\n\n" + "".join(
    f"  {name:<13}{help}\n" for name, (_, help) in COMMANDS.items()
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 if there is no such command."""
    name, *rest = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("--help", "-h"):
        sys.stdout.write(HELP)
        return 0
    if name not in COMMANDS:
        sys.stderr.write(f"error: no command {name!r}\n{HELP}")
        return 2
    status: int = import_module(COMMANDS[name][0]).main(rest)
    return status
