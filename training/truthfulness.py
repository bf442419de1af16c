"""How truthful answers are: right, wrong and missing ones, by what their contexts hold.

CRAG's score is accuracy - hallucination. `at_threshold` is the score where answers below a
confidence become "i don't know": what a model could earn if it knew when not to answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from evaluation.judge.protocol import Item, Judge, Verdict, raise_if_all_failed
from evaluation.score import RESAMPLES, SEED, Interval
from models.llm.confidence import sequence_confidence
from models.llm.protocol import LLM, Completion, FinishReason, Prompt
from models.records import Source
from models.subtasks.answers import answer_of
from models.systems.dragonrangers.paths import PATH_TOKENS, read_path, vote
from training.engines import generate
from training.fitting.folds import FOLDS, folds_of
from training.fitting.threshold import AnswerGroup, Worths, best_threshold, worths_of
from training.fitting.weights import Vector
from training.records import Sample, check_can_be_judged
from utils.packages import training_package
from utils.tokens import MAX_ANSWER_TOKENS

# The shares of all answers by their verdicts, with CRAG's names for them.
SHARES = {
    "accuracy": Verdict.CORRECT,
    "hallucination": Verdict.WRONG,
    "missing": Verdict.MISSING,
    "unscored": Verdict.UNSCORED,  # the judge cannot decide
}
Shares = dict[str, float]
_COLOURS = {
    "accuracy": "#4c9f70",
    "missing": "#d9d9d9",
    "unscored": "#b0b7c3",
    "hallucination": "#c8553d",
}


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """What a model answered to a sample, and the verdict.

    Attributes:
        context: what the sample's context is to its question.
        answer: as the system reads it.
        likely: the geometric mean of its tokens' probabilities; None: the engine gives none.
        endless: it did not end by itself.
    """

    id: str
    context: str
    question: str
    answer: str
    verdict: Verdict
    likely: float | None
    endless: bool = False


@dataclass(frozen=True, slots=True)
class Truthfulness:
    """The figures of answers. Shares are of all of them.

    Intervals are 95%, by bootstrap over questions: one question has several contexts.

    Attributes:
        shares: by the names of `SHARES`.
        score: accuracy - hallucination.
        at_threshold: the same where answers below a confidence are not given; the confidence is
            chosen on other questions. None: there are too few, or no confidences.
        gain_ci95: of the score over that of the reference; None for the reference itself.
        endless: how many answers did not end by themselves.
        by_context: the shares for each kind of context, and the number of its `items`.
    """

    items: int
    shares: Shares
    score: float
    score_ci95: Interval
    at_threshold: float | None
    gain_ci95: Interval | None
    endless: int
    by_context: Mapping[str, Shares]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures of several models on the same samples.

    Attributes:
        reference: the model whose score gains are over.
        figures: by model.
    """

    reference: str
    figures: Mapping[str, Truthfulness]

    def as_json(self) -> dict[str, Any]:
        """As it is written beside an adapter."""
        rows = {label: asdict(row) for label, row in self.figures.items()}
        return {"gains_over": self.reference, "figures": rows}

    def tables(self) -> list[Table]:
        """For a terminal."""
        return [
            figures_table(self.figures),
            certainty_table(self.figures, self.reference),
            contexts_table(self.figures),
        ]


def compare(
    llm: LLM,
    models: Mapping[str, str | None],
    subtask: str,
    samples: Sequence[Sample],
    judge: Judge,
) -> Comparison:
    """The figures of models: adapters of the engine, by label; None is the base.

    Gains are over the first adapter where there are several, else over the first model.

    Raises:
        InputError: there are no samples, or one cannot be judged.
        JudgeError: the judge gave no verdict on any of them.
    """
    answers = {
        label: answer_samples(llm, adapter, subtask, samples, judge)
        for label, adapter in models.items()
    }
    adapters = [label for label, adapter in models.items() if adapter is not None]
    reference = adapters[0] if len(adapters) > 1 else next(iter(answers))
    figures = {}
    for label, rows in answers.items():
        figures[label] = measure(rows, None if label == reference else answers[reference])
    return Comparison(reference, figures)


def answer_samples(
    llm: LLM, adapter: str | None, subtask: str, samples: Sequence[Sample], judge: Judge
) -> list[JudgedAnswer]:
    """The samples as an adapter (None: the base) answers them, in order.

    The number of tokens, and how an answer is read, are the system's; of reasoning paths there is
    one, and it is greedy.

    Raises:
        InputError: there are no samples, or one cannot be judged.
        JudgeError: the judge gave no verdict on any of them.
    """
    check_can_be_judged(samples)
    reasons = subtask == "answer_alone"
    tokens = PATH_TOKENS if reasons else MAX_ANSWER_TOKENS
    prompts = [
        Prompt(sample.messages, adapter, max_tokens=tokens, logprobs=True) for sample in samples
    ]
    completions = generate(llm, prompts, adapter or "base")
    items = []
    for sample, completion in zip(samples, completions, strict=True):
        answer = _path_answer(completion) if reasons else answer_of(completion, Source.WEB).text
        items.append(Item(sample.id, sample.question, sample.golds, answer))
    judgements = judge.judge(items)
    raise_if_all_failed(judge, judgements)
    rows = zip(samples, items, judgements, completions, strict=True)
    return [
        JudgedAnswer(
            id=sample.id,
            context=sample.note,
            question=sample.question,
            answer=item.prediction,
            verdict=judgement.verdict,
            likely=sequence_confidence(completion),
            endless=completion.finish_reason is not FinishReason.STOP,
        )
        for sample, item, judgement, completion in rows
    ]


def _path_answer(completion: Completion) -> str:
    path = read_path(completion.text) if completion.finished else None
    answer, _ = vote([path])
    return answer.text


def measure(
    answers: Sequence[JudgedAnswer], reference: Sequence[JudgedAnswer] | None = None
) -> Truthfulness:
    """The figures of answers; `reference`: those of the model to compare with, to the same
    samples."""
    questions = [answer.question for answer in answers]
    worths = worths_of(answer.verdict for answer in answers)
    gain = None
    if reference is not None:
        gains = worths - worths_of(answer.verdict for answer in reference)
        gain = _interval_over(questions, gains)
    by_context = {}
    for context in dict.fromkeys(answer.context for answer in answers):  # a set in order
        members = [answer for answer in answers if answer.context == context]
        by_context[context] = {"items": len(members), **shares_of(members)}
    return Truthfulness(
        items=len(answers),
        shares=shares_of(answers),
        score=float(worths.sum()) / max(1, len(answers)),
        score_ci95=_interval_over(questions, worths),
        at_threshold=_score_at_threshold(answers),
        gain_ci95=gain,
        endless=sum(answer.endless for answer in answers),
        by_context=by_context,
    )


def shares_of(answers: Sequence[JudgedAnswer]) -> Shares:
    """The shares of all answers, by the names of `SHARES`."""
    counts = Counter(answer.verdict for answer in answers)
    return {name: counts[verdict] / max(1, len(answers)) for name, verdict in SHARES.items()}


def _interval_over(questions: Sequence[str], values: Worths) -> Interval:
    """The 95% interval of the mean of values, by bootstrap over their questions."""
    if not questions:
        return 0.0, 0.0
    names = {name: number for number, name in enumerate(dict.fromkeys(questions))}
    places = [names[question] for question in questions]
    sums = np.bincount(places, weights=values, minlength=len(names))
    sizes = np.bincount(places, minlength=len(names))
    generator = np.random.default_rng(SEED)
    times = generator.multinomial(len(names), [1 / len(names)] * len(names), RESAMPLES)
    low, high = np.percentile(times @ sums / (times @ sizes), [2.5, 97.5])
    return float(low), float(high)


def _score_at_threshold(answers: Sequence[JudgedAnswer]) -> float | None:
    """The score where answers must exceed the confidence that scores best on the other folds."""
    questions = [answer.question for answer in answers]
    if len(set(questions)) < FOLDS or any(answer.likely is None for answer in answers):
        return None
    folds = folds_of(questions, FOLDS)
    worths = worths_of(answer.verdict for answer in answers)
    likely = np.array([answer.likely for answer in answers], dtype=np.float64)
    chances: Vector = np.where(worths == 0, 0.0, likely)  # those without worth are not given
    earned = 0
    for fold in range(FOLDS):
        held_out = folds == fold
        threshold = best_threshold([AnswerGroup(chances[~held_out], worths[~held_out])])
        earned += int(worths[held_out & (chances > threshold)].sum())
    return earned / len(answers)


def figures_table(figures: Mapping[str, Truthfulness]) -> Table:
    """The shares and the score of each model, a row each."""
    table = Table("model", "items", *SHARES, "score")
    for name, row in figures.items():
        shares = (f"{row.shares[share]:.1%}" for share in SHARES)
        table.add_row(name, str(row.items), *shares, f"{row.score:.1%}")
    return table


def certainty_table(figures: Mapping[str, Truthfulness], reference: str) -> Table:
    """How sure the score of each model is, its gain over the model `reference`, and what the score
    would be at the best threshold."""
    gain_title = f"gain over {Path(reference).name}, 95%"
    table = Table("model", "score, 95%", gain_title, "at threshold", "endless")
    for name, row in figures.items():
        at_threshold = "" if row.at_threshold is None else f"{row.at_threshold:.1%}"
        gain = "" if row.gain_ci95 is None else _range(row.gain_ci95)
        table.add_row(name, _range(row.score_ci95), gain, at_threshold, str(row.endless))
    return table


def _range(interval: Interval) -> str:
    low, high = interval
    return f"{low:+.1%} to {high:+.1%}"


def contexts_table(figures: Mapping[str, Truthfulness]) -> Table:
    """Accuracy / hallucination / missing / unscored in percent, by context and model."""
    table = Table("context", "items", *figures, title=f"{' / '.join(SHARES)}, in percent")
    first = next(iter(figures.values()))
    for context, counted in first.by_context.items():
        cells = [
            " / ".join(f"{100 * row.by_context[context][share]:.0f}" for share in SHARES)
            for row in figures.values()
        ]
        table.add_row(context, str(int(counted["items"])), *cells)
    return table


def plot_ladder(file: Path, figures: Mapping[str, Truthfulness]) -> None:
    """Draw the shares of each model as one bar, and its score with its interval, as SVG.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    figure = training_package("matplotlib.figure").Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot(title="Answers of each step", ylabel="share of the items")
    names = list(figures)
    bottom = np.zeros(len(names))
    for share, colour in _COLOURS.items():
        heights = np.array([row.shares[share] for row in figures.values()])
        axes.bar(names, heights, 0.6, bottom, label=share, color=colour)
        bottom += heights
    scores = [row.score for row in figures.values()]
    errors = [
        [row.score - row.score_ci95[0] for row in figures.values()],
        [row.score_ci95[1] - row.score for row in figures.values()],
    ]
    axes.errorbar(names, scores, errors, fmt="ko", capsize=4, label="score, 95%")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.tick_params("x", labelrotation=20)  # paths of folders may be long
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    with training_package("matplotlib").rc_context({"svg.hashsalt": "ladder"}):
        figure.savefig(file, metadata={"Date": None})
