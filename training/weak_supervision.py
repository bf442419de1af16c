"""A ranker of candidate answers and its confidence, fitted by weak supervision.

The semantic parser and the offline reader share it. Only questions and answers are annotated:
candidates that the judge calls right are positives, the question's others are negatives (Pasupat
and Liang 2015). The ranker maximises the likelihood of positives among a question's candidates. The
confidence is a logistic regression on how rankings turn out on questions that their ranker has not
seen.
"""

import hashlib
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import write_text
from models.ranking.log_linear import LogLinearModel, Scored, best, choose
from models.records import INVALID
from utils.errors import InputError

FOLDS = 5
_INNER_FOLDS = 3
_STEPS, _FINE_STEPS, _RATE = 250, 150, 0.1
_RANKER_RIDGE, _CONFIDENCE_RIDGE = 0.002, 0.003
_LEAST = 3  # examples that a feature must be in
RISKS = Path(__file__).with_name("risks.toml")
_FINE = ("relation:", "inner:", "form:", "rival:")
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """One question's candidates: an answer, features and a verdict each.

    Attributes:
        cluster: questions of one wording have the same; they stay in one fold.
        domain: the group in figures.
        answerable: whether the KG (or the pages) can hold the answer.
        ruled_out: features of candidates that are never given: they are negatives for the ranker.
    """

    id: str
    cluster: str
    domain: str
    answerable: bool
    candidates: tuple[Scored, ...]
    verdicts: tuple[Verdict, ...]
    ruled_out: tuple[Mapping[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class BestAnswer:
    """A model's best answer to a question."""

    example: RankedQuestion
    answer: str | None
    verdict: Verdict
    probability: float


Split = tuple[list[RankedQuestion], list[RankedQuestion]]


def fit(examples: Sequence[RankedQuestion], threshold: float = 0.5) -> LogLinearModel:
    """Both models; the confidence is fitted on rankings of held-out questions."""
    found: list[tuple[Mapping[str, float], bool]] = []
    for others, held_out in _folds(examples, _INNER_FOLDS, "inner"):
        ranker = _fit_ranker(others)
        for example in held_out:
            choice = best(example.candidates, ranker)
            if choice is not None:
                right = example.verdicts[choice.index] is Verdict.CORRECT
                found.append((choice.features, right))
    return LogLinearModel(_fit_ranker(examples), _fit_confidence(found), threshold)


def cross_validate(examples: Sequence[RankedQuestion], folds: int = FOLDS) -> list[BestAnswer]:
    """The best answer to each question by a model of the other folds, at any probability."""
    outcomes = []
    for others, held_out in _folds(examples, folds):
        model = fit(others)
        outcomes += [said(example, model) for example in held_out]
    return outcomes


def said(example: RankedQuestion, model: LogLinearModel) -> BestAnswer:
    """The best answer of `model` to a question, at any probability."""
    choice = choose(example.candidates, model)
    if choice is None:
        return BestAnswer(example, None, Verdict.MISSING, 0.0)
    return BestAnswer(example, choice.answer, example.verdicts[choice.index], choice.probability)


def best_threshold(
    bounded: Sequence[Sequence[BestAnswer]],
    most_wrong: float,
    scored: Sequence[Sequence[BestAnswer]],
) -> float:
    """The threshold with the best score among those at which at most a share of `most_wrong` is
    answered wrong in each group of `bounded`. The score: right less wrong, summed over the groups
    of `scored`."""
    tried = [round(0.02 * step, 2) for step in range(10, 48)]
    kept = [t for t in tried if all(share(group, t).wrong <= most_wrong for group in bounded)]

    def score(threshold: float) -> float:
        shares = [share(group, threshold) for group in scored]
        return sum(one.right - one.wrong for one in shares)

    return max(kept, key=score) if kept else tried[-1]


@dataclass(frozen=True, slots=True)
class Share:
    """Shares of questions: answered right, wrong, in a way the judge cannot score; `invalid`: the
    number of false premises that were found."""

    questions: int
    right: float
    wrong: float
    unscored: float
    invalid: int


def share(outcomes: Sequence[BestAnswer], threshold: float) -> Share:
    given = [o for o in outcomes if o.answer is not None and o.probability >= threshold]
    counts = Counter(o.verdict for o in given)
    total = max(1, len(outcomes))
    found = sum(o.answer == INVALID and o.verdict is Verdict.CORRECT for o in given)
    return Share(
        len(outcomes), counts[Verdict.CORRECT] / total, counts[Verdict.WRONG] / total,
        counts[Verdict.UNSCORED] / total, found,
    )  # fmt: skip


def oracle(examples: Sequence[RankedQuestion]) -> float:
    """The share of answerable questions with any right candidate."""
    able = [e for e in examples if e.answerable]
    return sum(Verdict.CORRECT in e.verdicts for e in able) / max(1, len(able))


def by_answerable(outcomes: Sequence[BestAnswer]) -> tuple[list[BestAnswer], list[BestAnswer]]:
    """The outcomes of answerable questions, and the others."""
    able = [o for o in outcomes if o.example.answerable]
    return able, [o for o in outcomes if not o.example.answerable]


def figures(outcomes: Sequence[BestAnswer], threshold: float) -> dict[str, float]:
    """Shares of questions: some candidate is right; the best is; and of what is said."""
    said, most = share(outcomes, threshold), share(outcomes, 0.0)
    return {
        "some right": oracle([outcome.example for outcome in outcomes]),
        "best right": most.right,
        "right": said.right,
        "wrong": said.wrong,
        "unscored": said.unscored,
    }


def figures_table(outcomes: Sequence[BestAnswer], threshold: float) -> Table:
    """Figures by domain, and of questions that cannot be answered."""
    groups: dict[str, list[BestAnswer]] = defaultdict(list)
    for outcome in outcomes:
        able = outcome.example.answerable
        groups["all" if able else "unanswerable"].append(outcome)
        if able:
            groups[outcome.example.domain].append(outcome)
    table = Table(title=f"threshold {threshold:.2f}; best: right whatever its probability")
    table.add_column("questions", no_wrap=True)
    for name in ("n", *figures([], 0.0), "false premises"):
        table.add_column(name)
    for name, some in sorted(groups.items()):
        shares = (f"{value:.1%}" for value in figures(some, threshold).values())
        table.add_row(name, str(len(some)), *shares, str(share(some, threshold).invalid))
    return table


def write_weights(out: Path, model: LogLinearModel, what: str, facts: Mapping[str, Any]) -> None:
    """Write `model` with a card of what it was made of."""
    card = {"what": what, "date": date.today().isoformat(), **facts}
    told = {"card": card, "model": asdict(model)}
    write_text(out, json.dumps(told, indent=1, sort_keys=True) + "\n")


def _folds(examples: Sequence[RankedQuestion], count: int, salt: str = "") -> Iterator[Split]:
    """The other folds' questions and each fold's own, by the hash of their wording."""
    digests = [hashlib.sha256(f"{salt}{e.cluster}".encode()).digest() for e in examples]
    places = [int.from_bytes(digest[:4], "big") % count for digest in digests]
    for fold in range(count):
        yield (
            [e for e, place in zip(examples, places, strict=True) if place != fold],
            [e for e, place in zip(examples, places, strict=True) if place == fold],
        )


def _fit_ranker(examples: Sequence[RankedQuestion]) -> dict[str, float]:
    """Weights that maximise the likelihood of right candidates among all of a question.

    Raises:
        InputError: no question has any.
    """
    kept = [e for e in examples if Verdict.CORRECT in e.verdicts]
    if not kept:
        raise InputError(
            f"none of {len(examples)} questions has a right candidate: give more questions"
        )
    flat = [
        (group, features, verdict is Verdict.CORRECT)
        for group, example in enumerate(kept)
        for (answer, features), verdict in zip(example.candidates, example.verdicts, strict=True)
        if answer is not None
    ]
    flat += [
        (group, features, False)
        for group, example in enumerate(kept)
        for features in example.ruled_out
    ]
    groups = np.array([group for group, _, _ in flat])
    right = np.array([good for _, _, good in flat])
    weight = _RANKER_RIDGE * len(kept) / 10

    def slope(margins: Floats) -> Floats:
        raised = np.exp(margins)
        among = raised / np.bincount(groups, raised, len(kept))[groups]
        good = np.maximum(np.bincount(groups, raised * right, len(kept)), 1e-9)[groups]
        return np.asarray(np.where(right, raised / good, 0.0) - among)

    def ridge(name: str) -> float:
        return weight * (2.0 if name.startswith(_FINE) else 0.5)

    return _fitted([features for _, features, _ in flat], slope, ridge)


def _fit_confidence(found: Sequence[tuple[Mapping[str, float], bool]]) -> dict[str, float]:
    """A logistic regression on whether the best answer is right."""
    right = np.array([float(good) for _, good in found])
    weight = _CONFIDENCE_RIDGE * len(found) / 10
    rows = [features for features, _ in found]
    return _fitted(rows, lambda margins: right - 1 / (1 + np.exp(-margins)), lambda name: weight)


def _fitted(
    rows: Sequence[Mapping[str, float]],
    slope: Callable[[Floats], Floats],
    ridge: Callable[[str], float],
) -> dict[str, float]:
    """The weights that Adam finds, without those near 0; that of a risk stays at 0 or below.

    Args:
        rows: features; those in few rows get no weight.
        slope: of the likelihood by the rows' margins.
        ridge: how much a feature's weight is drawn to its prior.
    """
    counts = Counter(name for row in rows for name in row)
    names = sorted(name for name, count in counts.items() if count >= _LEAST)
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    priors = tomllib.loads(RISKS.read_text(encoding="utf-8"))
    risks = np.array([priors.get(name.partition(":")[0], 0.0) for name in names])
    ridges = np.array([ridge(name) for name in names])
    w, mean, square = risks.copy(), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, _STEPS + 1):
        g = table.T @ slope(np.clip(table @ w, -30, 30)) - ridges * (w - risks)
        mean = 0.9 * mean + 0.1 * g
        square = 0.999 * square + 0.001 * g**2
        rate = _RATE * (1.0 if step < _FINE_STEPS else 0.3)
        w = w + rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        w = np.where(risks < 0, np.minimum(w, 0.0), w)
    return {name: round(float(x), 3) for name, x in zip(names, w, strict=True) if abs(x) >= 1e-3}
