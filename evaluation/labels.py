"""Verdicts by hand on a sample of a run's answers, and how far each judge of the run agrees."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.settle import settle
from evaluation.report import between, table
from evaluation.run_folder import (
    OTHER_JUDGES,
    PREDICTIONS,
    RUN,
    append_lines,
    drop_torn_line,
    read_lines,
    read_object,
    read_results,
)
from evaluation.score import RESAMPLES, SEED, Interval, QuestionResult, group_of
from utils.errors import InputError
from utils.terminal import clean

LABELS = "labels.jsonl"
LABEL_VERDICTS = (Verdict.CORRECT, Verdict.WRONG, Verdict.MISSING)
LabelVerdict = Literal[Verdict.CORRECT, Verdict.WRONG, Verdict.MISSING]
SAMPLE = 200  # answers
_Z = 1.96  # standard deviations of a 95% interval
_KEYS: dict[str, LabelVerdict | Literal["skip"]] = {
    "c": Verdict.CORRECT,
    "w": Verdict.WRONG,
    "m": Verdict.MISSING,
    "s": "skip",
}
_KEYS_HELP = "Type c for correct, w for wrong, m for missing (no answer), s to skip, q to stop."
_UNDEFINED = "–"
_FIGURES = (
    "labels",
    "decided",
    "agreement",
    "  its 95% interval",
    "kappa",
    "  its 95% interval",
    "wrong called correct",
    "right called wrong",
)


@dataclass(frozen=True, slots=True)
class Label:
    """A verdict by hand on the answer `prediction`.

    A later one on the same question replaces it; one on another answer counts for nothing.
    """

    id: str
    prediction: str
    verdict: LabelVerdict
    note: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge agrees with the labels of a run.

    Attributes:
        judge: its name.
        labels: their number.
        decided: the share of labelled answers that the judge did not leave unscored; the figures
            below are of these.
        agreement, ci95: the share with the label's verdict, and its Wilson interval; NaN where
            nothing is decided.
        kappa, kappa_ci95: Cohen's kappa, agreement beyond chance (J. Cohen, 1960), and its interval
            by bootstrap over answers; NaN where all verdicts are the same.
        wrong_called_correct, right_called_wrong: shares of the answers labelled wrong or correct,
            the undecided ones included; NaN where there are none.
    """

    judge: str
    labels: int
    decided: float
    agreement: float
    ci95: Interval
    kappa: float
    kappa_ci95: Interval
    wrong_called_correct: float
    right_called_wrong: float


VerdictPair = tuple[Verdict, Verdict]  # of a label and of a judge
Counts = np.ndarray[Any, np.dtype[np.float64]]

_LABEL = TypeAdapter(Label)


def read_labels(run: Path) -> dict[str, Label]:
    """The labels of a run by question; empty where nothing was labelled.

    Raises:
        InputError: a line is no label.
    """
    if not (run / LABELS).exists():
        return {}
    return {label.id: label for label in read_lines(run / LABELS, _LABEL)}


def write_label(run: Path, label: Label) -> None:
    """Add a label to a run's folder.

    Raises:
        InputError: it cannot be written.
    """
    append_lines(run / LABELS, [asdict(label)])


def sample(results: Iterable[QuestionResult], count: int, seed: int) -> list[QuestionResult]:
    """`count` answers to label, in random order.

    Answers that the contest's rules settle ("i don't know", an exact match) need no label. Of the
    others, each verdict in each domain has its share, so that figures of the sample estimate those
    of all answers that need a judge. The same seed gives the same sample.
    """
    strata: dict[tuple[str, str], list[QuestionResult]] = defaultdict(list)
    for result in results:
        item = Item(result.id, result.query, result.golds, result.prediction)
        if settle(item) is None:
            strata[result.verdict, group_of(result, "domain")].append(result)
    random = np.random.default_rng(seed)
    sizes = _proportional({name: len(members) for name, members in strata.items()}, count)
    chosen: list[QuestionResult] = []
    for name in sorted(strata):
        members = strata[name]
        places = random.permutation(len(members))[: sizes[name]]
        chosen += [members[place] for place in places]
    return [chosen[place] for place in random.permutation(len(chosen))]


def _proportional(sizes: Mapping[tuple[str, str], int], count: int) -> dict[tuple[str, str], int]:
    """Shares of `count` in proportion to `sizes`, by the largest remainders."""
    total = sum(sizes.values())
    if count >= total:
        return dict(sizes)
    shares = {name: size * count / total for name, size in sizes.items()}
    whole = {name: int(share) for name, share in shares.items()}
    by_remainder = sorted(shares, key=lambda name: (whole[name] - shares[name], name))
    for name in by_remainder[: count - sum(whole.values())]:
        whole[name] += 1
    return whole


def ask(run: Path, answers: Sequence[QuestionResult], console: Console) -> None:
    """Ask for the verdict on each answer that has no label yet, until the input ends.

    The judge's verdict is not shown. Each label is saved at once.

    Raises:
        InputError: a label cannot be written.
    """
    drop_torn_line(run / LABELS)
    labelled = read_labels(run)
    console.print(_KEYS_HELP)
    for number, answer in enumerate(answers, 1):
        if answer.id in labelled and labelled[answer.id].prediction == answer.prediction:
            continue
        console.print(f"\n{number}/{len(answers)}", style="dim")
        golds = " | ".join(answer.golds)
        for name, value in (
            ("question", answer.query),
            ("right answer", golds),
            ("answer", answer.prediction),
        ):
            console.print(f"{name:>12}  {clean(value)}")
        verdict = _asked_verdict(console)
        if verdict is None:
            return
        if verdict != "skip":
            write_label(run, Label(answer.id, answer.prediction, verdict))


def _asked_verdict(console: Console) -> LabelVerdict | Literal["skip"] | None:
    """The verdict that is typed; "skip" for a skipped answer, None at the end."""
    while True:
        try:
            typed = console.input("     verdict  ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return None
        if typed == "q":
            return None
        if typed in _KEYS:
            return _KEYS[typed]
        console.print(_KEYS_HELP)


def agreements(run: Path) -> list[Agreement]:
    """How far the judge of a run, and each that judged it again, agrees with its labels.

    Labels of other answers than the run's count for nothing.

    Raises:
        InputError: the folder holds no run, or no label is of its answers.
    """
    labels = read_labels(run)
    rows = []
    finished = sorted((run / OTHER_JUDGES).glob(f"*/{PREDICTIONS}"))
    for folder in (run, *(file.parent for file in finished)):
        results = read_results(folder)
        name = str(read_object(folder / RUN).get("judge", folder.name))
        pairs: list[VerdictPair] = []
        for result in results.values():
            label = labels.get(result.id)
            if label is not None and label.prediction == result.prediction:
                pairs.append((label.verdict, result.verdict))
        if not pairs and folder == run:
            raise InputError(f"{run / LABELS}: no label is of an answer of this run")
        rows.append(agreement(name, pairs))
    return rows


def agreement(judge: str, pairs: Sequence[VerdictPair]) -> Agreement:
    """How far a judge agrees with labels; `pairs` have a label and the judge's verdict."""
    counts = Counter(pairs)
    decided = [pair for pair in pairs if pair[1] is not Verdict.UNSCORED]
    same = sum(label is verdict for label, verdict in decided)
    decided_kappa, kappa_ci95 = kappa(decided)
    return Agreement(
        judge=judge,
        labels=len(pairs),
        decided=_ratio(len(decided), len(pairs)),
        agreement=_ratio(same, len(decided)),
        ci95=wilson_interval(same, len(decided)),
        kappa=decided_kappa,
        kappa_ci95=kappa_ci95,
        wrong_called_correct=_share(counts, Verdict.WRONG, Verdict.CORRECT),
        right_called_wrong=_share(counts, Verdict.CORRECT, Verdict.WRONG),
    )


def _share(counts: Counter[tuple[Verdict, Verdict]], label: Verdict, verdict: Verdict) -> float:
    """The share of the answers with a label that got a verdict."""
    with_label = sum(counts[label, each] for each in Verdict)
    return _ratio(counts[label, verdict], with_label)


def _ratio(count: int, total: int) -> float:
    """A share, NaN of nothing."""
    return count / total if total else math.nan


def wilson_interval(successes: int, total: int) -> Interval:
    """The 95% interval of a share (E. B. Wilson, 1927); (0, 1) of nothing.

    >>> [round(bound, 3) for bound in wilson_interval(50, 50)]
    [0.929, 1.0]
    """
    if total == 0:
        return 0.0, 1.0
    share = successes / total
    centre = share + _Z**2 / (2 * total)
    spread = _Z * (share * (1 - share) / total + _Z**2 / (4 * total**2)) ** 0.5
    scale = 1 + _Z**2 / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def kappa(pairs: Sequence[VerdictPair]) -> tuple[float, Interval]:
    """Cohen's kappa of pairs of verdicts, and its interval; NaN where it is not defined.

    It is not defined where both sides have one and the same verdict throughout. Such resamples are
    left out of the interval.
    """
    counts = np.zeros((len(LABEL_VERDICTS), len(LABEL_VERDICTS)))
    for label, verdict in pairs:
        counts[LABEL_VERDICTS.index(label), LABEL_VERDICTS.index(verdict)] += 1
    whole = float(_kappas(counts[None])[0])
    if math.isnan(whole):
        return whole, (math.nan, math.nan)
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(len(pairs), counts.ravel() / len(pairs), RESAMPLES)
    low, high = np.nanpercentile(
        _kappas(drawn.reshape(-1, *counts.shape).astype(np.float64)), [2.5, 97.5]
    )
    return whole, (float(low), float(high))


def _kappas(counts: Counts) -> Counts:
    """The kappa of each table of labels by verdicts: shape (n, k, k) to (n,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts / counts.sum(axis=(1, 2), keepdims=True)
        observed = np.trace(shares, axis1=1, axis2=2)
        by_chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
        return np.asarray((observed - by_chance) / (1 - by_chance))


def agreement_table(rows: Sequence[Agreement]) -> Table:
    """A column per judge."""
    columns = [_agreement_column(row) for row in rows]
    titles = ["", *(row.judge for row in rows)]
    figures = [(name, *cells) for name, *cells in zip(_FIGURES, *columns, strict=True)]
    return table("agreement with the labels", titles, figures)


def _agreement_column(row: Agreement) -> list[str]:
    return [
        str(row.labels),
        _percent(row.decided),
        _percent(row.agreement),
        between(row.ci95) if row.decided else _UNDEFINED,
        _UNDEFINED if math.isnan(row.kappa) else f"{row.kappa:.2f}",
        _UNDEFINED if math.isnan(row.kappa) else "{:.2f} to {:.2f}".format(*row.kappa_ci95),
        _percent(row.wrong_called_correct),
        _percent(row.right_called_wrong),
    ]


def _percent(share: float) -> str:
    return _UNDEFINED if math.isnan(share) else f"{share:.1%}"
