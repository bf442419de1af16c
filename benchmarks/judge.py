"""How well the rules judge does: coverage, agreement, both kinds of error, leniency, speed.

It reads judged_pairs.jsonl, which has an LLM judge's verdicts, if it is there (docs/real_data.md);
`benchmarks/judge_labels.jsonl`, answers to CRAG's questions as LLMs write them, each labelled twice
(docs/evaluation.md); and the two sets of `benchmarks/judge_pairs.jsonl`, adversarial answers by
writers who had not seen the rules. Leniency is the share of predictions called correct when paired
with another question's answer of the same type. What the authors of the rules have read gives
training scores: of the labels, the set "read". The status is 1 where a target is missed.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import Data, command, existing, rows_of, show
from evaluation.dataset import Example, read_examples
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import judge_item
from evaluation.judge.text import tokenize
from evaluation.labels import wilson_interval
from utils.errors import InputError

JUDGED = "judged_pairs.jsonl"
# Those of CRAG that are there; `crag data build` makes the first and the last.
QUESTIONS = ("questions_validation.jsonl", "questions_more.jsonl", "questions_public_test.jsonl")
ADVERSARIAL = Path(__file__).with_name("judge_pairs.jsonl")
LABELLED = Path(__file__).with_name("judge_labels.jsonl")


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A prediction and whether it is correct: to an LLM judge, or as it was invented.

    Attributes:
        kind: the question's type, or of an adversarial answer how it deceives.
        group: the set of an adversarial answer, such as "judge_1".
    """

    item: Item
    correct: bool
    kind: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured share, and whether it meets its target."""

    name: str
    share: float
    target: str
    met: bool


# The number of pairs by whether they are correct and the rules' verdict.
VerdictCounts = Counter[tuple[bool, Verdict]]


def load(file: Path) -> list[JudgedPair]:
    """The pairs of `file`.

    Raises:
        InputError: the file is absent or malformed.
    """
    pairs: list[JudgedPair] = []
    for number, row in enumerate(rows_of(file), 1):
        try:
            golds = row["golds"] if "golds" in row else [str(row["ground_truth"])]
            item = Item(str(number), row["query"], tuple(golds), str(row["prediction"]))
            kind = row.get("kind") or row["question_type"]
            group = f"judge_{row['set']}" if "set" in row else ""
            pairs.append(JudgedPair(item, row["correct"], kind, group))
        except KeyError as error:
            raise InputError(f"{file}, line {number}: {error} is missing") from error
    return pairs


def load_labels(file: Path, questions: Sequence[Path]) -> list[JudgedPair]:
    """The labelled answers of `file`, whose ids are those of `questions`.

    Raises:
        InputError: a file is absent or malformed, or a question is in none of them.
    """
    examples: dict[str, Example] = {}
    for path in questions:
        for example in read_examples(path):
            examples.setdefault(example.id, example)
    pairs: list[JudgedPair] = []
    for row in rows_of(file):
        if row["id"] not in examples:
            raise InputError(f"{file}: no question {row['id']} in the data")
        example = examples[row["id"]]
        item = Item(example.id, example.query, example.golds, row["prediction"])
        kind = example.slices["question_type"]
        pairs.append(JudgedPair(item, row["verdict"] == Verdict.CORRECT, kind, row["set"]))
    return pairs


def mismatched(pairs: Sequence[JudgedPair]) -> Iterator[JudgedPair]:
    """Every prediction with the question and gold of every other pair of its type."""
    for pair in pairs:
        for other in pairs:
            if pair.kind != other.kind or pair.item.query == other.item.query:
                continue
            if tokenize(pair.item.golds[0]).words == tokenize(other.item.golds[0]).words:
                continue
            id = f"{pair.item.id}-{other.item.id}"
            item = Item(id, other.item.query, other.item.golds, pair.item.prediction)
            yield JudgedPair(item, False, pair.kind)


def count(pairs: Iterable[JudgedPair]) -> VerdictCounts:
    """The pairs by whether they are correct, and by the rules' verdict."""
    return Counter((pair.correct, judge_item(pair.item).verdict) for pair in pairs)


def share(counts: VerdictCounts, right: bool, verdict: Verdict) -> float:
    """The share of the right, or of the wrong, predictions that get `verdict`."""
    total = sum(counts[right, each] for each in Verdict)
    return counts[right, verdict] / max(1, total)


def coverage_and_agreement(counts: VerdictCounts) -> tuple[float, float]:
    """The share of pairs that get a verdict, and of these the share as the LLM judge has them."""
    scored = 0
    agreed = 0
    for (right, verdict), number in counts.items():
        if verdict is Verdict.UNSCORED:
            continue
        scored += number
        if agrees(right, verdict):
            agreed += number
    return scored / max(1, counts.total()), agreed / max(1, scored)


def agrees(right: bool, verdict: Verdict) -> bool:
    """Whether the rules agree with the LLM judge. Missing is not correct."""
    return right == (verdict is Verdict.CORRECT)


def agreement_figures(name: str, counts: VerdictCounts) -> list[Figure]:
    """Agreement and coverage, and both kinds of error, by targets."""
    coverage, agreement = coverage_and_agreement(counts)
    lenient = share(counts, False, Verdict.CORRECT)
    strict = share(counts, True, Verdict.WRONG) + share(counts, True, Verdict.MISSING)
    return [
        Figure(f"{name}: coverage", coverage, ">= 70%", coverage >= 0.70),
        Figure(f"{name}: agreement", agreement, ">= 98.5%", agreement >= 0.985),
        Figure(f"{name}: wrong called correct", lenient, "<= 1%", lenient <= 0.01),
        Figure(f"{name}: right called wrong", strict, "<= 1%", strict <= 0.01),
    ]


def _rows_of_sets(counts_by_set: Mapping[str, VerdictCounts]) -> Iterator[tuple[str, ...]]:
    """Per set: its figures, each with the Wilson interval of its share."""
    for name, counts in counts_by_set.items():
        right = sum(counts[True, verdict] for verdict in Verdict)
        wrong = counts.total() - right
        decided = counts.total() - counts[True, Verdict.UNSCORED] - counts[False, Verdict.UNSCORED]
        right_called_wrong = counts[True, Verdict.WRONG] + counts[True, Verdict.MISSING]
        wrong_called_correct = counts[False, Verdict.CORRECT]
        agreed = decided - right_called_wrong - wrong_called_correct
        yield (
            name,
            str(counts.total()),
            _with_interval(decided, counts.total()),
            _with_interval(agreed, decided),
            _with_interval(wrong_called_correct, wrong),
            _with_interval(right_called_wrong, right),
        )


def _with_interval(successes: int, total: int) -> str:
    low, high = wilson_interval(successes, total)
    return f"{successes / max(1, total):.1%} ({low:.1%} to {high:.1%})"


def verdicts_per_second(pairs: Sequence[JudgedPair]) -> float:
    """The speed of the rules."""
    start = time.perf_counter()
    count(pairs)
    return len(pairs) / (time.perf_counter() - start)


def _counts_by_group(pairs: Iterable[JudgedPair]) -> dict[str, VerdictCounts]:
    groups: dict[str, list[JudgedPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.group].append(pair)
    return {group: count(groups[group]) for group in sorted(groups)}


def _show_disagreements(pairs: Sequence[JudgedPair]) -> None:
    for pair in pairs:
        item = pair.item
        judgement = judge_item(item)
        if judgement.verdict is Verdict.UNSCORED or agrees(pair.correct, judgement.verdict):
            continue
        print(f"{item.id}: {item.query}\n  gold: {item.golds[0]}\n  prediction: {item.prediction}")
        true_verdict = "correct" if pair.correct else "not correct"
        print(f"  right verdict: {true_verdict}; rules: {judgement.verdict}, {judgement.reason}")


@command
def main(
    data: Data,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="write the figures here too")
    ] = None,
    disagreements: Annotated[bool, typer.Option("--show", help="list the disagreements")] = False,
) -> int:
    existing(data / QUESTIONS[0])
    files = [data / name for name in QUESTIONS if (data / name).is_file()]
    labelled = load_labels(LABELLED, files)
    adversarial = _counts_by_group(load(ADVERSARIAL))
    pairs = load(data / JUDGED) if (data / JUDGED).is_file() else []
    figures = agreement_figures("labels", count(labelled))
    if pairs:
        coverage, agreement = coverage_and_agreement(count(pairs))
        leniency = share(count(mismatched(pairs)), False, Verdict.CORRECT)
        figures += [
            Figure("coverage", coverage, ">= 75%", coverage >= 0.75),
            Figure("agreement", agreement, ">= 98.5%", agreement >= 0.985),
            Figure("leniency", leniency, "<= 0.2%", leniency <= 0.002),
        ]
    for group, counts in adversarial.items():
        fooled = share(counts, False, Verdict.CORRECT)
        name = f"{group}: wrong called correct"
        figures.append(Figure(name, fooled, "<= 1.5%", fooled <= 0.015))
        strict = share(counts, True, Verdict.WRONG) + share(counts, True, Verdict.MISSING)
        figures.append(Figure(f"{group}: right called wrong", strict, "<= 1%", strict <= 0.01))
    show(
        f"Rules judge: {len(labelled)} labels, {len(pairs)} pairs with an LLM judge's verdict; "
        f"{verdicts_per_second(labelled):,.0f} verdicts/s",
        ("figure", "value", "target"),
        [(figure.name, f"{figure.share:.2%}", figure.target) for figure in figures],
    )
    sets = {**_counts_by_group(labelled), **adversarial}
    if pairs:
        sets[JUDGED] = count(pairs)
    show(
        "Each set, with 95% intervals",
        ("set", "answers", "decided", "agreement", "wrong called correct", "right called wrong"),
        _rows_of_sets(sets),
    )
    if disagreements:
        _show_disagreements([*pairs, *labelled])
    if json_file:
        shares = {figure.name: figure.share for figure in figures}
        json_file.write_text(json.dumps(shares, indent=2) + "\n", encoding="utf-8")
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
