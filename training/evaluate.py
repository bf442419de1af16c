"""Evaluation of adapters: the base model and its adapters compared on held-out data.

Queries are measured by exact match and by execution match (Spider's, which db3 follows: what the
program returns, not how it is written); answers by the contest's own figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.judge.protocol import Item, Judge
from evaluation.run_folder import read_object
from evaluation.score import QuestionResult, measure
from models.llm.protocol import LLM, Completion, Prompt
from models.records import Source
from models.subtasks.answers import answer_of
from models.systems.dragonrangers.paths import read_path, vote
from models.systems.dragonrangers.system import DragonrangersOptions
from training.encode import QUERY_TOKENS, query_prompts
from training.engines import generate
from training.kg import Kg, written
from training.recipe import Recipe
from training.records import Pair, Sample
from training.sft import CARD
from utils.errors import InputError, JudgeError
from utils.model_files import sha256
from utils.tokens import MAX_ANSWER_TOKENS

BASE = "base"
EVALUATION = "evaluation.json"  # beside an adapter
_COLUMNS = (
    "pairs", "exact", "execution", "unreadable",  # of queries
    "total", "correct", "missing", "wrong", "unscored", "score",  # of answers
    "cut_off",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QueryFigures:
    """One model's shares of the pairs: written exactly, with a program that returns the same, with
    no program, and not finished."""

    pairs: int
    exact: float
    execution: float
    unreadable: float
    cut_off: float = 0.0


def evaluate_queries(
    llm: LLM,
    adapter: str | None,
    pairs: Sequence[Pair],
    recipe: Recipe,
    kg: Kg,
    *,
    max_tokens: int = QUERY_TOKENS,
    constrained: bool = True,
) -> tuple[QueryFigures, list[Completion]]:
    """How well an adapter (None: the base) writes the programs of `pairs`, asked as by the system.

    `constrained` by the grammar, as in the system; without it, what the model itself has learnt.
    """
    prompts = query_prompts(pairs, recipe, adapter, max_tokens=max_tokens, constrained=constrained)
    made = generate(llm, prompts, adapter or BASE)
    exact = [written(said.text) == pair.program for pair, said in zip(pairs, made, strict=True)]
    same = [
        hit or kg.same(said.text, pair.program, pair.query_time)
        for hit, pair, said in zip(exact, pairs, made, strict=True)
    ]
    count = max(1, len(pairs))
    figures = QueryFigures(
        pairs=len(pairs),
        exact=sum(exact) / count,
        execution=sum(same) / count,
        unreadable=sum(written(said.text) is None for said in made) / count,
        cut_off=sum(not said.finished for said in made) / count,
    )
    return figures, made


def evaluate_answers(
    llm: LLM, adapter: str | None, subtask: str, samples: Sequence[Sample], judge: Judge
) -> dict[str, Any]:
    """The contest's figures of an adapter (None: the base) on `samples`, which carry gold answers.

    The number of tokens, and how an answer is read, are the system's; of reasoning paths there is
    one, and it is greedy.

    Raises:
        JudgeError: the judge gave no verdict on any of them.
    """
    alone = subtask == "answer_alone"
    tokens = DragonrangersOptions().path_tokens if alone else MAX_ANSWER_TOKENS
    prompts = [Prompt(one.messages, adapter, max_tokens=tokens) for one in samples]
    made = generate(llm, prompts, adapter or BASE)
    said = [_path_answer(one) if alone else answer_of(one, Source.WEB).text for one in made]
    items = [
        Item(one.id, one.question, one.golds, text) for one, text in zip(samples, said, strict=True)
    ]
    judgements = judge.judge(items)
    if judgements and all(one.failed for one in judgements):
        raise JudgeError(f"the judge gave no verdict at all: {judgements[0].reason}")
    results = [
        QuestionResult(item.id, item.query, item.prediction, judged.verdict, 0.0)
        for item, judged in zip(items, judgements, strict=True)
    ]
    return {**asdict(measure(results)), "cut_off": sum(not one.finished for one in made)}


def _path_answer(said: Completion) -> str:
    answer, _ = vote([read_path(said.text) if said.finished else None])
    return answer.text


def figures_table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    """Base and adapters, a row each: counts, and shares in percent."""
    columns = [name for name in _COLUMNS if name in figures[BASE]]
    table = Table("model", *(name.replace("_", " ") for name in columns))
    for name, row in figures.items():
        values = [row[key] for key in columns]
        table.add_row(name, *(f"{v:.1%}" if isinstance(v, float) else str(v) for v in values))
    return table


def named(folders: Sequence[Path]) -> dict[str, Path]:
    """The folders by names with a number, which keeps them apart; torch refuses names with dots."""
    plain = (folder.resolve().name.replace(".", "_") for folder in folders)
    return {f"{name}_{i}": folders[i] for i, name in enumerate(plain)}


def refuse_its_own(adapter: Path, data: Path) -> None:
    """Raises InputError if the adapter was tuned on exactly that data."""
    card = read_object(adapter / CARD)  # empty: an adapter from elsewhere
    if card.get("data_sha256") == sha256(data):
        raise InputError(f"{adapter} was tuned on {data}: give held-out data")
