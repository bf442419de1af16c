"""The runs in a folder, and what each scored."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from rich.table import Table
from rich.text import Text

from evaluation.report import clean
from evaluation.run_folder import RESULTS


def runs_table(folder: Path) -> Table:
    """A row per finished run, the newest last; verdicts of other judges are runs too."""
    table = Table("run", "date", "system", "dataset", "judge", title=Text(str(folder)))
    for title in ("questions", "score", "accuracy", "hallucination", "seconds"):
        table.add_column(title, justify="right")
    for row in _rows(folder):
        table.add_row(*(Text(clean(value)) for value in row))
    return table


def _rows(folder: Path) -> Iterator[tuple[str, ...]]:
    files = sorted(folder.rglob(RESULTS), key=lambda file: file.stat().st_mtime)
    for file in files:
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            settings = found["settings"]
            yield (
                str(file.parent.relative_to(folder)),
                f"{datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d %H:%M}",
                *(str(settings.get(name, "")) for name in ("system", "dataset", "judge")),
                str(found["total"]),
                *(f"{found[name]:.1%}" for name in ("score", "accuracy", "hallucination")),
                f"{found['seconds_p50']:.2f}",
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            yield (str(file.parent.relative_to(folder)), f"cannot be read: {error!r}")
