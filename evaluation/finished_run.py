"""The content of a run's folder, read without changing it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from evaluation.judge.protocol import Verdict
from evaluation.labels import Label, read_labels
from evaluation.run_folder import ABOUT, RESULTS, RUN, read_object, read_results, read_traces
from evaluation.score import QuestionResult
from models.records import Source
from models.runtime.confidence_model import STEP as CONFIDENCE_STEP
from models.runtime.trace import Step

RECORDED = ("command", "commit", "started", "finished", "dataset sha256", "machine")  # in ABOUT
NOT_RECORDED = "not recorded"
# Features of an answer that are facts about it, not figures of confidence.
_FACT_FEATURES = ("from_", "about_")


@dataclass(frozen=True)
class FinishedRun:
    """The content of a run's folder.

    Attributes:
        results: by question id, in the order of the run.
        settings: by name.
        about: its command, commit, times, data and machine, or "not recorded".
        notes: counts of skipped rows, of work left out and of lost workers.
        traces: the steps of each question, by its id; empty where the run has no traces.
    """

    folder: Path
    results: Mapping[str, QuestionResult]
    settings: Mapping[str, str]
    about: Mapping[str, str]
    notes: Mapping[str, int]
    traces: Mapping[str, Sequence[Step]]

    @cached_property
    def labels(self) -> dict[str, Label]:
        """The verdicts by hand on its answers, by question."""
        return {
            id: label
            for id, label in read_labels(self.folder).items()
            if id in self.results and self.results[id].prediction == label.prediction
        }

    @cached_property
    def timed_each(self) -> bool:
        """Whether the model told the time of every answer, not only of its batch."""
        return all(result.answered_after is not None for result in self.results.values())

    def source(self, question: str) -> str:
        """The source of the answer: "kg", "web", "model", "no answer" or "not recorded"."""
        if question not in self.traces:
            return NOT_RECORDED
        if self.results[question].verdict is Verdict.MISSING:
            return "no answer"
        features = self._answer_step(question).confidence
        for source in (Source.KG, Source.WEB):
            if features.get(f"from_{source}"):
                return source.value
        return "model"

    def confidences(self) -> dict[str, dict[str, float]]:
        """The confidence figures of the answers, by figure and question; the most frequent first.

        `chance` is the output of the confidence model. Features that are facts are left out.
        """
        figures: dict[str, dict[str, float]] = defaultdict(dict)
        for id in self.traces:
            if id not in self.results or self.results[id].verdict is Verdict.MISSING:
                continue
            for name, value in self._confidences_of(id).items():
                figures[name][id] = value
        return dict(sorted(figures.items(), key=lambda item: -len(item[1])))

    def _confidences_of(self, question: str) -> dict[str, float]:
        """The confidence figures of one answer; of several steps with one figure, the last's."""
        figures: dict[str, float] = {}
        chance = self._answer_step(question).inputs.get("chance")
        if chance is not None:
            figures["chance"] = float(chance)
        for step in self.traces[question]:
            figures |= step.confidence
        return {
            name: value
            for name, value in figures.items()
            if name != "invalid" and not name.startswith(_FACT_FEATURES)
        }

    def _answer_step(self, question: str) -> Step:
        """The last step with the features of the answer, or an empty one."""
        for step in reversed(self.traces.get(question, ())):
            if step.name == CONFIDENCE_STEP:
                return step
        return Step("")


def read_run(folder: Path) -> FinishedRun:
    """The run in `folder`.

    Raises:
        InputError: it holds no predictions, or a file in it is not what an evaluation writes.
    """
    results = read_results(folder)
    labels = sorted([id, result.query, *result.golds] for id, result in results.items())
    about = {
        "folder": str(folder),
        **dict.fromkeys(RECORDED, NOT_RECORDED),
        **{name: str(value) for name, value in read_object(folder / ABOUT).items()},
        "questions sha256": sha256(json.dumps(labels).encode()).hexdigest(),
    }
    summary = read_object(folder / RESULTS)
    return FinishedRun(
        folder=folder,
        results=results,
        settings=summary.get("settings") or read_object(folder / RUN),
        about=about,
        notes=summary.get("notes") or {},
        traces=read_traces(folder),
    )
