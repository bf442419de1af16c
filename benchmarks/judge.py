"""How well the rules judge does against an LLM judge: coverage, agreement, leniency.

`python -m benchmarks.judge --data DIR` reads DIR/judged_pairs.jsonl. Leniency is the share of
predictions called correct when paired with another question's answer of the same type. Near misses
are invented predictions that hold the gold and yet are wrong, beside right ones in other words.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEAR_MISSES = ROOT / "tests" / "evaluation" / "judge" / "near_misses.jsonl"
if str(ROOT) not in sys.path:  # run as a file
    sys.path.insert(0, str(ROOT))

from rich.console import Console
from rich.table import Table

from evaluation.judge.normalize import read
from evaluation.judge.protocol import Item, Judge, Judgement, Verdict
from evaluation.judge.rules import RulesJudge
from utils.errors import InputError


@dataclass(frozen=True, slots=True)
class Pair:
    """A prediction that an LLM judge has judged."""

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
class Leniency:
    """Counts of mismatched pairs: all, and called correct."""

    pairs: int
    correct: int

    @property
    def share(self) -> float:
        return self.correct / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An invented prediction and the verdicts that a fair judge may give.

    Rules are mended by rows of the half "seen"; those of the half "unseen" are only measured.
    """

    item: Item
    verdicts: frozenset[Verdict]
    kind: str
    half: str

    @property
    def right(self) -> bool:
        return Verdict.CORRECT in self.verdicts


@dataclass(frozen=True, slots=True)
class NearMisses:
    """Counts of near misses: wrong ones, of these called correct; right ones, likewise."""

    wrong: int
    wrong_correct: int
    right: int
    right_correct: int

    @property
    def leniency(self) -> float:
        return self.wrong_correct / self.wrong if self.wrong else 0.0

    @property
    def recall(self) -> float:
        return self.right_correct / self.right if self.right else 0.0


def load_near_misses(path: Path = NEAR_MISSES) -> list[NearMiss]:
    """The rows of `path`. Raises InputError where it is absent or malformed."""
    if not path.is_file():
        raise InputError(f"no near misses at {path}")
    out: list[NearMiss] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            item = Item(str(number), row["query"], tuple(row["golds"]), row["prediction"])
            verdicts = frozenset(map(Verdict, row["verdicts"]))
            out.append(NearMiss(item, verdicts, row["kind"], row["half"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}, line {number}: {error!r}") from error
    return out


def near_misses(rows: Sequence[NearMiss], judge: Judge) -> NearMisses:
    """How often wrong and right near misses are called correct."""
    judgements = judge.judge([row.item for row in rows])
    told = {Verdict.CORRECT, Verdict.WRONG}  # not the rows whose verdict is missing
    said = [
        (row.right, judgement.verdict is Verdict.CORRECT)
        for row, judgement in zip(rows, judgements, strict=True)
        if row.verdicts & told
    ]
    wrong = [correct for right, correct in said if not right]
    right = [correct for right, correct in said if right]
    return NearMisses(len(wrong), sum(wrong), len(right), sum(right))


def by_half(judge: Judge) -> dict[str, NearMisses]:
    """The near-miss figures of the half that may be looked at and of the one only measured."""
    rows = load_near_misses()
    return {
        half: near_misses([row for row in rows if row.half == half], judge)
        for half in ("seen", "unseen")
    }


def load(folder: Path) -> list[Pair]:
    """The judged pairs of `folder`. Raises InputError where they are absent or malformed."""
    path = folder / "judged_pairs.jsonl"
    if not path.is_file():
        raise InputError(f"no judged pairs at {path}; give their folder with --data DIR")
    pairs: list[Pair] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                golds = (str(row["ground_truth"]),)
                item = Item(str(number), row["query"], golds, str(row["prediction"]))
                pairs.append(Pair(item, bool(row["correct"]), row["question_type"]))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path}, line {number}: {error!r}") from error
    return pairs


def agrees(pair: Pair, judgement: Judgement) -> bool:
    """Whether a verdict is the LLM judge's. Missing is not correct."""
    return (judgement.verdict is Verdict.CORRECT) == pair.correct


def agreement(pairs: Sequence[Pair], judgements: Sequence[Judgement]) -> Agreement:
    """Coverage and agreement over `pairs`."""
    given = [
        agrees(pair, judgement)
        for pair, judgement in zip(pairs, judgements, strict=True)
        if judgement.verdict is not Verdict.UNSCORED
    ]
    return Agreement(len(pairs), len(given), sum(given))


def mismatched(pairs: Sequence[Pair]) -> Iterator[Item]:
    """Every prediction with the question and gold of every other pair of its type."""
    for one in pairs:
        for other in pairs:
            if one is other or one.kind != other.kind or one.item.query == other.item.query:
                continue
            if read(one.item.golds[0]).words == read(other.item.golds[0]).words:
                continue
            yield Item(
                f"{one.item.id}-{other.item.id}",
                other.item.query,
                other.item.golds,
                one.item.prediction,
            )


def leniency(pairs: Sequence[Pair], judge: Judge) -> Leniency:
    """How often another question's answer is called correct."""
    judgements = judge.judge(list(mismatched(pairs)))
    return Leniency(len(judgements), sum(j.verdict is Verdict.CORRECT for j in judgements))


def _summary(
    console: Console, total: Agreement, lenient: Leniency, near: dict[str, NearMisses]
) -> None:
    table = Table(title="Rules judge against an LLM judge")
    for name in ("figure", "value", "of", "target"):
        table.add_column(name, justify="right" if name != "figure" else "left")
    table.add_row("coverage", f"{total.coverage:.1%}", f"{total.given}/{total.pairs}", ">= 75%")
    table.add_row("agreement", f"{total.agreement:.1%}", f"{total.agreed}/{total.given}", ">= 97%")
    table.add_row(
        "leniency", f"{lenient.share:.2%}", f"{lenient.correct}/{lenient.pairs}", "<= 0.2%"
    )
    for half, one in near.items():
        name, share = f"near misses called correct, {half}", f"{one.leniency:.1%}"
        table.add_row(name, share, f"{one.wrong_correct}/{one.wrong}", "<= 3%")
        name, share = f"right ones called correct, {half}", f"{one.recall:.1%}"
        table.add_row(name, share, f"{one.right_correct}/{one.right}", ">= 85%")
    console.print(table)


def _confusion(
    console: Console, pairs: Sequence[Pair], judgements: Sequence[Judgement]
) -> dict[str, int]:
    counts = Counter(
        (pair.correct, judgement.verdict) for pair, judgement in zip(pairs, judgements, strict=True)
    )
    table = Table("LLM judge", *Verdict, title="Confusion")
    for said in (True, False):
        name = "correct" if said else "not correct"
        table.add_row(name, *(str(counts[said, verdict]) for verdict in Verdict))
    console.print(table)
    return {f"{'correct' if said else 'not'}/{v}": n for (said, v), n in sorted(counts.items())}


def _by_type(
    console: Console, pairs: Sequence[Pair], judgements: Sequence[Judgement], judge: Judge
) -> dict[str, dict[str, float]]:
    table = Table("question type", "pairs", "coverage", "agreement", "leniency", title="By type")
    out: dict[str, dict[str, float]] = {}
    for kind in sorted({pair.kind for pair in pairs}):
        rows = [(p, j) for p, j in zip(pairs, judgements, strict=True) if p.kind == kind]
        part = agreement([p for p, _ in rows], [j for _, j in rows])
        lenient = leniency([p for p, _ in rows], judge)
        shares = (part.coverage, part.agreement, lenient.share)
        table.add_row(kind, str(part.pairs), *(f"{share:.1%}" for share in shares))
        out[kind] = dict(zip(("coverage", "agreement", "leniency"), shares, strict=True))
    console.print(table)
    return out


def _show(console: Console, pairs: Sequence[Pair], judgements: Sequence[Judgement]) -> None:
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


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures; 0 where every target is met, 1 where not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "crag")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument("--show", action="store_true", help="list the disagreements")
    args = parser.parse_args(argv)
    console = Console()
    try:
        pairs = load(args.data)
    except InputError as error:
        console.print(str(error), style="red", markup=False)
        return 2
    judge = RulesJudge()
    judgements = judge.judge([pair.item for pair in pairs])
    total, lenient = agreement(pairs, judgements), leniency(pairs, judge)
    near = by_half(judge)
    _summary(console, total, lenient, near)
    confusion = _confusion(console, pairs, judgements)
    by_type = _by_type(console, pairs, judgements, judge)
    if args.show:
        _show(console, pairs, judgements)
    if args.json:
        figures = {
            "coverage": total.coverage,
            "agreement": total.agreement,
            "leniency": lenient.share,
            "counts": asdict(total) | {"mismatched": lenient.pairs, "lenient": lenient.correct},
            "near_misses": {
                half: asdict(one) | {"leniency": one.leniency, "recall": one.recall}
                for half, one in near.items()
            },
            "confusion": confusion,
            "by_type": by_type,
        }
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    met = (
        total.agreement >= 0.97
        and total.coverage >= 0.75
        and lenient.share <= 0.002
        and all(one.leniency <= 0.03 and one.recall >= 0.85 for one in near.values())
    )
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
