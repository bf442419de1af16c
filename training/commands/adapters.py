"""Commands that tune adapters, and compare them with their base."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from evaluation.run_folder import write_json
from models.llm.adapters import read_adapter
from models.llm.config import LLMSettings
from models.llm.llms import make_llm
from training import demo, evaluate, truthfulness
from training.commands.options import (
    FoldOption,
    JudgeOption,
    KgPath,
    OutFolder,
    Threads,
    judge_of,
    say,
    say_notes,
)
from training.kg import EXAMPLE_KG, Kg
from training.own_answers import preferences
from training.recipe import read_recipe
from training.records import OwnAnswers, Sample, read_rows
from training.tuning.dpo import Dpo
from training.tuning.grpo import Grpo
from training.tuning.job import Job
from training.tuning.report import watch_of
from training.tuning.run import Method, tune
from training.tuning.sft import Sft, samples_in
from utils.cli import new_app
from utils.model_files import sha256

app = new_app()
RecipeName = Annotated[str, typer.Argument(help="a recipe's file, or the name of one of ours")]
Base = Annotated[Path, typer.Option("--base", help="the base model's folder")]
AdapterFolder = Annotated[Path, typer.Option("--out", help="the adapter's folder")]
SeedOption = Annotated[int | None, typer.Option("--seed", help="instead of the recipe's")]
StartFrom = Annotated[
    Path | None, typer.Option("--from", metavar="FOLDER", help="an adapter to go on from")
]
StartAdapter = Annotated[
    Path, typer.Option("--from", metavar="FOLDER", help="the adapter to go on from")
]
WatchFile = Annotated[
    Path | None,
    typer.Option("--watch", metavar="SAMPLES", help="answered and judged at every checkpoint"),
]


@app.command("sft")
def tune_adapter(
    recipe: RecipeName,
    base: Base,
    data: Annotated[Path, typer.Option(help="pairs, or samples, as JSON lines")],
    out: AdapterFolder,
    seed: SeedOption = None,
    threads: Threads = None,
    start: StartFrom = None,
    fold: FoldOption = None,
    watch: WatchFile = None,
) -> None:
    """Tune a LoRA adapter by a recipe.

    The same command resumes an interrupted run.
    """
    settings = read_recipe(recipe, seed=seed)
    samples = samples_in(data, settings, fold)
    job = Job(settings, base, sha256(data), out, threads, start, fold or "")
    _tune(job, Sft(samples), watch, "rules")


@app.command("dpo")
def tune_by_preferences(
    recipe: RecipeName,
    base: Base,
    data: Annotated[Path, typer.Option(help="of `crag training draw`")],
    out: AdapterFolder,
    start: StartAdapter,
    seed: SeedOption = None,
    threads: Threads = None,
    watch: WatchFile = None,
) -> None:
    """Tune an adapter by preferences (DPO).

    Right answers are better than "i don't know", and that is better than wrong ones. The same
    command resumes an interrupted run.
    """
    settings = read_recipe(recipe, seed=seed)
    pairs = list(chain.from_iterable(map(preferences, read_rows(data, OwnAnswers))))
    say_notes(pairs)
    _tune(Job(settings, base, sha256(data), out, threads, start), Dpo(pairs), watch, "rules")


@app.command("grpo")
def tune_by_reward(
    recipe: RecipeName,
    base: Base,
    data: Annotated[Path, typer.Option(help="samples of `crag training kg-answers`")],
    out: AdapterFolder,
    start: StartAdapter,
    seed: SeedOption = None,
    threads: Threads = None,
    watch: WatchFile = None,
    judge: JudgeOption = "rules",
) -> None:
    """Tune an adapter by a ternary reward (GRPO).

    A right answer earns 1, a wrong one loses 1. The same command resumes an interrupted run.
    """
    settings = read_recipe(recipe, seed=seed)
    method = Grpo(list(read_rows(data, Sample)), judge_of(judge))
    _tune(Job(settings, base, sha256(data), out, threads, start), method, watch, judge)


def _tune(job: Job, method: Method, watch: Path | None, judge: str) -> None:
    """Run a job, and say what came out."""
    shares = None if watch is None else watch_of(watch, job, judge_of(judge))
    card = tune(job, method, watch=shares)
    say(
        f"{card['samples']} samples, {card['updates']} updates, {card['seconds']} s on "
        f"{card['device']}; loss {card['first_loss']} to {card['last_loss']}\n{job.out}"
    )


@app.command("evaluate")
def compare_adapters(
    recipe: Annotated[str, typer.Argument(help="the recipe that the adapters were made by")],
    llm: Annotated[str, typer.Option(metavar="hf:PATH|vllm:PATH", help="the base")],
    data: Annotated[Path, typer.Option(help="held-out pairs or samples")],
    adapter: Annotated[list[Path] | None, typer.Option(metavar="FOLDER")] = None,
    with_base: Annotated[
        bool, typer.Option("--base/--no-base", help="measure the base beside its adapters")
    ] = True,
    kg: KgPath = EXAMPLE_KG,
    judge: JudgeOption = "rules",
    fold: FoldOption = None,
    copied: Annotated[
        bool, typer.Option("--copied", help="arguments of programs are words of the question")
    ] = False,
    grammar: Annotated[
        bool, typer.Option(help="programs are written under the language's grammar")
    ] = True,
    samples: Annotated[int, typer.Option(min=1, help="programs of a pair, which vote")] = 1,
    curve: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="draw execution match over the samples")
    ] = None,
    ladder: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="draw the answers of each model")
    ] = None,
) -> None:
    """Compare adapters with their base.

    Programs are compared by what they return, answers by CRAG's figures; gains are over the first
    adapter where there are several, else over the base.
    """
    settings = read_recipe(recipe)
    folders = adapter or []
    if not folders and not with_base:
        raise typer.BadParameter("without --adapter there is only the base to measure")
    measures_programs = settings.subtask == "write_query"
    if not measures_programs and (fold or copied or not grammar or samples > 1 or curve):
        raise typer.BadParameter(
            "--fold, --copied, --no-grammar, --samples and --curve are for recipes of write_query"
        )
    if measures_programs and ladder is not None:
        raise typer.BadParameter("--ladder is for recipes of answers")
    if curve is not None:
        for folder in folders:
            evaluate.samples_tuned_on(folder)  # raises before anything is measured
    names = evaluate.named(folders)
    for folder in folders:
        read_adapter(str(folder), str(folder))
        evaluate.refuse_its_own(folder, data, fold or "")
    engine = make_llm(LLMSettings(llm, {name: str(folder) for name, folder in names.items()}))
    models: dict[str, str | None] = {evaluate.BASE: None} if with_base else {}
    models |= {str(folder): name for name, folder in names.items()}
    if measures_programs:
        pairs = evaluate.held_out_pairs(data, fold)
        writing = evaluate.Writing(constrained=grammar, copied=copied, samples=samples)
        figures = evaluate.compare_writers(engine, models, pairs, settings, Kg(kg), writing)
        report = {"figures": figures}
        say(evaluate.figures_table(figures))
        if curve is not None:
            evaluate.plot_learning_curve(curve, folders, figures)
    else:
        questions = list(read_rows(data, Sample))
        chosen_judge = judge_of(judge)
        comparison = truthfulness.compare(engine, models, settings.subtask, questions, chosen_judge)
        report = comparison.as_json()
        say(*comparison.tables())
        if ladder is not None:
            truthfulness.plot_ladder(ladder, comparison.figures)
    for folder in folders:
        write_json(
            folder / evaluate.EVALUATION, {"llm": llm, "data_sha256": sha256(data), **report}
        )


@app.command("demo")
def run_demo(out: OutFolder = Path("runs/train-demo"), kg: KgPath = EXAMPLE_KG) -> int:
    """Tune SmolLM2 to write queries, on a CPU.

    It learns them over the sample KG; at the end, what it learnt is checked.
    """
    return 0 if demo.run_demo(out, kg=kg) else 1
