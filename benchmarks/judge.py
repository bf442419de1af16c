"""How well the rules judge does against an LLM judge: coverage, agreement, leniency.

It reads judged_pairs.jsonl. Leniency is the share of predictions called correct when paired with
another question's answer of the same type. Near misses are invented predictions that contain the
gold and are wrong, and right ones in other words. The authors of the rules have read all of them:
their figures are training scores. Blind sets (benchmarks/blind/judge_*.jsonl) were written by
people who had not seen the rules; docs/LOG.md says which were read since. The status is 1 where a
target is missed.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated
from zlib import crc32

import typer
from rich.console import Console

from benchmarks._command import CRAG_DATA, ROOT, Data, Json, main_of, rows_of, show, write
from evaluation.judge.normalize import read
from evaluation.judge.protocol import Item, Judge, Judgement, Verdict
from evaluation.judge.rules import RulesJudge
from utils.errors import InputError

BLIND = ROOT / "benchmarks" / "blind"
NEAR_MISSES = ROOT / "tests" / "evaluation" / "judge" / "near_misses.jsonl"


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A prediction and whether it is correct: to an LLM judge, or as it was invented.

    `kind` is the question's type, or that of a near miss.
    """

    item: Item
    correct: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of pairs: all, with a verdict, and with the LLM judge's verdict."""

    pairs: int
    given: int
    agreed: int

    @property
    def coverage(self) -> float:
        return self.given / self.pairs if self.pairs else 0.0

    @property
    def agreement(self) -> float:
        return self.agreed / self.given if self.given else 0.0


@dataclass(frozen=True, slots=True)
class Called:
    """Counts of predictions: all, and called correct."""

    pairs: int
    correct: int

    @property
    def share(self) -> float:
        return self.correct / self.pairs if self.pairs else 0.0


def load(folder: Path) -> list[JudgedPair]:
    """The judged pairs of `folder`. Raises InputError where they are absent or malformed."""
    path = folder / "judged_pairs.jsonl"
    pairs: list[JudgedPair] = []
    for number, row in enumerate(rows_of(path), 1):
        try:
            golds = (str(row["ground_truth"]),)
            item = Item(str(number), row["query"], golds, str(row["prediction"]))
            pairs.append(JudgedPair(item, bool(row["correct"]), row["question_type"]))
        except KeyError as error:
            raise InputError(f"{path}, line {number}: {error} is missing") from error
    return pairs


def load_invented(file: Path) -> list[JudgedPair]:
    """Invented predictions: `query`, `golds`, `prediction`, of what `kind`, and whether each is
    `correct`, or which `verdicts` are accepted."""
    return [
        JudgedPair(
            Item(str(number), row["query"], tuple(row["golds"]), row["prediction"]),
            row["correct"] if "correct" in row else Verdict.CORRECT in row["verdicts"],
            row["kind"],
        )
        for number, row in enumerate(rows_of(file), 1)
    ]


def called_correct(items: Sequence[Item], judge: Judge) -> Called:
    """How many of `items` the judge calls correct."""
    judgements = judge.judge(items)
    return Called(len(items), sum(one.verdict is Verdict.CORRECT for one in judgements))


def near_misses(judge: Judge) -> tuple[Called, Called]:
    """How many of the wrong near misses are called correct, and how many of the right ones."""
    rows = load_invented(NEAR_MISSES)
    wrong, right = ([row.item for row in rows if row.correct is said] for said in (False, True))
    return called_correct(wrong, judge), called_correct(right, judge)


def agrees(pair: JudgedPair, judgement: Judgement) -> bool:
    """Whether a verdict is the LLM judge's. Missing is not correct."""
    return (judgement.verdict is Verdict.CORRECT) == pair.correct


def agreement(pairs: Sequence[JudgedPair], judgements: Sequence[Judgement]) -> Agreement:
    """Coverage and agreement over `pairs`."""
    given = [
        agrees(pair, judgement)
        for pair, judgement in zip(pairs, judgements, strict=True)
        if judgement.verdict is not Verdict.UNSCORED
    ]
    return Agreement(len(pairs), len(given), sum(given))


def by_group(
    pairs: Sequence[JudgedPair],
    judgements: Sequence[Judgement],
    group_of: Callable[[JudgedPair], str],
) -> dict[str, Agreement]:
    """Coverage and agreement of each group of pairs."""
    groups = sorted(set(map(group_of, pairs)))
    both = list(zip(pairs, judgements, strict=True))
    members = {name: [one for one in both if group_of(one[0]) == name] for name in groups}
    return {name: agreement(*zip(*some, strict=True)) for name, some in members.items()}


def fold_of(pair: JudgedPair) -> str:
    """One of five folds; all pairs of a question are in one."""
    return str(crc32(pair.item.query.encode()) % 5 + 1)


def mismatched(pairs: Sequence[JudgedPair]) -> list[Item]:
    """Every prediction with the question and gold of every other pair of its type."""
    return [
        Item(f"{a.id}-{b.id}", b.query, b.golds, a.prediction)
        for one in pairs
        for other in pairs
        if one.kind == other.kind and (a := one.item).query != (b := other.item).query
        if read(a.golds[0]).words != read(b.golds[0]).words
    ]


def _show_disagreements(pairs: Sequence[JudgedPair], judgements: Sequence[Judgement]) -> None:
    console = Console()
    for pair, judgement in zip(pairs, judgements, strict=True):
        if judgement.verdict is Verdict.UNSCORED or agrees(pair, judgement):
            continue
        said = "correct" if pair.correct else "not correct"
        console.rule(f"{pair.item.id}: LLM judge {said}, rules {judgement.verdict}")
        for name, text in (
            ("question", pair.item.query),
            ("gold", pair.item.golds[0]),
            ("prediction", pair.item.prediction),
            ("reason", judgement.reason),
        ):
            console.print(f"{name}: {text}", markup=False, highlight=False)


def measure(
    data: Data = CRAG_DATA,
    json_file: Json = None,
    disagreements: Annotated[bool, typer.Option("--show", help="list the disagreements")] = False,
) -> int:
    judge = RulesJudge()
    pairs = load(data)
    judgements = judge.judge([pair.item for pair in pairs])
    total, lenient = agreement(pairs, judgements), called_correct(mismatched(pairs), judge)
    wrong, right = near_misses(judge)
    blind = {}
    for file in sorted(BLIND.glob("judge_*.jsonl")):
        rows = load_invented(file)
        said = judge.judge([row.item for row in rows])
        outcomes = Counter((row.correct, one.verdict) for row, one in zip(rows, said, strict=True))
        blind[file.stem] = {
            f"{'right' if right else 'wrong'} called {verdict}": outcomes[right, verdict]
            / max(1, sum(outcomes[right, each] for each in Verdict))
            for right in (True, False)
            for verdict in (Verdict.CORRECT, Verdict.WRONG, Verdict.UNSCORED)
        }
    figures = [  # name, share, of, target, whether it is met
        ("coverage", total.coverage, total.pairs, ">= 75%", total.coverage >= 0.75),
        ("agreement", total.agreement, total.given, ">= 97%", total.agreement >= 0.97),
        ("leniency", lenient.share, lenient.pairs, "<= 0.2%", lenient.share <= 0.002),
        ("near misses called correct", wrong.share, wrong.pairs, "<= 3%", wrong.share <= 0.03),
        ("right ones called correct", right.share, right.pairs, ">= 85%", right.share >= 0.85),
    ]
    show(
        "Rules judge against an LLM judge",
        ("figure", "value", "of", "target"),
        [(name, f"{share:.2%}", of, target) for name, share, of, target, _ in figures],
    )
    for name, row in blind.items():
        show(f"Blind: {name}", ("", "share"), [(what, f"{part:.1%}") for what, part in row.items()])
    confusion = Counter(
        (pair.correct, one.verdict) for pair, one in zip(pairs, judgements, strict=True)
    )
    counts = [
        ("correct" if said else "not correct", *(confusion[said, verdict] for verdict in Verdict))
        for said in (True, False)
    ]
    show("Confusion", ("LLM judge", *Verdict), counts)
    groups = {
        "by_fold": by_group(pairs, judgements, fold_of),
        "by_type": by_group(pairs, judgements, lambda pair: pair.kind),
    }
    for title, found in groups.items():
        shares = [(name, f"{g.coverage:.1%}", f"{g.agreement:.1%}") for name, g in found.items()]
        show(title.replace("_", " "), ("", "coverage", "agreement"), shares)
    if disagreements:
        _show_disagreements(pairs, judgements)
    out = {
        "coverage": total.coverage,
        "agreement": total.agreement,
        "leniency": lenient.share,
        "counts": asdict(total) | {"mismatched": lenient.pairs, "lenient": lenient.correct},
        "near_misses": {"wrong": wrong.share, "right": right.share},
        **{
            title: {
                name: {"coverage": group.coverage, "agreement": group.agreement}
                for name, group in found.items()
            }
            for title, found in groups.items()
        },
        "blind": blind,
    }
    write(json_file, out)
    return 0 if all(met for *_, met in figures) else 1


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
