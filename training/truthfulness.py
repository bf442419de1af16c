"""How truthful answers are: right, wrong and missing ones, by what their contexts hold.

CRAG's score is accuracy - hallucination. `at_threshold` is the score where answers below a
confidence become "i don't know": what a model could earn if it knew when not to answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from evaluation.judge.protocol import Item, Judge, Verdict, raise_if_all_failed
from evaluation.score import WORTH, Interval, mean_interval
from models.llm.confidence import sequence_confidence
from models.llm.protocol import LLM, Completion, Prompt
from models.records import Source
from models.subtasks.answers import answer_of
from models.systems.dragonrangers.paths import read_path, vote
from models.systems.dragonrangers.system import DragonrangersOptions
from training.engines import generate
from training.fitting.folds import FOLDS, folds_of
from training.fitting.threshold import AnswerGroup, best_threshold, worths_of
from training.fitting.weights import Vector
from training.packages import package
from training.records import Sample
from utils.tokens import MAX_ANSWER_TOKENS

SHARES = {
    "accuracy": Verdict.CORRECT,
    "hallucination": Verdict.WRONG,
    "missing": Verdict.MISSING,
}
Shares = dict[str, float]


@dataclass(frozen=True, slots=True)
class Answered:
    """A sample's question, as a model answered it.

    Attributes:
        context: what the sample's context is to its question.
        answer: as the system reads it.
        chance: the geometric mean of its tokens' probabilities; 0 where the engine gives none.
        cut_off: the model did not finish.
    """

    id: str
    context: str
    question: str
    answer: str
    verdict: Verdict
    chance: float
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Truthfulness:
    """The figures of answers. Shares are of all of them; intervals are 95%, by bootstrap.

    Attributes:
        score: accuracy - hallucination.
        at_threshold: the same where answers below a confidence are not given; the confidence is
            chosen on other questions.
        gain_ci95: of the score over that of the first model measured; None for the first.
        cut_off: the number of completions that are not finished.
        by_context: the three shares of the samples with each kind of context, and their number.
    """

    items: int
    accuracy: float
    hallucination: float
    missing: float
    unscored: int
    score: float
    score_ci95: Interval
    at_threshold: float
    gain_ci95: Interval | None
    cut_off: int
    by_context: Mapping[str, Shares]


def answer_samples(
    llm: LLM, adapter: str | None, subtask: str, samples: Sequence[Sample], judge: Judge
) -> list[Answered]:
    """The samples as an adapter (None: the base) answers them, in order.

    The number of tokens, and how an answer is read, are the system's; of reasoning paths there is
    one, and it is greedy.

    Raises:
        JudgeError: the judge gave no verdict on any of them.
    """
    reasons = subtask == "answer_alone"
    tokens = DragonrangersOptions().path_tokens if reasons else MAX_ANSWER_TOKENS
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
    return [
        Answered(
            id=sample.id,
            context=sample.note,
            question=sample.question,
            answer=item.prediction,
            verdict=judgement.verdict,
            chance=sequence_confidence(completion) or 0.0,
            cut_off=not completion.finished,
        )
        for sample, item, judgement, completion in zip(
            samples, items, judgements, completions, strict=True
        )
    ]


def _path_answer(completion: Completion) -> str:
    path = read_path(completion.text) if completion.finished else None
    answer, _ = vote([path])
    return answer.text


def measure(answered: Sequence[Answered], first: Sequence[Answered] | None = None) -> Truthfulness:
    """The figures of answers; `first`: the same samples as the first model answered them."""
    worths = worths_of(each.verdict for each in answered)
    gain = None
    if first is not None:
        gains = worths - worths_of(each.verdict for each in first)
        gain = mean_interval(Counter(gains.tolist()))
    shares = shares_of(answered)
    contexts = dict.fromkeys(each.context for each in answered)  # a set in order
    by_context = {}
    for context in contexts:
        members = [each for each in answered if each.context == context]
        by_context[context] = {"items": len(members), **shares_of(members)}
    return Truthfulness(
        items=len(answered),
        **shares,
        unscored=sum(each.verdict is Verdict.UNSCORED for each in answered),
        score=float(worths.mean()) if answered else 0.0,
        score_ci95=mean_interval(Counter(worths.tolist())),
        at_threshold=_score_at_threshold(answered),
        gain_ci95=gain,
        cut_off=sum(each.cut_off for each in answered),
        by_context=by_context,
    )


def shares_of(answered: Sequence[Answered]) -> Shares:
    """The three shares by name."""
    counts = Counter(each.verdict for each in answered)
    return {name: counts[verdict] / max(1, len(answered)) for name, verdict in SHARES.items()}


def _score_at_threshold(answered: Sequence[Answered]) -> float:
    """The score where answers must exceed the confidence that scores best on the other folds."""
    questions = [each.question for each in answered]
    if len(set(questions)) < FOLDS:
        return 0.0
    folds = folds_of(questions, FOLDS)
    chances: Vector = np.array(
        [each.chance if WORTH[each.verdict] else 0.0 for each in answered], dtype=np.float64
    )
    worths = worths_of(each.verdict for each in answered)
    earned = 0
    for fold in range(FOLDS):
        held_out = folds == fold
        threshold = best_threshold([AnswerGroup(chances[~held_out], worths[~held_out])])
        earned += int(worths[held_out & (chances > threshold)].sum())
    return earned / len(answered)


def figures_table(figures: Mapping[str, Truthfulness]) -> Table:
    """Models, a row each."""
    table = Table("model", "items", *SHARES, "score", "95%", "at threshold", "gain, 95%", "cut off")
    for name, row in figures.items():
        gain = f"{row.gain_ci95[0]:+.1%} to {row.gain_ci95[1]:+.1%}" if row.gain_ci95 else ""
        table.add_row(
            name,
            str(row.items),
            *(f"{getattr(row, share):.1%}" for share in SHARES),
            f"{row.score:.1%}",
            f"{row.score_ci95[0]:.1%} to {row.score_ci95[1]:.1%}",
            f"{row.at_threshold:.1%}",
            gain,
            str(row.cut_off),
        )
    return table


def contexts_table(figures: Mapping[str, Truthfulness]) -> Table:
    """Accuracy / hallucination / missing in percent, by context (rows) and model (columns)."""
    table = Table("context", "items", *figures)
    first = next(iter(figures.values()))
    for context, counted in first.by_context.items():
        cells = [
            " / ".join(f"{100 * row.by_context[context][share]:.0f}" for share in SHARES)
            for row in figures.values()
        ]
        table.add_row(context, str(int(counted["items"])), *cells)
    return table


def plot_ladder(file: Path, figures: Mapping[str, Truthfulness]) -> None:
    """Draw the three shares of each model as one bar, and its score with its interval, as SVG.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    figure = package("matplotlib.figure").Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot(title="Answers of each step", ylabel="share of the items")
    names = list(figures)
    bottom = np.zeros(len(names))
    colours = {"accuracy": "#4c9f70", "missing": "#d9d9d9", "hallucination": "#c8553d"}
    for share, colour in colours.items():
        heights = np.array([getattr(row, share) for row in figures.values()])
        axes.bar(names, heights, 0.6, bottom, label=share, color=colour)
        bottom += heights
    scores = [row.score for row in figures.values()]
    errors = [
        [row.score - row.score_ci95[0] for row in figures.values()],
        [row.score_ci95[1] - row.score for row in figures.values()],
    ]
    axes.errorbar(names, scores, errors, fmt="ko", capsize=4, label="score, 95%")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    with package("matplotlib").rc_context({"svg.hashsalt": "ladder"}):
        figure.savefig(file, metadata={"Date": None})
