"""A run's result as tables for the terminal and as results.json; the runs in a folder."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from textwrap import wrap
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import PREDICTIONS, RESULTS, RUN, STOPPED, read_object, read_results
from evaluation.score import (
    TIME_LIMIT,
    Groups,
    Metrics,
    QuestionResult,
    measure,
    sliced,
    sum_usage,
)
from utils.errors import InputError
from utils.terminal import clean

MOST_CHARS = 90  # of a cell
NOT_DEGRADED = "no"  # what the settings say of a run that could do all that it should
_SAMPLES = {Verdict.CORRECT: 5, Verdict.WRONG: 2, Verdict.UNSCORED: 2, Verdict.MISSING: 2}

_DISPUTES = 10  # shown on a terminal
_NO_SCORE = "–"
GROUP_NAMES = {"simple_w_condition": "simple with condition"}  # of groups that CRAG abbreviates

_SAMPLE_TITLES = ("verdict", "question", "answer")
_FIGURE_TITLES = ("figure", "value", "95% interval")
_SLICE_TITLES = ("group", "n", "score", "95% interval", "acc.", "hall.", "miss.", "unsc.")
_FAILURE_TITLES = ("what failed", "step", "example", "times", "questions")
_RULE_TITLES = ("rule", "correct", "wrong", "missing", "unscored")
_DISPUTE_TITLES = ("question", "answer", "verdicts")
_USAGE_TITLES = (
    "step",
    "LLM, adapter",
    "calls",
    "prompt",
    "cached",
    "written",
    "written a call",
)
_COST_TITLE = "dollars"  # where the settings have prices
_RUN_TITLES = ("run", "date", "n", "score", "acc.", "hall.", "sec.")
_DESCRIBED = ("system", "dataset", "judge")
_DESCRIPTION_WIDTH = 36  # characters of a line below the name of a run

TableRow = tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What is reported of a run. `settings` and `notes` are shown unchanged, so without secrets."""

    results: Sequence[QuestionResult]
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
    """The content of results.json: figures at the top level, then slices, settings and notes."""
    slices = {}
    for name, groups in report.slices.items():
        slices[name] = {group: asdict(metrics) for group, metrics in groups.items()}
    return {
        **asdict(report.metrics),
        "slices": slices,
        "settings": dict(report.settings),
        "notes": dict(report.notes),
    }


def as_terminal(report: Report) -> Group:
    """Some answers, the figures, the slices, tokens and failures: those tables that have rows."""
    metrics = report.metrics
    tables = [
        table("some answers", _SAMPLE_TITLES, _sample_rows(report.results), left=3),
        table(counted(metrics.total, "question"), _FIGURE_TITLES, _figure_rows(report), padding=1),
        table("by slice", _SLICE_TITLES, _slice_rows(report.slices)),
        table("verdicts by rule", _RULE_TITLES, _rule_rows(metrics)),
        table("judges disagreed", _DISPUTE_TITLES, _disputed_rows(report.results), left=3),
        _usage_table(metrics),
        table("failures", _FAILURE_TITLES, _failure_rows(metrics), left=3),
    ]
    shown: list[RenderableType] = [one for one in tables if one.row_count]
    degraded = report.settings.get("degraded", NOT_DEGRADED)
    if degraded != NOT_DEGRADED:
        shown.append(Text(f"degraded: {clean(degraded)}"))
    return Group(*shown)


def runs_table(folder: Path) -> Table:
    """A row per run, the newest last; verdicts of other judges are runs too.

    What all runs have in common is in the title. What differs stands below each run's name: in
    columns of their own, a name would not fit beside them.
    """
    rows = list(listed_runs(folder))
    shared = {}
    for name in _DESCRIBED:
        values = {row.described[name] for row in rows if row.described}
        if len(values) == 1:
            shared[name] = values.pop()
    title = ", ".join([str(folder), *(f"{name} {value}" for name, value in shared.items())])
    cells: list[TableRow] = []
    for row in rows:
        cells.append((row.name, row.date, *row.figures))
        own = [value for name, value in row.described.items() if name not in shared and value]
        lines = wrap(", ".join(own), _DESCRIPTION_WIDTH) + wrap(row.state, _DESCRIPTION_WIDTH)
        blanks = [""] * len(row.figures)
        for line in lines:
            cells.append((f"· {line}", "", *blanks))
    return table(title, _RUN_TITLES, cells, left=2, unbroken=("run", "date"))


def headline(metrics: Metrics) -> list[tuple[str, str, str]]:
    """The names, values and intervals of a run's main figures."""
    seconds = "seconds to an answer" if metrics.timed_each else "seconds a question"
    return [
        _score_row(metrics),
        ("accuracy", f"{metrics.accuracy:.1%}", between(metrics.accuracy_ci95)),
        ("hallucination", f"{metrics.hallucination:.1%}", between(metrics.hallucination_ci95)),
        ("missing", f"{metrics.missing_rate:.1%}", between(metrics.missing_ci95)),
        ("unscored", str(metrics.unscored), ""),
        (f"{seconds}, median", f"{metrics.seconds_p50:.3f}", ""),
        (f"{seconds}, 95th percentile", f"{metrics.seconds_p95:.3f}", ""),
        (f"{seconds}, longest", f"{metrics.seconds_max:.3f}", ""),
        (f"questions over {TIME_LIMIT:g} s × their batch's size", str(metrics.over_time), ""),
    ]


def _score_row(metrics: Metrics) -> tuple[str, str, str]:
    if metrics.unscored == metrics.total:
        return "score", _NO_SCORE, "none was scored"
    return "score", f"{metrics.score:.1%}", between(metrics.score_ci95)


def table(
    title: str,
    titles: Sequence[str],
    rows: Iterable[TableRow],
    *,
    left: int = 1,
    padding: int = 0,
    unbroken: Sequence[str] = ("step",),
) -> Table:
    """A table whose first `left` columns are left-aligned, the others right-aligned.

    A row of one cell is the heading of those that follow it.

    Args:
        unbroken: the columns whose cells are shown whole on one line.
    """
    rich_table = Table(title=Text(clean(title)), box=SIMPLE_HEAD, padding=(0, padding))
    for number, name in enumerate(titles):
        if number < left:
            rich_table.add_column(name, overflow="fold", no_wrap=name in unbroken)
        else:
            rich_table.add_column(name, justify="right", no_wrap=True)
    indent = ""
    for first, *others in rows:
        if others:
            cells = [Text(_cell_text(cell)) for cell in others]
            rich_table.add_row(Text(indent + _cell_text(first)), *cells)
        else:
            rich_table.add_section()
            rich_table.add_row(Text(_cell_text(first), style="bold"))
            indent = "  "
    return rich_table


def counted(number: int, noun: str) -> str:
    """A number of things: "1 question", "2 questions"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def group_name(group: str) -> str:
    """The name of a group for a reader: as in the data, unless CRAG abbreviates it."""
    return GROUP_NAMES.get(group, group)


def between(interval: tuple[float, float]) -> str:
    """A 95% interval for a reader."""
    low, high = interval
    return f"{low:.1%} to {high:.1%}"


def _cell_text(text: str) -> str:
    """`text` on one line, shortened to the width of a cell."""
    line = clean(text)
    if len(line) <= MOST_CHARS:
        return line
    return line[: MOST_CHARS - 1] + "…"


def _sample_rows(results: Sequence[QuestionResult]) -> Iterator[TableRow]:
    """The first answers of each verdict, correct ones first."""
    for verdict, count in _SAMPLES.items():
        with_verdict = [result for result in results if result.verdict is verdict]
        for result in with_verdict[:count]:
            yield verdict, result.query, result.prediction


def _figure_rows(report: Report) -> list[TableRow]:
    """The main figures, and the counts that are not 0."""
    metrics = report.metrics
    notes = {
        "lost (--resume asks again)": metrics.lost,
        "judges disagreed": metrics.disputed,
        **report.notes,
    }
    bounds = []
    if metrics.unscored:
        bounds = [("score if the unscored were wrong, or right", "", between(metrics.score_bounds))]
    note_rows = [(name, str(count), "") for name, count in notes.items() if count]
    failures = []
    if metrics.judge_failures:
        failures = [("THE JUDGE GAVE NO VERDICT ON", str(metrics.judge_failures), "")]
    return [*failures, *headline(metrics), *bounds, *note_rows]


def _slice_rows(slices: Mapping[str, Groups]) -> Iterator[TableRow]:
    for name, groups in slices.items():
        yield (name.replace("_", " "),)
        for group, metrics in groups.items():
            _, score, interval = _score_row(metrics)
            yield (
                group_name(group),
                str(metrics.total),
                score,
                interval,
                f"{metrics.accuracy:.1%}",
                f"{metrics.hallucination:.1%}",
                f"{metrics.missing_rate:.1%}",
                str(metrics.unscored),
            )


def _rule_rows(metrics: Metrics) -> Iterator[TableRow]:
    for rule, counts in metrics.verdicts_by_rule.items():
        yield rule, *(str(counts.get(name, 0)) for name in _RULE_TITLES[1:])


def _disputed_rows(results: Sequence[QuestionResult]) -> Iterator[TableRow]:
    """The first answers on which judges disagreed; report.html has all."""
    disputed = [result for result in results if result.disputed]
    for result in disputed[:_DISPUTES]:
        yield result.query, result.prediction, result.reason
    if len(disputed) > _DISPUTES:
        yield f"{len(disputed) - _DISPUTES} more in report.html", "", ""


def has_cost(metrics: Metrics) -> bool:
    """Whether the run's tokens have prices."""
    return any(figures["dollars"] for figures in metrics.usage.values())


def _usage_table(metrics: Metrics) -> Table:
    """The tokens of each step, and of all."""
    usage = dict(metrics.usage)
    if len(usage) > 1:
        sums = sum_usage([{"all": figures} for figures in usage.values()])
        usage["all"] = {**sums["all"], "llm": "", "adapter": ""}
    costs = has_cost(metrics)
    rows: list[TableRow] = []
    for step, figures in usage.items():
        row = (
            step,
            f"{figures['llm']} {figures['adapter']}",
            f"{figures['calls']:,}",
            f"{figures['prompt']:,}",
            f"{figures['cached']:,}",
            f"{figures['completion']:,}",
            f"{figures['completion'] / max(1, figures['calls']):.0f}",
        )
        rows.append((*row, f"{figures['dollars']:.4f}") if costs else row)
    titles = (*_USAGE_TITLES, _COST_TITLE) if costs else _USAGE_TITLES
    return table("tokens", titles, rows, left=2)


def _failure_rows(metrics: Metrics) -> list[TableRow]:
    return [
        (failure.kind, failure.step, failure.example, str(failure.times), str(failure.questions))
        for failure in metrics.failures
    ]


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list.

    Attributes:
        name: its folder, from that of the runs.
        described: its system, dataset and judge; empty if its files cannot be read.
        figures: how many questions are answered, and the figures of a finished run.
        state: what is the matter with it; empty: nothing.
        results: the content of its results.json; None if it is not finished.
    """

    name: str
    date: str
    described: Mapping[str, str]
    figures: tuple[str, ...]
    state: str = ""
    results: Mapping[str, Any] | None = None


def listed_runs(folder: Path) -> Iterator[ListedRun]:
    """The runs in a folder and the folders in it, finished or not, by date."""
    files = {file.parent: file for file in folder.rglob(PREDICTIONS)}
    files |= {file.parent: file for file in folder.rglob(RESULTS)}
    for run, file in sorted(files.items(), key=lambda item: item[1].stat().st_mtime):
        name = str(run.relative_to(folder))
        date = f"{datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d}"
        try:
            if file.name == RESULTS:
                results = read_object(file)
                described = _described(results["settings"])
                figures = _run_figures(results)
                yield ListedRun(name, date, described, figures, _state(results), results)
            else:
                run_results = read_results(run)
                described = _described(read_object(run / RUN))
                lost = sum(result.lost for result in run_results.values())
                answered = (str(len(run_results)),)
                reason = read_object(run / STOPPED).get("reason")
                end = _cell_text(f"stopped: {reason}") if reason else "not finished"
                state = "; ".join(filter(None, (end, _lost_in_words(lost))))
                yield ListedRun(name, date, described, answered, state)
        except (InputError, KeyError) as error:
            yield ListedRun(name, date, {}, (), f"cannot be read: {error!r}")


def _state(results: Mapping[str, Any]) -> str:
    """What is the matter with a finished run; empty: nothing.

    Raises:
        KeyError: a figure is lacking.
    """
    failed = max((row["questions"] for row in results["failures"]), default=0)
    lost = _lost_in_words(results.get("lost", 0))  # older runs did not count them
    if results["missing"] == results["total"] == failed:
        return "; ".join(filter(None, ("every question failed", lost)))
    return lost


def _lost_in_words(questions: int) -> str:
    """How many questions are lost; empty: none."""
    if not questions:
        return ""
    return f"{counted(questions, 'question')} lost: --resume asks again"


def _run_figures(results: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures of a finished run.

    Raises:
        KeyError: one is lacking.
    """
    scored = results["unscored"] < results["total"]
    return (
        str(results["total"]),
        f"{results['score']:.1%}" if scored else _NO_SCORE,
        f"{results['accuracy']:.1%}",
        f"{results['hallucination']:.1%}",
        f"{results['seconds_p50']:.2f}",
    )


def _described(settings: Mapping[str, object]) -> dict[str, str]:
    return {name: str(settings.get(name, "")) for name in _DESCRIBED}
