"""The content of a run's folder, read without changing it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import ABOUT, RESULTS, RUN, read_object, read_results, read_traces
from evaluation.score import Result
from models.records import Source
from models.runtime.confidence_model import STEP as CONFIDENCE
from models.runtime.trace import Step

RECORDED = ("command", "commit", "started", "finished", "dataset sha256", "machine")  # in ABOUT
NOT_RECORDED = "not recorded"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The content of a run's folder.

    Attributes:
        results: by question id, in the order of the run.
        settings: by name.
        about: its command, commit, times, data and machine, or "not recorded".
        notes: counts of skipped rows, of work left out and of lost workers.
        traces: the steps of each question, by its id; empty where the run kept none.
    """

    folder: Path
    results: Mapping[str, Result]
    settings: Mapping[str, str]
    about: Mapping[str, str]
    notes: Mapping[str, int]
    traces: Mapping[str, Sequence[Step]]

    def source(self, question: str) -> str:
        """What the answer comes from: "kg", "web", "model", "no answer" or "not recorded"."""
        if question not in self.traces:
            return NOT_RECORDED
        if self.results[question].verdict is Verdict.MISSING:
            return "no answer"
        sure = self._answer_step(question).confidence
        return next((s.value for s in (Source.KG, Source.WEB) if sure.get(f"from_{s}")), "model")

    def confidences(self) -> dict[str, dict[str, float]]:
        """The confidence figures of the answers, by figure and question; the commonest first.

        `chance` is the output of the confidence model. Features that are facts are left out.
        """
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for id, steps in self.traces.items():
            if id not in self.results or self.results[id].verdict is Verdict.MISSING:
                continue
            chance = self._answer_step(id).inputs.get("chance")
            sure = {} if chance is None else {"chance": float(chance)}
            for step in steps:
                sure |= step.confidence
            for name in sure:
                if name != "invalid" and not name.startswith(("from_", "about_")):
                    found[name][id] = sure[name]
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def _answer_step(self, question: str) -> Step:
        """The step with the features of the answer, or an empty one."""
        steps = self.traces.get(question, ())
        return next((step for step in reversed(steps) if step.name == CONFIDENCE), Step(""))


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
    settings = summary.get("settings") or read_object(folder / RUN)
    return FinishedRun(folder, results, settings, about, summary.get("notes") or {},
                       read_traces(folder))  # fmt: skip
