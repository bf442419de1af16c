"""An evaluation from Python: no run folder, no command line."""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.dataset import example_of
from evaluation.judge.protocol import Judge
from evaluation.judge.rules import RulesJudge
from evaluation.report import Report
from evaluation.runner import Answerer, OfficialModel, judged
from evaluation.score import QuestionResult
from utils.tokens import cut_answer


def evaluate(
    model: OfficialModel, rows: Iterable[Mapping[str, Any]], judge: Judge | None = None
) -> Report:
    """Answer and judge questions.

    Args:
        model: a `UserModel`, or any class of the official kit's form.
        rows: dicts as in CRAG's files: `query` and `answer`, and, if wanted, `interaction_id`,
            `query_time`, `search_results`, `alt_ans`, `domain` and the other slices.
        judge: by default the rules.

    Returns:
        the report: `metrics` has the figures, `results` the verdict of each question.

    Raises:
        InputError: a row has no `query`.
    """
    answer = Answerer(model, cut_answer)
    examples = (
        example_of(row, f"row {number}", f"row-{number}", Path())
        for number, row in enumerate(rows, 1)
    )
    results: list[QuestionResult] = []
    while batch := list(islice(examples, model.get_batch_size())):
        results += judged(judge or RulesJudge(), batch, answer(batch))
    return Report(results)
