"""An evaluation from Python: no run folder, no command line."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.dataset import Example, example_of
from evaluation.judge.protocol import Judge
from evaluation.judge.rules import RulesJudge
from evaluation.report import Report
from evaluation.runner import (
    Answerer,
    OfficialModel,
    judged,
    raise_if_every_question_failed,
)
from evaluation.score import QuestionResult
from utils.errors import InputError
from utils.tokens import cut_answer


def evaluate(
    model: OfficialModel, rows: Iterable[Mapping[str, Any]], judge: Judge | None = None
) -> Report:
    """Answer and judge questions.

    Args:
        model: a `UserModel`, or any class of the official kit's form.
        rows: dicts as in CRAG's files: `query` and `answer`, and, if wanted, `interaction_id`,
            `query_time`, `search_results` (a `page_file` is relative to the working directory),
            `alt_ans`, `domain` and the other slices.
        judge: by default the rules.

    Returns:
        the report: `metrics` has the figures, `results` the verdict of each question.

    Raises:
        InputError: there is no row, or a row has no `query` or the id of an earlier one.
        EveryQuestionFailed: no question has an answer, and each has a failure.
    """
    answer = Answerer(model, cut_answer)
    judge = judge or RulesJudge()
    results: list[QuestionResult] = []
    examples = _examples(rows)
    while batch := list(islice(examples, model.get_batch_size())):
        results += judged(judge, batch, answer(batch))
    if not results:
        raise InputError("there are no questions")
    raise_if_every_question_failed(results)
    return Report(results)


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
