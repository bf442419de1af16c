"""A run's result as tables for the terminal and as results.json; the runs in a folder."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import RESULTS, read_object
from evaluation.score import TIME_LIMIT, Groups, Metrics, Result, measure, sliced, sum_usage
from utils.errors import InputError

MOST_CHARS = 90  # of a cell
_SAMPLES = {Verdict.CORRECT: 5, Verdict.WRONG: 2, Verdict.UNSCORED: 2, Verdict.MISSING: 2}

_SLICE_TITLES = ("group", "n", "score", "95% interval", "acc.", "hall.", "miss.", "unsc.")
_FAILED_TITLES = ("what failed", "step", "example", "times", "questions")
_USAGE_TITLES = ("step", "LLM, adapter", "calls", "prompt", "cached", "written", "dollars",
                 "written a call")  # fmt: skip
_RUN_TITLES = ("run", "date", "system", "dataset", "judge", "questions", "score", "accuracy",
               "hallucination", "seconds")  # fmt: skip

Row = tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What is reported of a run. `settings` and `notes` are shown unchanged, so without secrets."""

    results: Sequence[Result]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def metrics(self) -> Metrics:
        """The figures of all results."""
        return measure(self.results)

    @cached_property
    def slices(self) -> Mapping[str, Groups]:
        """The figures of each group of each slice."""
        return sliced(self.results)


def as_json(report: Report) -> dict[str, Any]:
    """What results.json holds: the figures at the top level, then slices, settings and notes."""
    return {
        **asdict(report.metrics),
        "slices": {
            name: {group: asdict(metrics) for group, metrics in groups.items()}
            for name, groups in report.slices.items()
        },
        "settings": dict(report.settings),
        "notes": dict(report.notes),
    }


def as_terminal(report: Report) -> Group:
    """Some answers, the figures, the slices, tokens and failures: those tables that have rows."""
    metrics = report.metrics
    notes = {"judge gave no verdict": metrics.judge_failures, **report.notes}
    rows = headline(metrics) + [(name, str(count), "") for name, count in notes.items() if count]
    failed = [
        (row.kind, row.step, row.example, str(row.times), str(row.questions))
        for row in metrics.failures
    ]
    tables = [
        table("some answers", ("verdict", "question", "answer"), _samples(report.results), left=3),
        table(f"{metrics.total} questions", ("figure", "value", "95% interval"), rows, padding=1),
        table("by slice", _SLICE_TITLES, _slices(report.slices)),
        table("tokens", _USAGE_TITLES, _usage(metrics), left=2),
        table("failures", _FAILED_TITLES, failed, left=3),
    ]
    return Group(*(each for each in tables if each.row_count))


def runs_table(folder: Path) -> Table:
    """A row per finished run, the newest last; verdicts of other judges are runs too."""
    return table(str(folder), _RUN_TITLES, _runs(folder), left=5)


def headline(metrics: Metrics) -> list[tuple[str, str, str]]:
    """The names, values and intervals of a run's main figures."""
    return [
        ("score", f"{metrics.score:.1%}", between(metrics.score_ci95)),
        ("accuracy", f"{metrics.accuracy:.1%}", between(metrics.accuracy_ci95)),
        ("hallucination", f"{metrics.hallucination:.1%}", between(metrics.hallucination_ci95)),
        ("missing", f"{metrics.missing_rate:.1%}", between(metrics.missing_ci95)),
        ("unscored", str(metrics.unscored), ""),
        ("seconds, median", f"{metrics.seconds_p50:.3f}", ""),
        ("seconds, 95th percentile", f"{metrics.seconds_p95:.3f}", ""),
        ("seconds, longest", f"{metrics.seconds_max:.3f}", ""),
        (f"questions over {TIME_LIMIT:g} s", str(metrics.over_time), ""),
    ]


def table(
    title: str, titles: Sequence[str], rows: Iterable[Row], *, left: int = 1, padding: int = 0
) -> Table:
    """A table whose first `left` columns are left-aligned, the others right-aligned.

    A row of one cell is the heading of those that follow it.
    """
    made = Table(title=Text(clean(title)), box=SIMPLE_HEAD, padding=(0, padding))
    for number, name in enumerate(titles):
        if number < left:
            made.add_column(name, overflow="fold")
        else:
            made.add_column(name, justify="right", no_wrap=True)
    indent = ""
    for first, *rest in rows:
        if rest:
            made.add_row(Text(indent + _short(first)), *(Text(_short(cell)) for cell in rest))
        else:
            made.add_section()
            made.add_row(Text(_short(first), style="bold"))
            indent = "  "
    return made


def clean(text: str) -> str:
    """`text` on one line, safe for a terminal."""
    return visible(" ".join(text.split()))


def visible(text: str) -> str:
    """`text` with control, format and surrogate characters replaced, but for tabs and newlines."""
    return "".join(
        sign if sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs") else "�"
        for sign in text
    )


def between(interval: tuple[float, float]) -> str:
    """A 95% interval for a reader."""
    return "{:.1%} to {:.1%}".format(*interval)


def _short(text: str) -> str:
    line = clean(text)
    return line if len(line) <= MOST_CHARS else line[: MOST_CHARS - 1] + "…"


def _samples(results: Sequence[Result]) -> Iterator[Row]:
    """The first answers of each verdict, correct ones first."""
    for verdict, shown in _SAMPLES.items():
        for result in [r for r in results if r.verdict is verdict][:shown]:
            yield verdict, result.query, result.prediction


def _slices(slices: Mapping[str, Groups]) -> Iterator[Row]:
    for name, groups in slices.items():
        yield (name.replace("_", " "),)
        for group, metrics in groups.items():
            rates = (metrics.accuracy, metrics.hallucination, metrics.missing_rate)
            yield (
                *(group, str(metrics.total), f"{metrics.score:.1%}", between(metrics.score_ci95)),
                *(f"{rate:.1%}" for rate in rates),
                str(metrics.unscored),
            )


def _usage(metrics: Metrics) -> Iterator[Row]:
    """The tokens of each step, and of all."""
    rows = {**metrics.usage}
    if len(rows) > 1:
        rows["all"] = {**sum_usage([{"all": row} for row in rows.values()])["all"], "llm": "",
                       "adapter": ""}  # fmt: skip
    for step, row in rows.items():
        yield (
            step,
            f"{row['llm']} {row['adapter']}",
            *(f"{row[name]:,}" for name in ("calls", "prompt", "cached", "completion")),
            f"{row['dollars']:.4f}",
            f"{row['completion'] / max(1, row['calls']):.0f}",
        )


def _runs(folder: Path) -> Iterator[Row]:
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
