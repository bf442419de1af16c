"""`crag COMMAND …`: every command line of the project; installing it puts `crag` on the path."""

import gc
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what runs it, `function(arguments, name=…)` of a module, and its help."""

    module: str
    section: str
    help: str
    function: str = "main"


_ANSWER = "answer and evaluate"
_CHOICES = "what there is to choose"
_PARTS = "the parts by themselves"
_SUBMIT = "before a submission"

WINDOWS = "crag runs on Linux and macOS; on Windows, run it in WSL"

# A module is imported only when its command is given. Commands of a section stand together.
COMMANDS = {
    "answer": Command("models.__main__", _ANSWER, "answer one question"),
    "eval": Command("local_evaluation", _ANSWER, "evaluate a system on questions"),
    "playground": Command("playground.__main__", _ANSWER, "ask in the browser, step by step"),
    "view": Command("evaluation.lists", _ANSWER, "open the report of a run", "view"),
    "runs": Command("evaluation.__main__", _ANSWER, "show, compare, judge, label and merge runs"),
    "systems": Command("evaluation.lists", _CHOICES, "list the systems", "systems"),
    "judges": Command("evaluation.lists", _CHOICES, "list the judges", "judges"),
    "presets": Command("evaluation.lists", _CHOICES, "list the presets of the web path", "presets"),
    "kg": Command("models.kg.__main__", _PARTS, "run or explain a program of the KG language"),
    "parse": Command("models.kg.parsing.__main__", _PARTS, "show how a question is parsed"),
    "llm": Command("models.llm.__main__", _PARTS, "check the engines that the settings name"),
    "model": Command("models.llm.model_command", _PARTS, "serve a small model, write its weights"),
    "mock-api": Command("mock_api.__main__", _PARTS, "serve the KG API, convert a KG"),
    "public-data": Command("models.public_data.__main__", _PARTS, "build the public facts"),
    "data": Command("training.official_data", _PARTS, "prepare CRAG's own files"),
    "training": Command("training.__main__", _PARTS, "make data, tune adapters, fit weights"),
    "submission": Command("submission.__main__", _SUBMIT, "check and tag a submission"),
    "weights": Command("submission.weights.__main__", _SUBMIT, "fetch, verify and pin weights"),
    "budget": Command("submission.budget", _SUBMIT, "estimate whether a system fits a machine"),
}


def help_text() -> str:
    """The commands by section."""
    lines = ["Usage: crag COMMAND [ARGS]...", "", "  `crag COMMAND --help` shows its arguments."]
    section = ""
    for name, command in COMMANDS.items():
        if command.section != section:
            section = command.section
            lines += ["", f"{section[0].upper()}{section[1:]}:"]
        lines.append(f"  {name:<13}{command.help}")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 2 if there is no such command."""
    if arguments is None:
        arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("--help", "-h"):
        sys.stdout.write(help_text())
        return 0
    if sys.platform == "win32":
        sys.stderr.write(f"error: {WINDOWS}\n")
        return 2
    name = arguments[0]
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean `crag {near[0]}`?" if near else "`crag --help` lists them"
        sys.stderr.write(f"error: no command {name!r}; {hint}\n")
        return 2
    is_label = list(arguments[:2]) == ["eval", "label"]  # labels belong to a run
    command = COMMANDS["runs" if is_label else name]
    try:
        run_command = getattr(import_module(command.module), command.function)
        status: int = run_command(arguments[1:], name=f"crag {name}")
    except KeyboardInterrupt:  # Ctrl-C while modules are imported
        sys.stderr.write("Interrupted.\n")
        return 130
    gc.freeze()  # at its exit, Python would look for garbage in all that was imported
    return status


if __name__ == "__main__":
    sys.exit(main())
