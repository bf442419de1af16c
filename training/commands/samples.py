"""Commands that make samples: prompts with the answers to learn."""

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer

from evaluation.arguments import GpusPerWorker, RayAddress, Workers
from evaluation.cluster import Cluster
from models.settings import DEFAULT_FILE, load_settings
from models.systems.db3 import Db3Options
from training import batches, labels
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
    Questions,
    say,
    say_notes,
)
from training.kg import EXAMPLE_KG, Kg
from training.kg_answers import KgAnswers
from training.own_answers import choose, confident_samples, make_draw, uncertain_samples
from training.rationales import make_rationales
from training.reading.questions import read_questions
from training.records import (
    OwnAnswers,
    Pair,
    Sample,
    examples_by_id,
    examples_of,
    read_rows,
    write_made,
    write_rows,
)
from training.routes import route_samples
from training.web_answers import WebAnswers
from utils.cli import SettingsFile, new_app
from utils.errors import InputError
from utils.tokens import MAX_ANSWER_TOKENS

app = new_app()


@app.command("kg-answers")
def make_kg_answers(
    pairs: Annotated[Path, typer.Option(help="of `crag training real`")],
    data: DataFiles,
    out: Out,
    kg: KgPath = EXAMPLE_KG,
    context_tokens: Annotated[int, typer.Option(help="as in the system's options")] = 600,
    unknown: Annotated[
        float, typer.Option(min=0, help="contexts without the answer, a pair")
    ] = 0.8,
    apart_from: Annotated[
        Path | None,
        typer.Option(metavar="PAIRS", help="leave out their wordings, and what they ask about"),
    ] = None,
    subtask: Annotated[
        Literal["answer_kg", "answer_web"], typer.Option(help="facts as a list, or as a passage")
    ] = "answer_kg",
    more: MoreFiles = None,
) -> None:
    """Make samples of KG facts and right answers.

    They teach when the facts answer a question, and when they do not.
    """
    examples = examples_by_id([*data, *(more or ())])
    options = Db3Options(prompt="short", context_tokens=context_tokens)
    maker = KgAnswers(Kg(kg), options, unknown, subtask)
    chosen_pairs = list(read_rows(pairs, Pair))
    if apart_from is not None:
        all_pairs = chosen_pairs
        chosen_pairs = list(maker.apart(all_pairs, read_rows(apart_from, Pair)))
        if not chosen_pairs:
            raise InputError(f"no pair of {pairs} is apart from {apart_from}")
        say(f"{len(chosen_pairs)} of {len(all_pairs)} pairs are apart from {apart_from}")
    missing = sum(pair.id not in examples for pair in chosen_pairs)
    if missing:
        say(f"{missing} of {len(chosen_pairs)} pairs have no question in the data: left out")
    samples = list(maker.samples(chosen_pairs, examples))
    write_made(
        out,
        samples,
        f"no pair of {pairs} has both a question with an answer in the data, by its id, and a "
        f"program that returns something over the KG {kg}: do they belong together?",
    )
    say_notes(samples)


@app.command("web-answers")
def make_web_answers(
    data: DataFiles,
    out: Out,
    context_tokens: Annotated[int, typer.Option(help="as in the system's options")] = 300,
    more: MoreFiles = None,
) -> None:
    """Make samples of web passages and right answers.

    The questions come with `passages`, or with CRAG's web pages. Whether they contain the answer is
    decided by its words.
    """
    questions = chain.from_iterable(map(read_questions, [*data, *(more or ())]))
    samples = list(WebAnswers(list(questions), context_tokens).samples())
    write_made(out, samples, "no question of the data has a right answer and passages or pages")
    say_notes(samples)


@app.command("routes")
def make_routes(data: DataFiles, out: Out, more: MoreFiles = None) -> None:
    """Make samples that teach the topic of a question."""
    examples = examples_by_id([*data, *(more or ())])
    samples = list(route_samples(examples.values(), Db3Options(prompt="short")))
    write_made(out, samples, "no question of the data has a domain")
    say(f"{len(samples)} samples")


@app.command("labels")
def make_labels(
    data: Questions,
    out: OutFolder,
    judge: Annotated[
        str | None, typer.Option(metavar="SPEC", help="the engine that checks; default: the same")
    ] = None,
    limit: Limit = None,
    part: ChosenPart = "train",
    settings: SettingsFile = DEFAULT_FILE,
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Label answers by the engines of the settings.

    The labels are db3's (section 2.4). The same command resumes an interrupted run.
    """
    engines = labels.with_judge(load_settings(settings), judge)
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    make = partial(labels.make_labeller, settings=engines)
    examples = examples_of(data, part, limit)
    samples = batches.rows(make, examples, BATCH, out / "calls.sqlite", cluster)
    if not samples:
        raise InputError(f"nothing to write into {out}: {data} has no question with pages or facts")
    say(labels.branch_table(labels.write_out(samples, out)))
    if engines.api_url is None:
        say("no labels of answer_kg: the settings have no api_url")


@app.command("rationales")
def write_reasons(
    data: Questions,
    out: Out,
    judge: JudgeOption = "rules",
    limit: Limit = None,
    part: ChosenPart = "train",
    settings: SettingsFile = DEFAULT_FILE,
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Write reasons for known answers.

    The engine of the settings writes them (dragonrangers, section 3.1).
    """
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    examples = (replace(example, pages=()) for example in examples_of(data, part, limit))
    make = partial(make_rationales, settings=load_settings(settings), judge=judge)
    rationales = batches.rows(make, examples, 4 * BATCH, out.with_suffix(CALLS), cluster)
    if not rationales:
        raise InputError(f"{data} has no questions in the part {part!r}")
    write_rows(out, [each.sample for each in rationales if each.sample is not None])
    outcomes = Counter(each.outcome for each in rationales)
    counts = ", ".join(f"{outcome} {count}" for outcome, count in outcomes.items())
    say(f"{len(rationales)} questions: {counts}")


@app.command("draw")
def draw_answers(
    llm: Annotated[str, typer.Option(metavar="SPEC", help="the engine, such as hf:PATH")],
    data: Annotated[Path, typer.Option(help="samples of `crag training kg-answers`")],
    out: Out,
    adapter: Annotated[Path | None, typer.Option(metavar="FOLDER", help="default: none")] = None,
    count: Annotated[int, typer.Option(min=2, help="answers to each sample")] = 8,
    max_tokens: Annotated[int, typer.Option(min=1, help="of an answer")] = MAX_ANSWER_TOKENS,
    limit: Annotated[int | None, typer.Option(min=1, help="samples, drawn at random")] = None,
    judge: JudgeOption = "rules",
    mixed: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write samples with several verdicts here")
    ] = None,
) -> None:
    """Draw a model's own answers, and judge them.

    ConfQA and DPO learn from them. GRPO learns most from the samples that a model answers now
    rightly, now wrongly. The same command resumes an interrupted run.
    """
    samples = choose(list(read_rows(data, Sample)), limit)
    make = partial(
        make_draw,
        spec=llm,
        adapter=adapter,
        judge=judge,
        api_key=load_settings().judge_api_key,
        count=count,
        max_tokens=max_tokens,
    )
    rows = batches.rows(make, samples, BATCH, out.with_suffix(CALLS))
    write_made(out, rows, f"{data} has no samples")
    uncertain = uncertain_samples(rows)
    if mixed is not None:
        write_rows(mixed, uncertain)
    verdicts = Counter(chain.from_iterable(row.verdicts for row in rows))
    say(", ".join(f"{verdict} {count}" for verdict, count in verdicts.items()))
    say(f"{len(uncertain)} of {len(rows)} samples have several verdicts")


@app.command("confident")
def label_confidently(
    data: Annotated[Path, typer.Option(help="of `crag training draw`")],
    out: Out,
    least: Annotated[int, typer.Option(min=1, help="right answers that make one sure")] = 5,
) -> None:
    """Label samples by a model's own answers.

    Where it is right too seldom, it learns to say "i don't know" (ConfQA).
    """
    rows = list(read_rows(data, OwnAnswers))
    if not rows:
        raise InputError(f"{data} has no answers of a model")
    samples = confident_samples(rows, least)
    write_rows(out, samples)
    changed = sum(sample != row.sample for sample, row in zip(samples, rows, strict=True))
    say(f"{len(samples)} samples, of which {changed} learn not to answer")
