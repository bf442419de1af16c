"""A run's result three ways: a table for the terminal, results.json, and report.md."""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from evaluation.bootstrap import Interval
from evaluation.judge.protocol import Verdict
from evaluation.score import TIME_LIMIT, Metrics, Result, measure, sum_usage
from evaluation.slices import Groups, sliced

SHOWN_WRONG = 20
SHOWN_UNSCORED = 200
SHOWN_SIGNS = 300  # characters of a cell
SAMPLE_SIGNS = 90  # the same in the terminal
_SAMPLES = {Verdict.CORRECT: 5, Verdict.WRONG: 2, Verdict.UNSCORED: 2, Verdict.MISSING: 2}

_SLICE_TITLES = ("n", "score", "95% interval", "acc.", "hall.", "miss.", "unsc.")
_FAILED_TITLES = ("what failed", "step", "times", "questions", "example")
_USAGE_TITLES = ("step", "LLM, adapter", "calls", "prompt", "cached", "written", "dollars",
                 "written a call")  # fmt: skip
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ESCAPED = "\\`*_[]{}()#|~$!@:"  # ":" and "@" so that no address becomes a link


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
        slices.add_row(Text(_spaced(name), style="bold"))
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


def as_markdown(report: Report) -> str:
    """The text of report.md."""
    wrong = [result for result in report.results if result.verdict is Verdict.WRONG]
    unscored = [result for result in report.results if result.verdict is Verdict.UNSCORED]
    metrics = report.metrics
    blocks = [
        "# Evaluation",
        _table(("setting", "value"), report.settings.items()),
        "## Figures",
        f"{metrics.total} questions: {metrics.correct} correct, {metrics.missing} missing, "
        f"{metrics.wrong} wrong, {metrics.unscored} unscored. "
        "The score is (correct − wrong) / all questions; an unscored one counts 0.",
        _table(("figure", "value", "95% interval"), _headline(metrics)),
        *(
            block
            for name, groups in report.slices.items()
            for block in (f"## By {cell(_spaced(name))}", _slice_table(groups))
        ),
        "## Latency",
        "A question's seconds are its batch's time over the batch's size.",
        _table(("figure", "value"), _latency(metrics)),
        "## Failures",
        _table(_FAILED_TITLES, _failed(metrics)),
        _table(("what", "questions"), _trouble(report)),
        "" if metrics.failures or _trouble(report) else "None.",
        "## Tokens",
        _table(_USAGE_TITLES, _usage(metrics)) or "No model was asked.",
        "## Wrong answers",
        _answers(wrong, SHOWN_WRONG),
        "## Unscored",
        _answers(unscored, SHOWN_UNSCORED),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def cell(text: str) -> str:
    """`text` on one line, shortened, with every sign escaped that means something in Markdown."""
    short = clean(text)
    if len(short) > SHOWN_SIGNS:
        short = short[: SHOWN_SIGNS - 1] + "…"
    escaped = (_ENTITIES.get(sign) or (f"\\{sign}" if sign in _ESCAPED else sign) for sign in short)
    return "".join(escaped).replace("www.", "www\\.")


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


def _slice_table(groups: Groups) -> str:
    rows = ((group, *_slice_cells(metrics)) for group, metrics in groups.items())
    return _table(("group", *_SLICE_TITLES), rows) or "No questions."


def _answers(results: Sequence[Result], shown: int) -> str:
    """A table of the first `shown` results, and how many more there are."""
    rows = (
        (result.id, result.query, " / ".join(result.golds), result.prediction, result.reason)
        for result in results[:shown]
    )
    table = _table(("id", "question", "right answers", "prediction", "judge's reason"), rows)
    more = len(results) - shown
    return (table or "None.") + (f"\n\n… and {more} more in predictions.jsonl." if more > 0 else "")


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; empty where there are no rows."""
    lines = [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles), *lines])


def _spaced(name: str) -> str:
    return name.replace("_", " ")
