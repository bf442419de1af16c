"""The recorded figures of the web path (`web_path --json FILE`) as the tables of docs/web.md.

They go between the page's two marks; a test checks that the page shows what is recorded.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks._command import ROOT, command, markdown

RECORDED = ROOT / "benchmarks" / "recorded" / "web_path.json"
PAGE = ROOT / "docs" / "web.md"
BEGIN, END = "<!-- figures: python -m benchmarks.web_tables -->", "<!-- end of figures -->"
TITLES = {
    "dev": "Five pages a question (Tasks 1 and 2)",
    "task3": "Fifty pages a question (Task 3)",
    "pool": "Pools of real passages",
}
_COLUMNS = ("median s", "not embedding s", "embedded", "recall@4000", "recall@10000")


def tables(figures: Mapping[str, Any]) -> str:
    """All tables, in Markdown."""
    read = figures["extraction ms a page"]
    out = [
        f"Extraction, tables included: {read['ours']:.1f} ms a page, `html.parser` alone "
        f"{read['html.parser']:.1f} ms: {read['times faster']:.1f} times faster."
    ]
    for kind, title in TITLES.items():
        rows = figures[kind]
        ours = rows["ours"]
        out += [
            f"### {title}",
            f"{ours['of']} questions whose answer can be looked for; {ours['dtype']}. "
            f"{ours['times faster']:.1f} times faster than the reference by medians; memory at "
            f"its highest {ours['peak MB']:.0f} MB against {rows['reference']['peak MB']:.0f} MB.",
            markdown(
                ("", *_COLUMNS),
                [(name, *(_cell(n, row[n]) for n in _COLUMNS)) for name, row in rows.items()],
            ),
        ]
    return "\n\n".join(out)


def _cell(name: str, value: float) -> str:
    if name.startswith("recall"):
        return f"{value:.1%}"
    return f"{value:.0f}" if name == "embedded" else f"{value:.3f}"


def filled(page: str, figures: Mapping[str, Any]) -> str:
    """`page` with the tables between its marks. Raises ValueError where it has no marks."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{tables(figures)}\n{END}{after}"


@command
def main(
    json_file: Annotated[Path, typer.Option("--json", help="the recorded figures")] = RECORDED,
) -> None:
    figures = json.loads(json_file.read_text(encoding="utf-8"))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
