"""Commands that make pairs of a question and a program, and split them."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evaluation.arguments import GpusPerWorker, RayAddress, Workers
from evaluation.cluster import Cluster
from evaluation.run_folder import write_text
from models.kg.parsing.semantic_parser import SemanticParser
from models.settings import DEFAULT_FILE, load_settings
from training import batches
from training.commands.options import (
    BATCH,
    CALLS,
    ChosenPart,
    DataFiles,
    JudgeOption,
    KgPath,
    Limit,
    MoreFiles,
    Out,
    OutFolder,
    say,
)
from training.fitting.folds import Fold
from training.kg import EXAMPLE_KG, Kg
from training.queries.copying import unify_form
from training.queries.paraphrase import distinct, make_paraphraser
from training.queries.real import make_real_pairs
from training.queries.sample import draw_pairs
from training.records import Pair, PairSplit, examples_by_id, read_rows, write_made
from training.wording import ids_in
from utils.cli import SettingsFile, new_app

app = new_app()


@app.command("queries")
def make_pairs(
    out: OutFolder,
    kg: KgPath = EXAMPLE_KG,
    pairs: int = 6000,
    held_out: Annotated[int, typer.Option(help="pairs of held-out wordings")] = 300,
    seed: int = 0,
) -> None:
    """Make question-program pairs over a KG.

    A pair is kept if its program returns something.
    """
    facts = Kg(kg)
    counts: dict[PairSplit, int] = {"train": pairs, "held_out": held_out}
    for split, count in counts.items():
        drawn_pairs = draw_pairs(facts, split, count, seed)
        if count:
            no_facts = f"the KG {kg} has nothing to ask about"
            write_made(out / f"{split}.jsonl", drawn_pairs, no_facts)
        programs = {pair.program for pair in drawn_pairs}
        say(f"{split}: {len(drawn_pairs)} pairs, {len(programs)} programs")


@app.command("paraphrase")
def reword_pairs(
    data: Annotated[Path, typer.Option(help="pairs")],
    out: Out,
    kg: KgPath = EXAMPLE_KG,
    count: Annotated[int, typer.Option(help="wordings of a pair at most")] = 3,
    settings: SettingsFile = DEFAULT_FILE,
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Reword pairs by the engine of the settings.

    A wording is kept if it leads back to the same result.
    """
    pairs = list(read_rows(data, Pair))
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    make = partial(make_paraphraser, settings=load_settings(settings), kg=kg.resolve(), count=count)
    paraphrases = batches.rows(make, pairs, 4 * BATCH, out.with_suffix(CALLS), cluster)
    good_pairs, questions = distinct(pairs, paraphrases)
    write_made(out, good_pairs, f"{data} has no pair of which a wording leads back to its result")
    say(f"{len(good_pairs)} of {questions} wordings kept")


@app.command("real")
def find_programs(
    data: DataFiles,
    out: Out,
    kg: KgPath = EXAMPLE_KG,
    programs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="annotated ones, which are taken as given")
    ] = None,
    judge: JudgeOption = "rules",
    limit: Limit = None,
    part: ChosenPart = "train",
    only_copied: Annotated[
        bool, typer.Option("--copied", help="only programs that can be copied from their question")
    ] = False,
    like: Annotated[
        Path | None, typer.Option(metavar="PAIRS", help="with --copied: pairs of the same form")
    ] = None,
    settings: SettingsFile = DEFAULT_FILE,
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
    more: MoreFiles = None,
) -> None:
    """Find programs for real questions.

    A program is kept if its result agrees with the gold. Names and times in it are as the question
    has them. A question in several files is read from the first.
    """
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    make = partial(
        make_real_pairs,
        settings=load_settings(settings),
        judge=judge,
        kg=kg.resolve(),
        programs=programs.resolve() if programs else None,
    )
    examples = [
        replace(example, pages=())
        for example in examples_by_id([*data, *(more or ())], part, limit).values()
    ]
    results = batches.rows(make, examples, BATCH, out.with_suffix(CALLS), cluster)
    pairs = [pair for pair in results if pair is not None]
    say(f"programs for {len(pairs)} of {len(results)} questions")
    if only_copied:
        pairs = unify_form(pairs, Kg(kg), list(read_rows(like, Pair)) if like else ())
        say(f"{len(pairs)} can be copied from their question")
    write_made(out, pairs, f"the KG {kg} answers no question of the data by such a program")


@app.command("fold")
def write_fold(
    data: DataFiles,
    out: Out,
    fold: Annotated[str, typer.Option(metavar="K/N")],
    kg: KgPath = EXAMPLE_KG,
    more: MoreFiles = None,
) -> None:
    """Write the ids of a fold, for `crag eval --ids`.

    They are the questions whose wording is in the fold. The wording depends on the names that a KG
    has: give the one that the pairs were made over.
    """
    examples = examples_by_id([*data, *(more or ())])
    ids = ids_in(Fold.of(fold), list(examples.values()), SemanticParser(Kg(kg).client))
    write_text(out, "".join(f"{id}\n" for id in ids))
    say(f"{len(ids)} questions")
