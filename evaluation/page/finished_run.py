"""A run's folder, read without changing it."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import PREDICTIONS, RESULTS, RUN, read_object, read_results, read_traces
from evaluation.score import Result
from models.records import Source
from models.runtime.confidence import STEP as CONFIDENCE

ABOUT = "about.json"  # texts by name
RECORDED = ("command", "commit", "started", "finished", "dataset sha256", "machine")  # in ABOUT
NOT_RECORDED = "not recorded"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """What a run left in its folder.

    Attributes:
        results: by question id, in the order of the run.
        settings: what it was run with.
        about: its command, commit, times, data and machine; what is not recorded says so.
        notes: how often something was skipped or given up.
        traces: the steps of each question, by its id; empty where the run kept none.
    """

    folder: Path
    results: Mapping[str, Result]
    settings: Mapping[str, str]
    about: Mapping[str, str]
    notes: Mapping[str, int]
    traces: Mapping[str, list[dict[str, Any]]]

    def source(self, question: str) -> str:
        """What the answer comes from: "kg", "web", "model", "no answer" or "not recorded"."""
        if question not in self.traces:
            return NOT_RECORDED
        if self.results[question].verdict is Verdict.MISSING:
            return "no answer"
        sure = self._last_step(question).get("confidence", {})
        return next((s.value for s in (Source.KG, Source.WEB) if sure.get(f"from_{s}")), "model")

    def confidences(self) -> dict[str, dict[str, float]]:
        """How sure each answer is, by figure and question; the commonest figure first.

        `chance` is what the confidence model made of the other figures. Facts are left out.
        """
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for id in (id for id, r in self.results.items() if r.verdict is not Verdict.MISSING):
            sure = {"chance": self._last_step(id).get("inputs", {}).get("chance")}
            for step in self.traces.get(id, []):
                sure |= step["confidence"]
            for name, value in sure.items():
                fact = name == "invalid" or name.startswith(("from_", "about_"))
                if value is not None and not fact:
                    found[name][id] = float(value)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def _last_step(self, question: str) -> dict[str, Any]:
        """The step that bears the features of the answer; empty where there is none."""
        steps = self.traces.get(question, [])
        return next((step for step in reversed(steps) if step["name"] == CONFIDENCE), {})


def read_run(folder: Path) -> FinishedRun:
    """The run in `folder`.

    Raises:
        InputError: it holds no predictions, or a file in it is not what an evaluation writes.
    """
    results = read_results(folder / PREDICTIONS)
    traces = {row["id"]: row["steps"] for row in read_traces(folder)}
    labels = sorted([id, result.query, *result.golds] for id, result in results.items())
    about = {
        "folder": str(folder),
        **dict.fromkeys(RECORDED, NOT_RECORDED),
        "started": _written(folder / RUN),
        "finished": _written(folder / PREDICTIONS),
        **{name: str(value) for name, value in read_object(folder / ABOUT).items()},
        "questions sha256": sha256(json.dumps(labels).encode()).hexdigest(),
    }
    summary = read_object(folder / RESULTS)
    settings = summary.get("settings") or read_object(folder / RUN)
    return FinishedRun(folder, results, settings, about, summary.get("notes") or {}, traces)


def _written(file: Path) -> str:
    """When `file` was last written: run.json as a run starts, predictions.jsonl until it ends."""
    if not file.exists():
        return NOT_RECORDED
    return f"{datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d %H:%M:%S} (time of {file.name})"
