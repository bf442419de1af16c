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
BEGIN = "<!-- fault matrix -->\n"
END = "<!-- end of the fault matrix -->\n"

Cell = tuple[str, str]
_FAULT = re.compile(r'fault\(\s*"([^"]+)",\s*"([^"]+)"')


def fault(row: str, column: str) -> pytest.MarkDecorator:
    """Marks a test, or one of its parameters, as a test of that cell."""
    return pytest.mark.fault(row, column)


def cells_with_tests() -> dict[Cell, Counter[str]]:
    """For each cell, the files that test it and how often each does."""
    tests: defaultdict[Cell, Counter[str]] = defaultdict(Counter)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        name = str(file.relative_to(ROOT))
        for row, column in _FAULT.findall(file.read_text(encoding="utf-8")):
            tests[row, column][name] += 1
    return tests


def cells_without() -> dict[Cell, str]:
    """For each cell that cannot happen, why."""
    file = Path(__file__).parent / "impossible.toml"
    reasons = {}
    for row, cells in tomllib.loads(file.read_text(encoding="utf-8")).items():
        for column, reason in cells.items():
            reasons[row, column] = reason
    return reasons


def written_page() -> str:
    """docs/reliability.md with the current table; a tested cell links to its tests."""
    tested = cells_with_tests()
    impossible = cells_without()
    notes = list(dict.fromkeys(impossible.values()))
    lines = [_table_row(["", *COLUMNS]), _table_row(["---"] * (1 + len(COLUMNS)))]
    for row, description in ROWS.items():
        cells = [f"**{row}**: {description}"]
        for column in COLUMNS:
            reason = impossible.get((row, column))
            if reason is not None:
                cells.append(f"– ({notes.index(reason) + 1})")
            else:
                cells.append(_test_links(tested[row, column]))
        lines.append(_table_row(cells))
    reasons = [f"{number}. {note}" for number, note in enumerate(notes, 1)]
    section = "\n".join([BEGIN, *lines, "", "These cannot happen:", "", *reasons, "", END])
    page = PAGE.read_text(encoding="utf-8")
    return re.sub(f"(?s){BEGIN}.*{END}", lambda _: section, page)


def _table_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _test_links(files: Counter[str]) -> str:
    """Links to the files that test a cell, each with its number of tests."""
    return ", ".join(f"[{count}](../{file})" for file, count in files.items())


if __name__ == "__main__":
    PAGE.write_text(written_page(), encoding="utf-8")
