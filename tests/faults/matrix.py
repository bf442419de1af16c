"""The fault matrix: which component fails in which way, and the tests of each.

A test names its cells by `@fault("KG API", "hangs")`. A cell without a test says in
impossible.toml why it cannot happen. `python -m tests.faults.matrix` writes the table into
docs/reliability.md.
"""

import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROWS = {
    "LLM engine": "vLLM or transformers in this process",
    "OpenAI server": "an LLM behind HTTP",
    "KG API": "the mock API or another server",
    "pages": "the HTML of a question's search results",
    "page worker": "a process that reads pages",
    "judge": "an LLM judge behind HTTP",
    "disk": "the run folder",
    "clock": "the machine's clocks and the question's time",
    "settings": "files, environment and arguments",
    "Ray worker": "an actor with a `UserModel`",
}
COLUMNS = (
    "raises",
    "hangs",
    "slow",
    "garbage",
    "partial",
    "huge",
    "killed",
    "disk full",
    "duplicate",
    "out of order",
)
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- fault matrix -->\n", "<!-- end of the fault matrix -->\n"

Cell = tuple[str, str]
_FAULT = re.compile(r'fault\(\s*"([^"]+)",\s*"([^"]+)"')


def fault(row: str, column: str) -> pytest.MarkDecorator:
    """Marks a test, or one of its parameters, as a test of that cell."""
    return pytest.mark.fault(row, column)


def cells_with_tests() -> dict[Cell, Counter[str]]:
    """For each cell, the files that test it and how often each does."""
    found: defaultdict[Cell, Counter[str]] = defaultdict(Counter)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for row, column in _FAULT.findall(file.read_text(encoding="utf-8")):
            found[row, column][str(file.relative_to(ROOT))] += 1
    return found


def cells_without() -> dict[Cell, str]:
    """For each cell that cannot happen, why."""
    table = tomllib.loads((Path(__file__).parent / "impossible.toml").read_text(encoding="utf-8"))
    return {(row, column): why for row, cells in table.items() for column, why in cells.items()}


def written_page() -> str:
    """docs/reliability.md with the table as the tests have it now; a tested cell links to them."""
    tested, impossible = cells_with_tests(), cells_without()
    notes = list(dict.fromkeys(impossible.values()))

    def written(cell: Cell) -> str:
        if cell in impossible:
            return f"– ({notes.index(impossible[cell]) + 1})"
        return ", ".join(f"[{count}](../{file})" for file, count in tested[cell].items())

    table = [["", *COLUMNS], ["---"] * (1 + len(COLUMNS))]
    for row, what in ROWS.items():
        table.append([f"**{row}**: {what}", *(written((row, column)) for column in COLUMNS)])
    lines = [f"| {' | '.join(cells)} |" for cells in table]
    reasons = [f"{number}. {why}" for number, why in enumerate(notes, 1)]
    made = "\n".join([BEGIN, *lines, "", "These cannot happen:", "", *reasons, "", END])
    return re.sub(f"(?s){BEGIN}.*{END}", lambda _: made, PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(written_page(), encoding="utf-8")
