"""How well a model and its adapters write queries, on held-out pairs.

By exact match and by execution match (Spider's, which db3 follows: what the program returns, not
how it is written). Answers are measured by `training.truthfulness`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.run_folder import read_object
from models.llm.adapters import CARD
from models.llm.protocol import LLM, Completion
from models.subtasks.kg_text.programs import QUERY_TOKENS, commonest, whole_programs
from training.encode import query_prompts
from training.engines import generate
from training.fitting.folds import Fold
from training.kg import Kg, canonical
from training.plots import plot
from training.recipe import Recipe
from training.records import Pair, read_rows
from utils.errors import InputError
from utils.model_files import sha256

BASE = "base"
EVALUATION = "evaluation.json"  # beside an adapter
_QUERY_COLUMNS = ("pairs", "exact", "execution", "unreadable")
_COLUMNS = (*_QUERY_COLUMNS, "cut_off")


@dataclass(frozen=True, slots=True)
class QueryFigures:
    """How well one model writes the programs of pairs.

    Attributes:
        pairs: their number.
        exact: the share that is written exactly.
        execution: the share of programs that return the same.
        unreadable: the share of texts that are no programs.
        cut_off: the share that is not finished.
    """

    pairs: int
    exact: float
    execution: float
    unreadable: float
    cut_off: float = 0.0


@dataclass(frozen=True, slots=True)
class Writing:
    """How programs are asked for. The default is the system's way.

    Attributes:
        constrained: by the grammar; without it, what the model itself has learnt.
        copied: the grammar takes arguments from the question alone.
        samples: programs of a question; the first one with the commonest result counts.
        max_tokens: of a program.
    """

    constrained: bool = True
    copied: bool = False
    samples: int = 1
    max_tokens: int = QUERY_TOKENS


def held_out_pairs(data: Path, fold: str | None) -> list[Pair]:
    """The pairs of a fold; without one, those of the split held_out.

    Raises:
        InputError: there are none.
    """
    pairs = list(read_rows(data, Pair))
    if fold is None:
        held_out = [pair for pair in pairs if pair.split == "held_out"]
    else:
        held_out = [pair for pair in pairs if Fold.of(fold).holds(pair.wording)]
    if not held_out and fold is not None:
        raise InputError(f"{data} holds no pair of fold {fold}")
    if not held_out:
        raise InputError(f"{data} holds no pair of the split held_out; or give --fold")
    return held_out


def compare_writers(
    llm: LLM,
    models: Mapping[str, str | None],
    pairs: Sequence[Pair],
    recipe: Recipe,
    kg: Kg,
    writing: Writing = Writing(),
) -> dict[str, dict[str, Any]]:
    """The fields of `QueryFigures` by model: adapters of the engine, None is the base."""
    figures = {}
    for label, adapter in models.items():
        row, _ = evaluate_queries(llm, adapter, pairs, recipe, kg, writing)
        figures[label] = asdict(row)
    return figures


def evaluate_queries(
    llm: LLM,
    adapter: str | None,
    pairs: Sequence[Pair],
    recipe: Recipe,
    kg: Kg,
    writing: Writing = Writing(),
) -> tuple[QueryFigures, list[Completion]]:
    """How well an adapter (None: the base) writes the programs of `pairs`, and what it wrote."""
    prompts = query_prompts(
        pairs,
        recipe,
        adapter,
        max_tokens=writing.max_tokens,
        constrained=writing.constrained,
        copied=writing.copied,
        samples=writing.samples,
    )
    completions = generate(llm, prompts, adapter or BASE)
    exact = 0
    same = 0
    unreadable = 0
    for pair, completion in zip(pairs, completions, strict=True):
        text = _elected(completion, pair, kg)
        program = canonical(text)
        if program is None:
            unreadable += 1
        if program == pair.program:
            exact += 1
            same += 1
        elif kg.same(text, pair.program, pair.query_time):
            same += 1
    count = max(1, len(pairs))
    figures = QueryFigures(
        pairs=len(pairs),
        exact=exact / count,
        execution=same / count,
        unreadable=unreadable / count,
        cut_off=_cut_off(completions) / count,
    )
    return figures, completions


def _elected(completion: Completion, pair: Pair, kg: Kg) -> str:
    """The text of the first sample with the commonest result, among those that are whole."""
    texts = whole_programs(completion) or [completion.text]
    results = [kg.returned(text, pair.query_time) for text in texts]
    place, _ = commonest([result.values if result.informs else None for result in results])
    return texts[place]


def _cut_off(completions: Sequence[Completion]) -> int:
    """The number of completions that are not finished."""
    return sum(not completion.finished for completion in completions)


def figures_table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    """Base and adapters, a row each: counts, and shares in percent."""
    columns = [name for name in _COLUMNS if all(name in row for row in figures.values())]
    table = Table("model", *(name.replace("_", " ") for name in columns))
    for name, row in figures.items():
        table.add_row(name, *(_figure_cell(row[column]) for column in columns))
    return table


def _figure_cell(value: float | int) -> str:
    return f"{value:.1%}" if isinstance(value, float) else str(value)


def plot_learning_curve(
    file: Path, folders: Sequence[Path], figures: Mapping[str, Mapping[str, Any]]
) -> None:
    """Draw the execution match of adapters over the number of samples that they were tuned on.

    Args:
        file: the SVG to write.
        folders: of the adapters, each with its card.
        figures: of `evaluate_queries`, by folder.

    Raises:
        InputError: a card does not have the number of samples.
    """
    points = [(samples_tuned_on(folder), figures[str(folder)]["execution"]) for folder in folders]
    title = "Execution match on held-out wording"
    plot(file, title, "pairs tuned on", "share", {"adapter": sorted(points)})


def samples_tuned_on(adapter: Path) -> int:
    """The number of samples that an adapter was tuned on, by its card.

    Raises:
        InputError: there is no card, or it does not have it.
    """
    samples = read_object(adapter / CARD).get("samples")
    if not isinstance(samples, int):
        raise InputError(f"{adapter / CARD} does not say how many samples it was tuned on")
    return samples


def named(folders: Sequence[Path]) -> dict[str, Path]:
    """The folders by names with a number, which keeps them apart; torch refuses names with dots."""
    by_name = {}
    for number, folder in enumerate(folders):
        name = folder.resolve().name.replace(".", "_")
        by_name[f"{name}_{number}"] = folder
    return by_name


def refuse_its_own(adapter: Path, data: Path, fold: str = "") -> None:
    """Refuse to measure an adapter on the data that it was tuned on.

    Raises:
        InputError: the adapter, or one that it was started from, was tuned on exactly that data,
            and `fold` was not left out.
    """
    card = read_object(adapter / CARD)  # empty: an adapter from elsewhere
    while card:
        left_out = fold != "" and card.get("fold") == fold
        if card.get("data_sha256") == sha256(data) and not left_out:
            raise InputError(f"{adapter} was tuned on {data}: give held-out data")
        card = card.get("start") or {}
