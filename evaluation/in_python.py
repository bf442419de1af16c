"""An evaluation from Python, without the command line."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evaluation.dataset import Example, example_of
from evaluation.judge.protocol import Judge
from evaluation.judge.rules import RulesJudge
from evaluation.page.report import write_report_page
from evaluation.report import Report, as_json
from evaluation.run_folder import RESULTS, RunFolder, named_folder, write_json
from evaluation.runner import (
    Answerer,
    OfficialModel,
    Run,
    SetupFailed,
    raise_if_every_question_failed,
)
from utils.errors import InputError
from utils.tokens import cut_answer


def evaluate(
    model: OfficialModel,
    rows: Iterable[Mapping[str, Any]],
    judge: Judge | None = None,
    out: Path | None = None,
    *,
    resume: bool = False,
) -> Report:
    """Answer and judge questions.

    Args:
        model: a `UserModel`, or any class of the official kit's form.
        rows: dicts as in CRAG's files: `query` and `answer`, and, if wanted, `interaction_id`,
            `query_time`, `search_results` (a `page_file` is relative to the working directory),
            `alt_ans`, `domain` and the other slices.
        judge: by default the rules.
        out: a folder for the run, which must be new or empty: `crag view`, `crag runs compare` and
            the like take it. None: nothing is written, and a run that stops loses its answers.
        resume: go on with the run in `out`; only questions without an answer of it are asked.

    Returns:
        the report: `metrics` has the figures, `results` the verdict of each question.

    Raises:
        InputError: there is no row, a row has no `query` or the id of an earlier one, or `out`
            cannot be used.
        SetupFailed: the setup failed for the whole first or last batch, or for two in a row.
        EveryQuestionFailed: no question has an answer, and each has a failure.
    """
    answerer = Answerer(model, cut_answer)
    examples = _examples(rows)
    judge = judge or RulesJudge()
    with ExitStack() as stack:
        is_kept = out is not None
        if out is None:
            folder = Path(stack.enter_context(TemporaryDirectory()))
        else:
            folder = named_folder(out, resume=resume)
        run_folder = RunFolder(folder)
        stack.callback(run_folder.discard_if_unused)
        settings = {"system": type(model).__name__, "dataset": "rows", "judge": judge.name}
        done = run_folder.start(settings)
        batch_size = model.get_batch_size()
        run = Run(partial(map, answerer), judge, run_folder, batch_size, traced=is_kept)
        results = run.go(examples, done, lambda _: None)
        if not results:
            raise InputError("there are no questions")
        report = Report(results, settings, run.counts)
        if is_kept:
            write_json(folder / RESULTS, as_json(report))
            write_report_page(folder)
    if run.failed_at_the_end is not None:
        raise SetupFailed(f"the setup failed at the end: {run.failed_at_the_end}")
    raise_if_every_question_failed(results)
    return report


def _examples(rows: Iterable[Mapping[str, Any]]) -> Iterator[Example]:
    """The rows as questions; the place of one without an id is its id."""
    ids: set[str] = set()
    for number, row in enumerate(rows, 1):
        place = f"row {number}"
        if not isinstance(row, Mapping):
            raise InputError(f"{place}: not a dict")
        example = example_of(row, place, f"row-{number}", Path())
        if example.id in ids:
            raise InputError(f"{place}: another row has the interaction_id {example.id!r}")
        ids.add(example.id)
        yield example
