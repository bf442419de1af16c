"""The worth of adapters: the base model and its adapters side by side, on held-out data.

Queries are measured by exact match and by execution match (Spider's, which db3 follows: what the
program returns, not how it is written); answers by the contest's own figures.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.score import Result, measure
from models.llm.protocol import LLM, Completion, Message, Prompt
from models.records import Source
from models.subtasks.answers import answer_of
from models.systems.dragonrangers.paths import read_path, vote
from models.systems.dragonrangers.system import DragonrangersOptions
from training.encode import QUERY_TOKENS, query_prompts
from training.kg import Checker, written
from training.progress import Show
from training.recipe import Recipe
from training.records import Pair, Sample, file_hash
from training.sft import CARD
from utils.deadline import Deadline
from utils.errors import InputError, JudgeError

BASE = "base"
EVALUATION = "evaluation.json"  # beside an adapter
_BATCH = 64
_TOKENS = 75  # of an answer; a reasoning path has more
_SECONDS = 6 * 3600.0  # a batch; nobody waits for an answer here
IN_A_ROW = 5  # failures after which a judge is taken to be down


@dataclass(frozen=True, slots=True)
class QueryFigures:
    """Shares of all pairs: programs as written, programs that return the same, no programs, and
    what the engine did not bring to its end."""

    pairs: int
    exact: float
    execution: float
    unreadable: float
    cut_off: float = 0.0


@dataclass(frozen=True, slots=True)
class Wrote:
    """What one model wrote for one pair."""

    id: str
    question: str
    wanted: str
    text: str
    tokens: int
    exact: bool
    execution: bool
    finished: bool = True


def evaluate_queries(
    llm: LLM,
    adapter: str | None,
    pairs: Sequence[Pair],
    recipe: Recipe,
    checker: Checker,
    show: Show,
    *,
    max_tokens: int = QUERY_TOKENS,
    constrained: bool = True,
) -> tuple[QueryFigures, list[Wrote]]:
    """How well an adapter (None: the base) writes the programs of `pairs`, asked as by the system.

    `constrained`: by the grammar, as the system does; without, what the model learnt by itself.
    """
    prompts = query_prompts(pairs, recipe, adapter, max_tokens=max_tokens, constrained=constrained)
    wrote = [
        _compared(pair, completion, checker)
        for pair, completion in zip(pairs, generate(llm, prompts, show), strict=True)
    ]
    count = max(1, len(wrote))
    figures = QueryFigures(
        pairs=len(wrote),
        exact=sum(one.exact for one in wrote) / count,
        execution=sum(one.execution for one in wrote) / count,
        unreadable=sum(written(one.text) is None for one in wrote) / count,
        cut_off=sum(not one.finished for one in wrote) / count,
    )
    return figures, wrote


def _compared(pair: Pair, said: Completion, checker: Checker) -> Wrote:
    exact = written(said.text) == pair.program
    same = exact or checker.same(said.text, pair.program, pair.query_time)
    told = (pair.id, pair.question, pair.program, said.text, said.tokens)
    return Wrote(*told, exact, same, said.finished)


def evaluate_answers(
    llm: LLM,
    adapter: str | None,
    subtask: str,
    samples: Sequence[Sample],
    judge: Judge,
    show: Show,
) -> tuple[dict[str, Any], list[Result]]:
    """The contest's figures of an adapter (None: the base) on `samples`, which carry gold answers;
    asked for as many tokens, and read, as the system does (of reasoning paths, one, and greedy).

    Raises:
        JudgeError: the judge gave no verdict on any of them.
    """
    alone = subtask == "answer_alone"
    tokens = DragonrangersOptions().path_tokens if alone else _TOKENS
    prompts = [
        Prompt(tuple(Message(role, text) for role, text in one.turns), adapter, max_tokens=tokens)  # type: ignore[arg-type]
        for one in samples
    ]
    made = generate(llm, prompts, show)
    said = [_path_answer(one) if alone else answer_of(one, Source.WEB).text for one in made]
    items = [
        Item(one.id, one.question, one.golds, text) for one, text in zip(samples, said, strict=True)
    ]
    judgements = judge.judge(items)
    if judgements and all(one.failed for one in judgements):
        raise JudgeError(f"the judge gave no verdict at all: {judgements[0].reason}")
    results = [
        Result(item.id, item.query, item.prediction, judged.verdict, 0.0, golds=item.golds)
        for item, judged in zip(items, judgements, strict=True)
    ]
    cut_off = sum(not one.finished for one in made)
    return {**measure(results).as_dict(), "cut_off": cut_off}, results


def _path_answer(said: Completion) -> str:
    answer, _ = vote([read_path(said.text) if said.finished else None])
    return answer.text


def generate(llm: LLM, prompts: Sequence[Prompt], show: Show) -> list[Completion]:
    """One completion a prompt, in order, a batch at a time."""
    made: list[Completion] = []
    for start in range(0, len(prompts), _BATCH):
        batch = prompts[start : start + _BATCH]
        made += llm.generate(batch, deadline=Deadline.after(_SECONDS))
        show(len(made))
    return made


class Agrees:
    """Asks `judge` item by item; a failure now and then counts as no."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._failed = 0

    def __call__(self, item: Item) -> bool:
        """Whether the judge calls `item` correct.

        Raises:
            JudgeError: it gave no verdict several times in a row.
        """
        (said,) = self._judge.judge([item])
        self._failed = self._failed + 1 if said.failed else 0
        if self._failed >= IN_A_ROW:
            raise JudgeError(f"the judge gave no verdict {IN_A_ROW} times in a row: {said.reason}")
        return said.verdict is Verdict.CORRECT


def query_table(figures: Mapping[str, QueryFigures]) -> Table:
    """Base and adapters, a row each."""
    table = Table("model", "pairs", "exact match", "execution match", "no program", "cut off")
    for name, row in figures.items():
        shares = (
            f"{share:.1%}" for share in (row.exact, row.execution, row.unreadable, row.cut_off)
        )
        table.add_row(name, str(row.pairs), *shares)
    return table


def answer_table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    """Base and adapters, a row each."""
    counted = ("correct", "missing", "wrong", "unscored", "cut_off")
    table = Table("model", "questions", *(name.replace("_", " ") for name in counted), "score")
    for name, row in figures.items():
        counts = (str(row[key]) for key in counted)
        table.add_row(name, str(row["total"]), *counts, f"{row['score']:+.1%}")
    return table


def as_json(figures: Mapping[str, QueryFigures]) -> dict[str, Any]:
    return {name: asdict(row) for name, row in figures.items()}


def named(folders: Sequence[Path]) -> dict[str, str]:
    """The folders by their names; by their whole paths where two have one name."""
    names = [folder.name for folder in folders]
    return {f.name if names.count(f.name) == 1 else str(f): str(f) for f in folders}


def refuse_its_own(adapter: Path, data: Path) -> None:
    """Raises InputError where the adapter was tuned on just that data."""
    card = adapter / CARD
    if not card.exists():  # an adapter of somewhere else
        return
    if json.loads(card.read_text(encoding="utf-8")).get("data_sha256") == file_hash(data):
        raise InputError(f"{adapter} was tuned on {data}: it is no held-out data")
