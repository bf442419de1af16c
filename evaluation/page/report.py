"""report.html: one run, its figures and every question with its trace."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.dataset import SLICES
from evaluation.finished_run import FinishedRun, read_run
from evaluation.page.figures import curve, stages
from evaluation.page.html import write_page
from evaluation.score import group_of, measure
from models.prompts import FOLDER, load_prompt

REPORT_PAGE = "report.html"


def write_report_page(folder: Path) -> Path:
    """Write `report.html` into the folder of a finished run, and return its path.

    Raises:
        InputError: the folder holds no run, or the page cannot be written.
    """
    run = read_run(folder)
    results = list(run.results.values())
    figures = {
        "metrics": measure(results).as_dict(),
        "curves": {name: curve(results, sure) for name, sure in run.confidences().items()},
        "stages": stages(run.traces.values()),
    }
    data = {
        "kind": "report",
        "runs": [described(run)],
        "prompts": prompts(),
        "figures": figures,
        "settings": run.settings,
        "about": run.about,
        "notes": run.notes,
    }
    return write_page(
        folder / REPORT_PAGE,
        f"{run.settings.get('system', 'evaluation')} on {run.settings.get('dataset', folder.name)}",
        data,
        [question_row(id, [run]) for id in run.results],
        [[run.traces.get(id, ())] for id in run.results],
    )


def described(run: FinishedRun, label: str = "") -> dict[str, Any]:
    """The names of a run, and whether it has traces. `label`: its column beside other runs."""
    return {"label": label, "name": run.folder.resolve().name, "traced": bool(run.traces)}


def question_row(id: str, runs: Sequence[FinishedRun]) -> dict[str, Any]:
    """A question in the table, with what became of it in each run."""
    first = runs[0].results[id]
    return {
        "id": id,
        "query": first.query,
        "golds": first.golds,
        **{name: group_of(first, name) for name in SLICES},
        "runs": [_outcome(run, id) for run in runs],
    }


def prompts() -> dict[str, Any]:
    """The turns of every prompt, by its name: a trace has the values that stand in them."""
    names = sorted(str(file.relative_to(FOLDER).with_suffix("")) for file in FOLDER.glob("*/*.txt"))
    return {name: load_prompt(name).turns for name in names}


def _outcome(run: FinishedRun, id: str) -> dict[str, Any]:
    result = run.results[id]
    rows = result.usage.values()
    return {
        "answer": result.prediction,
        "verdict": result.verdict,
        "reason": result.reason,
        "seconds": result.seconds,
        "source": run.source(id),
        "failures": result.failures,
        "tokens": sum(row["prompt"] + row["completion"] for row in rows),
        "dollars": sum(row["dollars"] for row in rows),
    }
