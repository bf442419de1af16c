"""Two or more runs on the same questions: which is better, by how much, and on which questions."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from evaluation.dataset import SLICES
from evaluation.finished_run import FinishedRun, read_run
from evaluation.judge.protocol import Verdict
from evaluation.page.html import write_page
from evaluation.page.report import described, prompts, question_row
from evaluation.report import GROUP_NAMES, TableRow, counted, group_name, headline, table
from evaluation.score import WORTH, Interval, QuestionResult, group_of, mean_interval, measure
from utils.errors import InputError
from utils.terminal import clean

SHOWN = 10  # questions of each kind in the text
COMPARE_PAGE = "compare.html"
WIDTH = 110
# Names of changed verdicts, by the verdict of the later run; the worst first.
TURNED = {
    Verdict.WRONG: "newly wrong",
    Verdict.MISSING: "newly missing",
    Verdict.UNSCORED: "newly unscored",
    Verdict.CORRECT: "newly right",
}
SAME = "same verdict"
_OF_SUBSET = ("where", "ids", "sample", "shard")  # settings that choose questions
_DIFFERENCE_TITLES = ("difference", "95% interval", "lost", "gained", "p (McNemar)")
# Sums over a run's questions: title, name in the usage of a step, format.
_USAGE_SUMS = (
    ("tokens read", "prompt", ",d"),
    ("tokens written", "completion", ",d"),
    ("dollars", "dollars", ".4f"),
)

ResultPair = tuple[QuestionResult, QuestionResult]  # of one question: before, after


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """How the later of two runs differs from the earlier on some questions.

    Attributes:
        before, after: the scores of the runs.
        difference: of the scores, later - earlier.
        ci95: the interval of the difference, by paired bootstrap over questions.
        lost, gained: numbers of questions that only the earlier, only the later has right.
        p_value: of McNemar's exact test that losing and gaining are equally likely.
    """

    questions: int
    before: float
    after: float
    difference: float
    ci95: Interval
    lost: int
    gained: int
    p_value: float


@dataclass(frozen=True, slots=True)
class RunPair:
    """A later run against the first; `changes` has the ids of changed verdicts, by their name."""

    before: str
    after: str
    overall: ScoreDifference
    slices: Mapping[str, Mapping[str, ScoreDifference]]
    changes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Runs by their labels ("A", "B", …), over the questions that all of them have.

    Attributes:
        ids: the questions.
        pairs: each later run against the first.
        missing: the ids that a run lacks and another has, by the run's label.
        differing: the settings that differ, each with its value in every run.
    """

    runs: Mapping[str, FinishedRun]
    ids: tuple[str, ...]
    pairs: tuple[RunPair, ...]
    missing: Mapping[str, tuple[str, ...]]
    differing: Mapping[str, tuple[str, ...]]


def compare(folders: Sequence[Path]) -> RunComparison:
    """The runs in `folders`, each later one against the first.

    Raises:
        InputError: there are fewer than two or more than 26, one holds no run, they have no
            question in common, or an id belongs to different questions.
    """
    if not 2 <= len(folders) <= len(ascii_uppercase):
        raise InputError(f"give 2 to {len(ascii_uppercase)} run folders, not {len(folders)}")
    runs = dict(zip(ascii_uppercase, map(read_run, folders), strict=False))
    all_ids = _all_ids(list(runs.values()))
    common = tuple(id for id in all_ids if all(id in run.results for run in runs.values()))
    if not common:
        raise InputError("the runs have no question in common")
    missing: dict[str, tuple[str, ...]] = {}
    for label, run in runs.items():
        lacking = tuple(id for id in all_ids if id not in run.results)
        if lacking:
            missing[label] = lacking
    first, *later = runs
    pairs: list[RunPair] = []
    for label in later:
        results = [(runs[first].results[id], runs[label].results[id]) for id in common]
        pairs.append(_pair(first, label, results))
    differing = _differing_settings(list(runs.values()))
    return RunComparison(runs, common, tuple(pairs), missing, differing)


def _all_ids(runs: Sequence[FinishedRun]) -> list[str]:
    """The ids of all runs, none twice.

    Raises:
        InputError: an id belongs to different questions.
    """
    queries: dict[str, str] = {}
    for run in runs:
        for id, result in run.results.items():
            query = queries.setdefault(id, result.query)
            if result.query != query:
                raise InputError(f"id {id} belongs to different questions in different runs")
    return list(queries)


def _differing_settings(runs: Sequence[FinishedRun]) -> dict[str, tuple[str, ...]]:
    """The settings that are not the same in all runs where they are known, each with its value in
    every run; empty where it is not known. A run that names no subset has all questions, and one
    that does not name a member of a table has none."""
    names: dict[str, None] = {}
    for run in runs:
        names |= dict.fromkeys(run.settings)
    differing: dict[str, tuple[str, ...]] = {}
    for name in names:
        values = tuple(str(run.settings.get(name, _where_unnamed(name))) for run in runs)
        if len(set(filter(None, values))) > 1:
            differing[name] = values
    return differing


def _where_unnamed(name: str) -> str:
    """The value of a setting in a run that does not name it; empty: it is not known."""
    if name in _OF_SUBSET:
        return "all"
    return "none" if "." in name else ""


def difference(results: Sequence[ResultPair]) -> ScoreDifference:
    """How the later results differ from the earlier; each pair is of one question."""
    total = len(results)
    gains = Counter[float](WORTH[new.verdict] - WORTH[old.verdict] for old, new in results)
    lost = 0
    gained = 0
    for old, new in results:
        was_right = old.verdict is Verdict.CORRECT
        is_right = new.verdict is Verdict.CORRECT
        if was_right and not is_right:
            lost += 1
        if is_right and not was_right:
            gained += 1
    return ScoreDifference(
        questions=total,
        before=sum(WORTH[old.verdict] for old, _ in results) / total,
        after=sum(WORTH[new.verdict] for _, new in results) / total,
        difference=sum(gain * count for gain, count in gains.items()) / total,
        ci95=mean_interval(gains),
        lost=lost,
        gained=gained,
        p_value=mcnemar(lost, gained),
    )


def mcnemar(lost: int, gained: int) -> float:
    """The two-sided exact p-value of the binomial test with probability 1/2."""
    tosses = lost + gained
    ways = 1  # to have 0 heads, then 1, 2, ...; an exact integer
    tail = 1  # the sum of the ways so far
    for heads in range(min(lost, gained)):
        ways = ways * (tosses - heads) // (heads + 1)
        tail += ways
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))


def comparison_as_json(comparison: RunComparison) -> dict[str, Any]:
    """The comparison as JSON: the runs' folders, the questions, and each pair's differences."""
    return {
        "runs": {label: str(run.folder) for label, run in comparison.runs.items()},
        "questions": len(comparison.ids),
        "missing": comparison.missing,
        "differing_settings": comparison.differing,
        "pairs": [asdict(pair) for pair in comparison.pairs],
    }


def as_text(comparison: RunComparison) -> str:
    """The comparison for a terminal or a log."""
    labels = tuple(comparison.runs)
    parts: list[RenderableType] = []
    for label, run in comparison.runs.items():
        parts.append(Text(f"{label}: {clean(str(run.folder))}"))
    verb = "is" if len(comparison.ids) == 1 else "are"
    parts.append(Text(f"{counted(len(comparison.ids), 'question')} {verb} in all runs."))
    for label, ids in comparison.missing.items():
        parts.append(_question_list(f"left out, missing from {label}", ids, comparison))
    parts.append(table("Runs", ("figure", *labels), _figures(comparison)))
    if comparison.differing:
        rows = [(name, *values) for name, values in comparison.differing.items()]
        titles = ("setting", *labels)
        parts.append(table("Settings that differ", titles, rows, left=len(titles), padding=1))
    for pair in comparison.pairs:
        titles = ("group", "n", pair.before, pair.after, *_DIFFERENCE_TITLES)
        parts.append(table(f"{pair.after} against {pair.before}", titles, _pair_rows(pair)))
        for change, ids in pair.changes.items():
            parts.append(_question_list(f"{change} in {pair.after}", ids, comparison))
    out = io.StringIO()
    Console(file=out, width=WIDTH).print(*parts, sep="\n")
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def write_compare_page(comparison: RunComparison, path: Path) -> Path:
    """Write the comparison as one HTML file, newly wrong questions first; return its path.

    Raises:
        InputError: it cannot be written.
    """
    runs = list(comparison.runs.values())
    data = {
        "kind": "compare",
        "group_names": GROUP_NAMES,
        "runs": [described(run, label) for label, run in comparison.runs.items()],
        "prompts": prompts(),
        "changes": [*TURNED.values(), SAME],
        "pairs": [asdict(pair) for pair in comparison.pairs],
        "figures": _figures(comparison),
        "missing": comparison.missing,
        "differing": comparison.differing,
    }
    changes_by_pair = [_change_by_id(pair) for pair in comparison.pairs]
    rows = []
    traces = []
    for id in comparison.ids:
        changes = [change_by_id.get(id, SAME) for change_by_id in changes_by_pair]
        rows.append({**question_row(id, runs), "changes": changes})
        traces.append([run.traces.get(id, ()) for run in runs])
    title = " against ".join(run.folder.resolve().name for run in runs)
    return write_page(path, title, data, rows, traces)


def _change_by_id(pair: RunPair) -> dict[str, str]:
    """The name of the change of each question whose verdict changed."""
    change_by_id: dict[str, str] = {}
    for change, ids in pair.changes.items():
        change_by_id |= dict.fromkeys(ids, change)
    return change_by_id


def _pair(before: str, after: str, results: Sequence[ResultPair]) -> RunPair:
    slices: dict[str, dict[str, ScoreDifference]] = {}
    for name in SLICES:
        groups: dict[str, list[ResultPair]] = defaultdict(list)
        for old, new in results:
            groups[group_of(old, name)].append((old, new))
        largest_first = sorted(groups, key=lambda group: -len(groups[group]))
        slices[name] = {group: difference(groups[group]) for group in largest_first}
    changes: dict[str, tuple[str, ...]] = {}
    for verdict, change in TURNED.items():
        turned = [new.id for old, new in results if _turned_to(verdict, old, new)]
        changes[change] = tuple(turned)
    return RunPair(before, after, difference(results), slices, changes)


def _turned_to(verdict: Verdict, old: QuestionResult, new: QuestionResult) -> bool:
    """Whether only the later run has this verdict."""
    return new.verdict is verdict and old.verdict is not verdict


def _figures(comparison: RunComparison) -> list[TableRow]:
    """Score, times and tokens: one row per figure, one column per run."""
    metrics_by_run = [
        measure([run.results[id] for id in comparison.ids]) for run in comparison.runs.values()
    ]
    rows: list[TableRow] = []
    for cells in zip(*map(headline, metrics_by_run), strict=True):
        title = cells[0][0]
        rows.append((title, *(_with_interval(value, ci95) for _, value, ci95 in cells)))
    for title, name, form in _USAGE_SUMS:
        sums = [
            sum(figures[name] for figures in metrics.usage.values()) for metrics in metrics_by_run
        ]
        if any(sums):
            rows.append((title, *(format(value, form) for value in sums)))
    return rows


def _with_interval(value: str, ci95: str) -> str:
    return f"{value} ({ci95})" if ci95 else value


def _pair_rows(pair: RunPair) -> Iterator[TableRow]:
    """The overall difference, then each slice: its name, and the difference of each group."""
    yield _difference_row("all", pair.overall)
    for name, groups in pair.slices.items():
        yield (name.replace("_", " "),)
        for group, group_difference in groups.items():
            yield _difference_row(group, group_difference)


def _difference_row(group: str, row: ScoreDifference) -> TableRow:
    low, high = row.ci95
    return (
        group_name(group),
        str(row.questions),
        f"{row.before:.1%}",
        f"{row.after:.1%}",
        f"{row.difference:+.1%}",
        f"{low:+.1%} to {high:+.1%}",
        str(row.lost),
        str(row.gained),
        f"{row.p_value:.3f}",
    )


def _question_list(title: str, ids: Sequence[str], comparison: RunComparison) -> Text:
    """The number of questions, and the first of them."""
    queries: dict[str, str] = {}
    for run in comparison.runs.values():
        queries |= {id: result.query for id, result in run.results.items()}
    lines = [f"{title}: {len(ids)}"]
    for id in ids[:SHOWN]:
        lines.append(f"  {clean(id)}  {clean(queries[id])}")
    if len(ids) > SHOWN:
        lines.append(f"  … and {len(ids) - SHOWN} more")
    return Text("\n".join(lines))
