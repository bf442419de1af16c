"""A run's result as tables for the terminal, and as results.json."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from evaluation.bootstrap import Interval
from evaluation.judge.protocol import Verdict
from evaluation.score import TIME_LIMIT, Metrics, Result, measure, sum_usage
from evaluation.slices import Groups, sliced

SAMPLE_SIGNS = 90  # characters of a cell
_SAMPLES = {Verdict.CORRECT: 5, Verdict.WRONG: 2, Verdict.UNSCORED: 2, Verdict.MISSING: 2}

_SLICE_TITLES = ("n", "score", "95% interval", "acc.", "hall.", "miss.", "unsc.")
_FAILED_TITLES = ("what failed", "step", "times", "questions", "example")
_USAGE_TITLES = ("step", "LLM, adapter", "calls", "prompt", "cached", "written", "dollars",
                 "written a call")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said of a run. `settings` and `notes` are shown as they are: no secrets."""

    results: Sequence[Result]
    metrics: Metrics
    slices: Mapping[str, Groups]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        results: Sequence[Result],
        settings: Mapping[str, str] | None = None,
        notes: Mapping[str, int] | None = None,
    ) -> "Report":
        """The report on `results`, with every figure worked out."""
        return cls(results, measure(results), sliced(results), settings or {}, notes or {})


def as_json(report: Report) -> str:
    """The text of results.json: the figures at the top level, then slices, settings and notes."""
    tables = {
        name: {group: metrics.as_dict() for group, metrics in groups.items()}
        for name, groups in report.slices.items()
    }
    content = {
        **report.metrics.as_dict(),
        "slices": tables,
        "settings": dict(report.settings),
        "notes": dict(report.notes),
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def as_terminal(report: Report) -> Group:
    """Three tables: some answers, the headline figures, and the slices."""
    headline = Table(title=f"{report.metrics.total} questions", box=SIMPLE_HEAD)
    for title in ("figure", "value", "95% interval"):
        headline.add_column(title, justify="left" if title == "figure" else "right")
    for name, value, interval in _headline(report.metrics):
        headline.add_row(name, value, interval)
    for name, value in _latency(report.metrics) + _trouble(report):
        headline.add_row(Text(clean(name)), value, "")
    slices = Table(title="by slice", box=SIMPLE_HEAD, padding=0)
    slices.add_column("group", overflow="fold")
    for title in _SLICE_TITLES:
        slices.add_column(title, justify="right", no_wrap=True)
    for name, groups in report.slices.items():
        slices.add_section()
        slices.add_row(Text(name.replace("_", " "), style="bold"))
        for group, metrics in groups.items():
            slices.add_row(Text("  " + clean(group)), *_slice_cells(metrics))
    tables = [_samples(report.results), headline, slices]
    for title, titles, rows in (
        ("tokens", _USAGE_TITLES, _usage(report.metrics)),
        ("failures", _FAILED_TITLES, _failed(report.metrics)),
    ):
        if rows:
            table = Table(*titles, title=title, box=SIMPLE_HEAD, padding=0)
            for row in rows:
                table.add_row(*(Text(_short(value)) for value in row))
            tables.append(table)
    return Group(*tables)


def _samples(results: Sequence[Result]) -> Table:
    """The first few answers of each verdict, the right ones first."""
    table = Table(title="some answers", box=SIMPLE_HEAD, padding=0)
    for title in ("verdict", "question", "answer"):
        table.add_column(title, overflow="fold")
    for verdict, shown in _SAMPLES.items():
        for result in [r for r in results if r.verdict is verdict][:shown]:
            table.add_row(verdict, Text(_short(result.query)), Text(_short(result.prediction)))
    return table


def _short(text: str) -> str:
    line = clean(text)
    return line if len(line) <= SAMPLE_SIGNS else line[: SAMPLE_SIGNS - 1] + "…"


def clean(text: str) -> str:
    """`text` on one line, without signs that steer a terminal or turn the writing's direction."""
    visible = (
        sign if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cf", "Cs") else "�"
        for sign in text
    )
    return " ".join("".join(visible).split())


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _range(interval: Interval) -> str:
    return f"{_percent(interval[0])} to {_percent(interval[1])}"


def _headline(metrics: Metrics) -> list[tuple[str, str, str]]:
    return [
        ("score", _percent(metrics.score), _range(metrics.score_ci95)),
        ("accuracy", _percent(metrics.accuracy), _range(metrics.accuracy_ci95)),
        ("hallucination", _percent(metrics.hallucination), _range(metrics.hallucination_ci95)),
        ("missing", _percent(metrics.missing_rate), _range(metrics.missing_ci95)),
        ("unscored", str(metrics.unscored), ""),
    ]


def _latency(metrics: Metrics) -> list[tuple[str, str]]:
    return [
        ("seconds, median", f"{metrics.seconds_p50:.3f}"),
        ("seconds, 95th percentile", f"{metrics.seconds_p95:.3f}"),
        ("seconds, longest", f"{metrics.seconds_max:.3f}"),
        (f"questions over {TIME_LIMIT:g} s", str(metrics.over_time)),
    ]


def _trouble(report: Report) -> list[tuple[str, str]]:
    """What went wrong, counted; empty where nothing did."""
    counted = [
        ("judge gave no verdict", report.metrics.judge_failures),
        *report.notes.items(),
    ]
    return [(name, str(count)) for name, count in counted if count]


def _failed(metrics: Metrics) -> list[tuple[str, ...]]:
    """What failed of the model, the commonest first."""
    return [
        (row.kind, row.step, str(row.times), str(row.questions), row.example)
        for row in metrics.failures
    ]


def _usage(metrics: Metrics) -> list[tuple[str, ...]]:
    """The tokens of each step, and of all."""
    rows = {**metrics.usage}
    if len(rows) > 1:
        rows["all"] = {**sum_usage([{"all": row} for row in rows.values()])["all"], "llm": "",
                       "adapter": ""}  # fmt: skip
    return [
        (
            step,
            f"{row['llm']} {row['adapter']}".strip(),
            *(f"{row[name]:,}" for name in ("calls", "prompt", "cached", "completion")),
            f"{row['dollars']:.4f}",
            f"{row['completion'] / max(1, row['calls']):.0f}",
        )
        for step, row in rows.items()
    ]


def _slice_cells(metrics: Metrics) -> tuple[str, ...]:
    return (
        str(metrics.total),
        _percent(metrics.score),
        _range(metrics.score_ci95),
        _percent(metrics.accuracy),
        _percent(metrics.hallucination),
        _percent(metrics.missing_rate),
        str(metrics.unscored),
    )
