"""Two or more runs on the same questions: which is better, by how much, and on which questions."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from string import ascii_uppercase

from rich.console import Console, RenderableType
from rich.text import Text

from evaluation.dataset import SLICES
from evaluation.finished_run import FinishedRun, read_run
from evaluation.judge.protocol import Verdict
from evaluation.page.html import write_page
from evaluation.page.report import described, prompts, question_row
from evaluation.report import Row, clean, headline, table
from evaluation.score import WORTH, Interval, Result, group_of, mean_interval, measure
from utils.errors import InputError

SHOWN = 10  # questions of each kind in the text
WIDTH = 110
# Names of changed verdicts, by the verdict of the later run; the worst first.
TURNED = {
    Verdict.WRONG: "newly wrong",
    Verdict.MISSING: "newly missing",
    Verdict.UNSCORED: "newly unscored",
    Verdict.CORRECT: "newly right",
}
SAME = "same verdict"
RIGHT = Verdict.CORRECT


@dataclass(frozen=True, slots=True)
class Difference:
    """How the later of two runs differs from the earlier on some questions.

    Attributes:
        difference: of the scores, later - earlier; ci95: by paired bootstrap over questions.
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
    overall: Difference
    slices: Mapping[str, Mapping[str, Difference]]
    changes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs by their labels ("A", "B", …), over the questions that all of them have.

    `missing` has the ids that a run lacks and another has; `differing` the settings that differ.
    """

    runs: Mapping[str, FinishedRun]
    ids: tuple[str, ...]
    pairs: tuple[RunPair, ...]
    missing: Mapping[str, tuple[str, ...]]
    differing: Mapping[str, tuple[str, ...]]


def compare(folders: Sequence[Path]) -> Comparison:
    """The runs in `folders`, each later one against the first.

    Raises:
        InputError: there are fewer than two or more than 26, one holds no run, they have no
            question in common, or an id belongs to different questions.
    """
    if not 2 <= len(folders) <= len(ascii_uppercase):
        raise InputError(f"give 2 to {len(ascii_uppercase)} run folders, not {len(folders)}")
    runs = dict(zip(ascii_uppercase, map(read_run, folders), strict=False))
    known: dict[str, str] = {}
    for run in runs.values():
        for id, result in run.results.items():
            if result.query != known.setdefault(id, result.query):
                raise InputError(f"id {id} belongs to different questions in different runs")
    missing = {
        label: tuple(id for id in known if id not in run.results) for label, run in runs.items()
    }
    ids = tuple(id for id in known if all(id in run.results for run in runs.values()))
    if not ids:
        raise InputError("the runs have no question in common")
    first, *later = runs
    pairs = [
        _pair(first, label, [(runs[first].results[id], runs[label].results[id]) for id in ids])
        for label in later
    ]
    names = dict.fromkeys(name for run in runs.values() for name in run.settings)
    values = {name: tuple(str(r.settings.get(name, "")) for r in runs.values()) for name in names}
    return Comparison(
        runs,
        ids,
        tuple(pairs),
        {label: lacking for label, lacking in missing.items() if lacking},
        {name: each for name, each in values.items() if len(set(each)) > 1},
    )


def difference(results: Sequence[tuple[Result, Result]]) -> Difference:
    """How the later results differ from the earlier; each pair is of one question."""
    both = [(old.verdict, new.verdict) for old, new in results]
    total = len(both)
    gains = Counter[float](WORTH[new] - WORTH[old] for old, new in both)
    lost = sum(old is RIGHT is not new for old, new in both)
    gained = sum(new is RIGHT is not old for old, new in both)
    return Difference(
        questions=total,
        before=sum(WORTH[old] for old, _ in both) / total,
        after=sum(WORTH[new] for _, new in both) / total,
        difference=sum(gain * count for gain, count in gains.items()) / total,
        ci95=mean_interval(gains),
        lost=lost,
        gained=gained,
        p_value=mcnemar(lost, gained),
    )


def mcnemar(lost: int, gained: int) -> float:
    """The two-sided exact p-value of the binomial test with probability 1/2."""
    tosses = lost + gained
    ways = tail = 1  # to have 0 heads, then 1, 2, ...; exact
    for heads in range(min(lost, gained)):
        ways = ways * (tosses - heads) // (heads + 1)
        tail += ways
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))


def as_text(comparison: Comparison) -> str:
    """The comparison for a terminal or a log."""
    labels = tuple(comparison.runs)
    parts: list[RenderableType] = [
        *(Text(f"{label}: {clean(str(run.folder))}") for label, run in comparison.runs.items()),
        Text(f"{len(comparison.ids)} questions are in all runs."),
    ]
    for label, ids in comparison.missing.items():
        parts.append(_listed(f"left out, missing from {label}", ids, comparison))
    parts.append(table("Runs", ("figure", *labels), _figures(comparison)))
    if comparison.differing:
        rows = [(name, *each) for name, each in comparison.differing.items()]
        parts.append(table("Settings that differ", ("setting", *labels), rows))
    for pair in comparison.pairs:
        titles = ("group", "n", pair.before, pair.after, "difference", "95% interval", "lost",
                  "gained", "p (McNemar)")  # fmt: skip
        parts.append(table(f"{pair.after} against {pair.before}", titles, _differences(pair)))
        for how, ids in pair.changes.items():
            parts.append(_listed(f"{how} in {pair.after}", ids, comparison))
    out = io.StringIO()
    Console(file=out, width=WIDTH).print(*parts, sep="\n")
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def write_compare_page(comparison: Comparison, path: Path) -> Path:
    """Write the comparison as one HTML file, newly wrong questions first; return its path.

    Raises:
        InputError: it cannot be written.
    """
    runs = list(comparison.runs.values())
    turned = [{id: how for how, ids in p.changes.items() for id in ids} for p in comparison.pairs]
    data = {
        "kind": "compare",
        "runs": [described(run, label) for label, run in comparison.runs.items()],
        "prompts": prompts(),
        "changes": [*TURNED.values(), SAME],
        "pairs": [asdict(pair) for pair in comparison.pairs],
        "figures": _figures(comparison),
        "missing": comparison.missing,
        "differing": comparison.differing,
    }
    rows = [
        {**question_row(id, runs), "changes": [change.get(id, SAME) for change in turned]}
        for id in comparison.ids
    ]
    title = " against ".join(run.folder.resolve().name for run in runs)
    traces = [[run.traces.get(id, ()) for run in runs] for id in comparison.ids]
    return write_page(path, title, data, rows, traces)


def _pair(before: str, after: str, results: Sequence[tuple[Result, Result]]) -> RunPair:
    slices: dict[str, dict[str, Difference]] = {}
    for name in SLICES:
        groups: dict[str, list[tuple[Result, Result]]] = defaultdict(list)
        for old, new in results:
            groups[group_of(old, name)].append((old, new))
        largest_first = sorted(groups, key=lambda group: -len(groups[group]))
        slices[name] = {group: difference(groups[group]) for group in largest_first}
    changes = {
        how: tuple(new.id for old, new in results if new.verdict is verdict is not old.verdict)
        for verdict, how in TURNED.items()
    }
    return RunPair(before, after, difference(results), slices, changes)


def _figures(comparison: Comparison) -> list[Row]:
    """Score, times and tokens: one row per figure, one column per run."""
    each = [measure([run.results[id] for id in comparison.ids]) for run in comparison.runs.values()]
    shown = [
        (rows[0][0], *(f"{value} ({ci95})" if ci95 else value for _, value, ci95 in rows))
        for rows in zip(*map(headline, each), strict=True)
    ]
    for title, name, form in (
        ("tokens read", "prompt", ",d"),
        ("tokens written", "completion", ",d"),
        ("dollars", "dollars", ".4f"),
    ):
        sums = [sum(row[name] for row in metrics.usage.values()) for metrics in each]
        shown.append((title, *(format(value, form) for value in sums)))
    return shown


def _differences(pair: RunPair) -> Iterator[Row]:
    yield _row("all", pair.overall)
    for name, groups in pair.slices.items():
        yield (name.replace("_", " "),)
        for group, found in groups.items():
            yield _row(group, found)


def _row(group: str, found: Difference) -> Row:
    low, high = found.ci95
    return (group, str(found.questions), f"{found.before:.1%}", f"{found.after:.1%}",
            f"{found.difference:+.1%}", f"{low:+.1%} to {high:+.1%}", str(found.lost),
            str(found.gained), f"{found.p_value:.3f}")  # fmt: skip


def _listed(title: str, ids: Sequence[str], comparison: Comparison) -> Text:
    queries = {id: r.query for run in comparison.runs.values() for id, r in run.results.items()}
    lines = [f"  {clean(id)}  {clean(queries[id])}" for id in ids[:SHOWN]]
    more = [f"  … and {len(ids) - SHOWN} more"] if len(ids) > SHOWN else []
    return Text("\n".join([f"{title}: {len(ids)}", *lines, *more]))
