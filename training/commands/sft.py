"""`python -m training sft RECIPE`: an adapter of a recipe and its data."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from training.encode import samples_of
from training.progress import Bars
from training.recipe import Recipe, read_recipe
from training.records import Sample, file_hash, read_pairs, read_samples
from training.sft import Job, train

HELP = "tune a LoRA adapter by a recipe; the same command goes on where it was broken off"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", help="a recipe's file, or the name of one of ours")
    parser.add_argument("--base", type=Path, required=True, help="the base model's folder")
    parser.add_argument("--data", type=Path, required=True, help="pairs, or samples, as JSON lines")
    parser.add_argument("--out", type=Path, required=True, help="the adapter's folder")
    parser.add_argument("--seed", type=int, help="instead of the recipe's")
    parser.add_argument("--threads", type=int, help="of a CPU; default: as many as torch takes")


def run(options: Namespace, console: Console) -> int:
    recipe = read_recipe(options.recipe, seed=options.seed)
    samples = read_data(options.data, recipe)
    job = Job(recipe, options.base, samples, file_hash(options.data), options.out, options.threads)
    with Bars(console) as bars:
        encoding = bars.bar("prompts", len(samples))
        updates = bars.bar("updates", None)
        card = train(job, encoding, lambda logs: updates(int(logs["step"])))
    console.print(
        f"{card['samples']} samples, {card['updates']} updates, {card['seconds']} s on "
        f"{card['device']}; loss {card['first_loss']} to {card['last_loss']}\n{options.out}",
        markup=False,
        highlight=False,
    )
    return 0


def read_data(file: Path, recipe: Recipe) -> list[Sample]:
    """The samples of `file`; of pairs, those to train on, with the recipe's prompt."""
    if recipe.subtask == "write_query":
        return samples_of((p for p in read_pairs(file) if p.split == "train"), recipe)
    return read_samples(file)
