"""`python -m models.llm check`: whether all that the settings name is there and works.

`python -m models.llm adapters`: the adapters of settings, and whether each fits its model.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from models.check import as_table, run_checks
from models.llm.adapters import check_adapter, find_model, read_adapter
from models.llm.config import LLMSettings
from models.llm.errors import LLMError
from models.llm.openai import OpenAILLM
from models.settings import ROOT, Settings, load_settings
from utils.errors import CragError

_COLUMNS = ("adapter", "LLM", "trained on", "rank", "MiB", "subtasks", "fits")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the table; `wrong` says why the adapter cannot be used."""

    adapter: str
    llm: str
    base: str = ""
    rank: str = ""
    size: str = ""
    wrong: str = ""


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table; 0 where all is well, 2 where a check fails or the settings cannot be used, 1
    where an adapter does not fit."""
    parser = argparse.ArgumentParser(prog="python -m models.llm", description=__doc__)
    parser.add_argument("command", choices=["check", "adapters"])
    parser.add_argument("--settings", type=Path, default=ROOT / "settings.toml")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="change a setting, as llms.default.context=8192",
    )  # fmt: skip
    parser.add_argument("--system", help="default: from the settings")
    parser.add_argument("--llm", metavar="SPEC", help="default: from the settings")
    args = parser.parse_args(argv)
    console = Console()
    try:
        settings = load_settings(
            args.settings, changes=args.changes, system=args.system, llm=args.llm
        )
        if args.command == "check":
            checks = run_checks(settings)
            console.print(as_table(checks))
            return 0 if all(check.ok for check in checks) else 2
    except CragError as error:
        Console(stderr=True).print(str(error), style="red", markup=False)
        return 2
    lines = [line for name in settings.llms for line in _lines(name, settings)]
    table = Table(*_COLUMNS)
    for line in lines:
        used = [
            subtask
            for subtask, chosen in settings.subtasks.items()
            if (chosen.llm, chosen.adapter or "(none)") == (line.llm, line.adapter)
        ]
        cells = (line.adapter, line.llm, line.base, line.rank, line.size, ", ".join(used))
        table.add_row(*map(escape, cells), "no" if line.wrong else "yes")
    console.print(table)
    wrong = [line for line in lines if line.wrong]
    for line in wrong:
        console.print(f"{line.llm}, {line.adapter}: {line.wrong}", style="red", markup=False)
    return 1 if wrong else 0


def _lines(name: str, settings: Settings) -> Iterator[_Line]:
    llm = settings.llms[name]
    check = _served if llm.kind == "openai" else _on_disk
    yield from check(name, llm, settings)


def _on_disk(name: str, llm: LLMSettings, _: Settings) -> Iterator[_Line]:
    try:
        folder = find_model(llm.place)
    except LLMError as error:
        yield _Line("(none)", name, llm.place, wrong=str(error))
        return
    yield _Line("(none)", name, folder.name)
    for adapter_name, path in llm.adapters.items():
        try:
            adapter = read_adapter(adapter_name, path)
        except LLMError as error:
            yield _Line(adapter_name, name, wrong=str(error))
            continue
        size, wrong = f"{adapter.size / (1 << 20):.1f}", ""
        try:
            check_adapter(folder, adapter)
        except LLMError as error:
            wrong = str(error)
        yield _Line(adapter_name, name, adapter.base, str(adapter.rank), size, wrong)


def _served(name: str, llm: LLMSettings, settings: Settings) -> Iterator[_Line]:
    client = OpenAILLM.load(llm, settings.llm_api_key)
    model = llm.place.partition("#")[2]
    wanted = {"(none)": model, **llm.adapters}
    try:
        ids = [str(row.get("id")) for row in client.served()]
    except LLMError as error:
        yield _Line("(none)", name, llm.place, wrong=str(error))
        return
    for adapter_name, served in wanted.items():
        wrong = "" if served in ids else f"the server has no {served!r}; it has: {', '.join(ids)}"
        yield _Line(adapter_name, name, model, wrong=wrong)


if __name__ == "__main__":
    sys.exit(main())
