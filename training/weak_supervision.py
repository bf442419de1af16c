"""A ranker of candidate answers and its confidence, fitted by weak supervision.

The semantic parser and the offline reader share it. Only questions and answers are annotated:
candidates that the judge calls right are positives, the question's others are negatives (Pasupat
and Liang 2015). The ranker maximises the likelihood of positives among a question's candidates. The
confidence is a logistic regression on how rankings turn out on questions that their ranker has not
seen.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import write_text
from models.ranking.features import declared_feature
from models.ranking.log_linear import AnswerWithFeatures, LogLinearModel, best, choose, score
from models.records import INVALID
from training.fitting.folds import FOLDS, folds_of
from training.fitting.threshold import AnswerGroup, Bound, best_threshold, worths_of
from training.fitting.weights import Loss, Prior, confidence_loss, fit_weights, ranking_loss
from utils.errors import InputError
from utils.packages import training_package

_INNER_FOLDS = 5
_RANKER_RIDGE = 0.0002  # per question
_CONFIDENCE_RIDGE = 0.0003  # per answer
_CALIBRATION_RIDGE = 1.0  # in all
_BIAS = "bias"  # the feature that is always 1
_FINE_RIDGE = 2.0  # times the ranker's ridge
_COARSE_RIDGE = 0.5
_LEAST_ROWS = 3  # that a feature must be in
_LEAST_WEIGHT = 1e-3  # smaller weights are left out

FeatureRow = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """One question's candidates: an answer, features and a verdict each.

    Attributes:
        cluster: questions of one wording have the same; they stay in one fold.
        domain: the group in figures.
        answerable: whether the KG (or the pages) can hold the answer.
        ruled_out: features of candidates that are never given: they are negatives for the ranker.
        weight: how often it counts in the fit.
        calibrates: whether the confidence is calibrated on it: a question as they are really asked.
        source: where it comes from, for whoever measures sources apart.
    """

    id: str
    cluster: str
    domain: str
    answerable: bool
    candidates: tuple[AnswerWithFeatures, ...]
    verdicts: tuple[Verdict, ...]
    ruled_out: tuple[FeatureRow, ...] = ()
    weight: float = 1.0
    calibrates: bool = True
    source: str = ""


@dataclass(frozen=True, slots=True)
class BestAnswer:
    """A model's best answer to a question; None where it has no candidate."""

    question: RankedQuestion
    answer: str | None
    verdict: Verdict
    probability: float


@dataclass(frozen=True, slots=True)
class _FoldSplit:
    """The questions of one fold, and those of the other folds."""

    others: list[RankedQuestion]
    held_out: list[RankedQuestion]


@dataclass(frozen=True, slots=True)
class _RankedAnswer:
    """The best answer to a question by a ranker that has not seen it."""

    question: RankedQuestion
    features: FeatureRow
    right: bool


def fit(questions: Sequence[RankedQuestion], threshold: float = 0.5) -> LogLinearModel:
    """The ranker and its confidence; the confidence is fitted on rankings of held-out questions.

    Raises:
        InputError: there are too few questions, or none has a right candidate.
        MissingPackageError: scikit-learn is not installed.
    """
    answers: list[_RankedAnswer] = []
    for fold in _folds(questions, _INNER_FOLDS, salt="inner"):
        ranker = _fit_ranker(fold.others)
        for question in fold.held_out:
            choice = best(question.candidates, ranker)
            if choice is not None:
                is_right = question.verdicts[choice.index] is Verdict.CORRECT
                answers.append(_RankedAnswer(question, choice.features, is_right))
    confidence = _fit_confidence(answers)
    calibrating = [answer for answer in answers if answer.question.calibrates]
    confidence = _calibrated(confidence, calibrating)
    return LogLinearModel(_fit_ranker(questions), confidence, threshold)


def cross_validate(questions: Sequence[RankedQuestion], folds: int = FOLDS) -> list[BestAnswer]:
    """The best answer to each question, in their order, by a model of the other folds.

    Raises:
        InputError: there are too few questions, or none has a right candidate.
        MissingPackageError: scikit-learn is not installed.
    """
    models = [fit(fold.others) for fold in _folds(questions, folds)]
    numbers = folds_of([question.cluster for question in questions], folds)
    return [
        best_answer(question, models[number])
        for question, number in zip(questions, numbers, strict=True)
    ]


def best_answer(question: RankedQuestion, model: LogLinearModel) -> BestAnswer:
    """The best answer of `model` to a question, at any probability."""
    choice = choose(question.candidates, model)
    if choice is None:
        return BestAnswer(question, None, Verdict.MISSING, 0.0)
    verdict = question.verdicts[choice.index]
    return BestAnswer(question, choice.answer, verdict, choice.probability)


def answer_group(outcomes: Sequence[BestAnswer]) -> AnswerGroup:
    """The outcomes as `best_threshold` reads them."""
    chances = np.array([outcome.probability for outcome in outcomes], dtype=np.float64)
    return AnswerGroup(chances, worths_of(outcome.verdict for outcome in outcomes))


@dataclass(frozen=True, slots=True)
class WrongBounds:
    """The highest shares of wrong answers that a threshold may let through."""

    answerable: float
    unanswerable: float


def bounded_threshold(outcomes: Sequence[BestAnswer], most_wrong: WrongBounds) -> float:
    """The threshold with the best score over answerable questions and others, within the bounds."""
    answerable, unanswerable = by_answerable(outcomes)
    groups = [answer_group(answerable), answer_group(unanswerable)]
    shares = [most_wrong.answerable, most_wrong.unanswerable]
    return best_threshold(groups, list(map(Bound, groups, shares)))


@dataclass(frozen=True, slots=True)
class AnswerShares:
    """What became of questions at one threshold.

    Attributes:
        right: the share of all questions that is answered rightly.
        wrong: the share that is answered wrongly.
        unscored: the share that is answered in a way that the judge cannot score.
        invalid: the number of false premises that are recognised.
    """

    questions: int
    right: float
    wrong: float
    unscored: float
    invalid: int


def answer_shares(outcomes: Sequence[BestAnswer], threshold: float) -> AnswerShares:
    """What becomes of the questions if answers need a probability of `threshold`."""
    verdicts: Counter[Verdict] = Counter()
    invalid = 0
    for outcome in outcomes:
        if outcome.answer is None or outcome.probability < threshold:
            continue
        verdicts[outcome.verdict] += 1
        if outcome.answer == INVALID and outcome.verdict is Verdict.CORRECT:
            invalid += 1
    total = max(1, len(outcomes))
    return AnswerShares(
        questions=len(outcomes),
        right=verdicts[Verdict.CORRECT] / total,
        wrong=verdicts[Verdict.WRONG] / total,
        unscored=verdicts[Verdict.UNSCORED] / total,
        invalid=invalid,
    )


def oracle(questions: Sequence[RankedQuestion]) -> float:
    """The share of answerable questions with any right candidate."""
    answerable = [question for question in questions if question.answerable]
    solvable = [question for question in answerable if Verdict.CORRECT in question.verdicts]
    return len(solvable) / max(1, len(answerable))


def by_answerable(outcomes: Sequence[BestAnswer]) -> tuple[list[BestAnswer], list[BestAnswer]]:
    """The outcomes of answerable questions, and the others."""
    answerable = [outcome for outcome in outcomes if outcome.question.answerable]
    others = [outcome for outcome in outcomes if not outcome.question.answerable]
    return answerable, others


def figures(outcomes: Sequence[BestAnswer], threshold: float) -> dict[str, float]:
    """Shares of questions: some candidate is right; the best one is; and what is then answered."""
    at_threshold = answer_shares(outcomes, threshold)
    return {
        "some right": oracle([outcome.question for outcome in outcomes]),
        "best right": answer_shares(outcomes, 0.0).right,
        "right": at_threshold.right,
        "wrong": at_threshold.wrong,
        "unscored": at_threshold.unscored,
    }


def figures_table(outcomes: Sequence[BestAnswer], threshold: float) -> Table:
    """Figures by domain, and of questions that cannot be answered."""
    groups: dict[str, list[BestAnswer]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.question.answerable:
            groups["all"].append(outcome)
            groups[outcome.question.domain].append(outcome)
        else:
            groups["unanswerable"].append(outcome)
    table = Table(title=f"threshold {threshold:.2f}; best: right whatever its probability")
    table.add_column("questions", no_wrap=True)
    for name in ("n", *figures([], 0.0), "false premises"):
        table.add_column(name)
    for name, group in sorted(groups.items()):
        shares = [f"{value:.1%}" for value in figures(group, threshold).values()]
        false_premises = answer_shares(group, threshold).invalid
        table.add_row(name, str(len(group)), *shares, str(false_premises))
    return table


def write_weights(out: Path, model: LogLinearModel, what: str, facts: Mapping[str, Any]) -> None:
    """Write `model` with a card that says what it was made of."""
    card = {"what": what, "date": date.today().isoformat(), **facts}
    content = {"card": card, "model": asdict(model)}
    write_text(out, json.dumps(content, indent=1, sort_keys=True) + "\n")


def _folds(questions: Sequence[RankedQuestion], count: int, salt: str = "") -> Iterator[_FoldSplit]:
    folds = folds_of([question.cluster for question in questions], count, salt)
    for number in range(count):
        fold = _FoldSplit([], [])
        for question, its_fold in zip(questions, folds, strict=True):
            part = fold.held_out if its_fold == number else fold.others
            part.append(question)
        yield fold


def _fit_ranker(questions: Sequence[RankedQuestion]) -> dict[str, float]:
    """Weights that maximise the likelihood of right candidates among all of a question.

    Raises:
        InputError: no question has any.
    """
    features: list[FeatureRow] = []
    right: list[bool] = []
    places: list[int] = []
    weights: list[float] = []  # of the questions
    for question in questions:
        if Verdict.CORRECT not in question.verdicts:
            continue
        for (answer, row), verdict in zip(question.candidates, question.verdicts, strict=True):
            if answer is not None:
                features.append(row)
                right.append(verdict is Verdict.CORRECT)
        features += question.ruled_out
        right += [False] * len(question.ruled_out)
        places += [len(weights)] * (len(features) - len(places))
        weights.append(question.weight)
    if not weights:
        raise InputError(
            f"none of {len(questions)} questions has a right candidate: give more questions"
        )
    ridge = _RANKER_RIDGE * sum(weights)
    names, table = _feature_table(features)
    priors = [_prior(name, ridge * _ridge_factor(name)) for name in names]
    loss = ranking_loss(places, np.array(right), np.array(weights))
    return _rounded_weights(names, table, loss, priors)


def _fit_confidence(answers: Sequence[_RankedAnswer]) -> dict[str, float]:
    """A logistic regression on whether the best answer is right."""
    weights = np.array([answer.question.weight for answer in answers])
    right = np.array([answer.right for answer in answers])
    ridge = _CONFIDENCE_RIDGE * float(weights.sum())
    names, table = _feature_table([answer.features for answer in answers])
    priors = [_prior(name, ridge) for name in names]
    return _rounded_weights(names, table, confidence_loss(right, weights), priors)


def _calibrated(
    confidence: Mapping[str, float], answers: Sequence[_RankedAnswer]
) -> dict[str, float]:
    """The confidence with its logits scaled and shifted, so that its probabilities fit `answers`
    (Platt 1999)."""
    logits = np.array([score(answer.features, confidence) for answer in answers])
    right = np.array([answer.right for answer in answers])
    if len(set(right.tolist())) < 2:
        return dict(confidence)
    rows = np.column_stack([logits, np.ones(len(logits))])
    priors = [Prior(_CALIBRATION_RIDGE, value=1.0), Prior(_CALIBRATION_RIDGE)]
    scale, shift = fit_weights(rows, confidence_loss(right), priors).tolist()
    calibrated = {name: round(weight * scale, 3) for name, weight in confidence.items()}
    calibrated[_BIAS] = round(calibrated.get(_BIAS, 0.0) + shift, 3)
    return calibrated


def _feature_table(rows: Sequence[FeatureRow]) -> tuple[list[str], Any]:
    """The names of the features that are in enough rows, and their values as a sparse matrix:
    float64[rows, features]."""
    vectorizer = training_package("sklearn.feature_extraction").DictVectorizer()
    table = vectorizer.fit_transform(rows)
    frequent = np.flatnonzero(table.getnnz(axis=0) >= _LEAST_ROWS)
    names = vectorizer.get_feature_names_out()[frequent]
    return names.tolist(), table[:, frequent]


def _prior(feature: str, ridge: float) -> Prior:
    """That of a feature's weight; the weight of a risk stays at 0 or below."""
    declared = declared_feature(feature)
    if declared is None or declared.risk is None:
        return Prior(ridge)
    return Prior(ridge, value=declared.risk, highest=0.0)


def _ridge_factor(feature: str) -> float:
    """Times the ranker's ridge."""
    declared = declared_feature(feature)
    return _FINE_RIDGE if declared is not None and declared.fine else _COARSE_RIDGE


def _rounded_weights(
    names: Sequence[str], table: Any, loss: Loss, priors: Sequence[Prior]
) -> dict[str, float]:
    """The fitted weights by feature, without those near 0."""
    weights = fit_weights(table, loss, priors)
    return {
        name: round(weight, 3)
        for name, weight in zip(names, weights.tolist(), strict=True)
        if abs(weight) >= _LEAST_WEIGHT
    }
