"""The runs in a folder, and what each scored."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from rich.table import Table

from evaluation.report import Row, table
from evaluation.run_folder import RESULTS, read_object
from utils.errors import InputError

TITLES = ("run", "date", "system", "dataset", "judge", "questions", "score", "accuracy",
          "hallucination", "seconds")  # fmt: skip


def runs_table(folder: Path) -> Table:
    """A row per finished run, the newest last; verdicts of other judges are runs too."""
    return table(str(folder), TITLES, _rows(folder), left=5)


def _rows(folder: Path) -> Iterator[Row]:
    for file in sorted(folder.rglob(RESULTS), key=lambda file: file.stat().st_mtime):
        name = str(file.parent.relative_to(folder))
        try:
            found = read_object(file)
            yield (
                name,
                f"{datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d %H:%M}",
                *(str(found["settings"].get(name, "")) for name in ("system", "dataset", "judge")),
                str(found["total"]),
                *(f"{found[name]:.1%}" for name in ("score", "accuracy", "hallucination")),
                f"{found['seconds_p50']:.2f}",
            )
        except (InputError, KeyError) as error:
            yield name, f"cannot be read: {error!r}"
