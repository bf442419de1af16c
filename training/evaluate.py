"""What an adapter is worth: the base model and its adapters side by side, on held-out data.

Queries are measured by exact match and by execution match (Spider's, which db3 follows: what the
program returns, not how it is written); answers by the contest's own figures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from evaluation.judge.protocol import Item, Judge
from evaluation.score import Result, measure
from models.kg.language.grammar import constraint_text
from models.llm.protocol import LLM, Completion, Constraint, ConstraintKind, Message, Prompt
from models.records import Source
from models.subtasks.examples import load_examples
from models.subtasks.say import answer_of
from training.encode import pair_prompt
from training.queries.check import Checker, written
from training.recipe import Recipe
from training.records import Pair, Sample
from utils.deadline import Deadline

BASE = "base"
EVALUATION = "evaluation.json"  # beside an adapter
_BATCH = 64
_SECONDS = 600.0  # a batch
Show = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class QueryFigures:
    """Shares of all pairs: programs as written, programs that return the same, and no programs."""

    pairs: int
    exact: float
    execution: float
    unreadable: float


@dataclass(frozen=True, slots=True)
class Wrote:
    """What one model wrote for one pair."""

    id: str
    question: str
    wanted: str
    text: str
    exact: bool
    execution: bool


def evaluate_queries(
    llm: LLM,
    adapter: str | None,
    pairs: Sequence[Pair],
    recipe: Recipe,
    checker: Checker,
    show: Show,
    *,
    max_tokens: int = 160,
    constrained: bool = True,
) -> tuple[QueryFigures, list[Wrote]]:
    """How well an adapter (None: the base) writes the programs of `pairs`, asked as by the system.

    `constrained`: by the grammar, as the system does; without, what the model learnt by itself.
    """
    examples = load_examples()
    grammar = Constraint(ConstraintKind.GRAMMAR, constraint_text()) if constrained else None
    prompts = [
        Prompt(
            pair_prompt(pair, recipe, examples), adapter, max_tokens=max_tokens, constraint=grammar
        )
        for pair in pairs
    ]
    wrote = [
        _compared(pair, completion.text, checker)
        for pair, completion in zip(pairs, generate(llm, prompts, show), strict=True)
    ]
    count = max(1, len(wrote))
    figures = QueryFigures(
        pairs=len(wrote),
        exact=sum(one.exact for one in wrote) / count,
        execution=sum(one.execution for one in wrote) / count,
        unreadable=sum(written(one.text) is None for one in wrote) / count,
    )
    return figures, wrote


def _compared(pair: Pair, text: str, checker: Checker) -> Wrote:
    exact = written(text) == pair.program
    same = exact or checker.same(text, pair.program, pair.query_time)
    return Wrote(pair.id, pair.question, pair.program, text, exact, same)


def evaluate_answers(
    llm: LLM, adapter: str | None, samples: Sequence[Sample], judge: Judge, show: Show
) -> tuple[dict[str, Any], list[Result]]:
    """The contest's figures of an adapter (None: the base) on `samples`, which carry gold answers;
    read as the system reads a model's answer."""
    prompts = [
        Prompt(tuple(Message(role, text) for role, text in one.turns), adapter)  # type: ignore[arg-type]
        for one in samples
    ]
    said = [answer_of(completion, Source.WEB).text for completion in generate(llm, prompts, show)]
    items = [
        Item(one.id, one.question, one.golds, text) for one, text in zip(samples, said, strict=True)
    ]
    results = [
        Result(item.id, item.query, item.prediction, judged.verdict, 0.0, golds=item.golds)
        for item, judged in zip(items, judge.judge(items), strict=True)
    ]
    return measure(results).as_dict(), results


def generate(llm: LLM, prompts: Sequence[Prompt], show: Show) -> list[Completion]:
    """One completion a prompt, in order, a batch at a time."""
    made: list[Completion] = []
    for start in range(0, len(prompts), _BATCH):
        batch = prompts[start : start + _BATCH]
        made += llm.generate(batch, deadline=Deadline.after(_SECONDS))
        show(len(made))
    return made


def query_table(figures: Mapping[str, QueryFigures]) -> Table:
    """Base and adapters, a row each."""
    table = Table("model", "pairs", "exact match", "execution match", "no program")
    for name, row in figures.items():
        shares = (f"{share:.1%}" for share in (row.exact, row.execution, row.unreadable))
        table.add_row(name, str(row.pairs), *shares)
    return table


def answer_table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    """Base and adapters, a row each."""
    table = Table("model", "questions", "correct", "missing", "wrong", "unscored", "score")
    for name, row in figures.items():
        counts = (str(row[key]) for key in ("correct", "missing", "wrong", "unscored"))
        table.add_row(name, str(row["total"]), *counts, f"{row['score']:+.1%}")
    return table


def as_json(figures: Mapping[str, QueryFigures]) -> dict[str, Any]:
    return {name: asdict(row) for name, row in figures.items()}
