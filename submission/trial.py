"""The evaluator in small: import and build the model, ask it, and check what it returns.

`python -m submission.trial JOB REPORT`, with the image's files on PYTHONPATH. Both are JSON files;
the report is a list of [check, sentence], empty if there is no problem.
"""

import json
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from models.llm.errors import LLMError
from models.records import IDK, MAX_BATCH
from models.settings import load_settings
from submission.imports import unpinned_imports
from utils.errors import CragError, DeadlineExceeded, MissingPackageError, SettingsError
from utils.model_files import WeightsError
from utils.tokens import MAX_ANSWER_TOKENS, TokenCounter, load_counter

NOTE = "note"  # in place of a check's name: no problem, only information
# Errors of ours that say something about the submission. The others concern one question: a program
# that cannot be parsed, a call that the KG rejects.
_OF_SUBMISSION = (SettingsError, LLMError, MissingPackageError, DeadlineExceeded, WeightsError)
ReportProblem = Callable[[str, str], None]  # of a check's name and a sentence
_GRACE_S = 1.0  # beyond the time of a batch, before the run is ended
_IMAGE = Path(__file__).resolve().parent.parent


class Report:
    """The problems and notes of a run, in order, each once; written to `file` at the end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines: dict[tuple[str, str], None] = {}

    def add(self, check: str, text: str) -> None:
        """A problem under its check, or a note."""
        self._lines[check, text] = None

    def write(self) -> None:
        """Write the file."""
        self._file.write_text(json.dumps(list(self._lines)), encoding="utf-8")

    @contextmanager
    def limit(self, seconds: float, what: str) -> Iterator[None]:
        """End the process, with a report, if `what` takes longer: nothing else stops a model that
        hangs."""

        def end() -> None:
            self.add("time", f"{what} did not end within {seconds:g} s")
            self.write()
            os._exit(0)

        timer = Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def run_job(job: Mapping[str, Any], report: Report) -> None:
    """Build the model as the evaluator does and ask it the job's questions."""
    try:
        with report.limit(job["load_s"], "loading the model"):
            from models.user_config import UserModel

            model = UserModel()
            size = model.get_batch_size()
        count_tokens = load_counter(load_settings().tokenizer)
    except BaseException as error:  # noqa: BLE001 - the evaluator would meet any of them
        problem = f"models.user_config.UserModel cannot be used: {_in_words(error)}"
        report.add("entry-point", problem)
        return
    if type(size) is not int or not 1 <= size <= MAX_BATCH:
        report.add("batch-size", f"get_batch_size() must be 1-{MAX_BATCH}, is {size!r}")
        return
    questions: list[dict[str, Any]] = job["questions"]
    seconds_per_question = job["seconds_per_question"]
    trial = Trial(model, seconds_per_question, report.add, count_tokens)
    for start in range(0, len(questions), size):
        batch = questions[start : start + size]
        seconds = seconds_per_question * len(batch) + _GRACE_S
        with report.limit(seconds, f"a batch of {len(batch)} questions"):
            went_on = trial.ask(batch)
        if not went_on:
            return
        progress = f"{start + len(batch)}/{len(questions)} asked"
        Path(job["progress"]).write_text(progress, encoding="utf-8")
    trial.report_totals()
    for problem in unpinned_imports(_IMAGE):
        report.add("requirements", problem)


def _in_words(error: BaseException) -> str:
    """An error, and where in the model's own files it was raised."""
    places = []
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(_IMAGE) and file.parent != Path(__file__).parent:
            places.append(f" ({file.relative_to(_IMAGE)}, line {frame.lineno})")
    return f"{type(error).__name__}: {error}{places[-1] if places else ''}"


class Trial:
    """The answers and failures of a model, batch by batch."""

    def __init__(
        self,
        model: Any,
        seconds_per_question: float,
        report: ReportProblem,
        count_tokens: TokenCounter,
    ) -> None:
        self._model = model
        self._count_tokens = count_tokens
        self._seconds_per_question = seconds_per_question
        self._report = report
        self._answers: list[Any] = []
        self._failures: list[BaseException] = []
        self._omissions: Counter[str] = Counter()

    def ask(self, questions: Sequence[Mapping[str, Any]]) -> bool:
        """Ask one batch, and report what is wrong with its answers; False if the model raised."""
        batch = {name: [question[name] for question in questions] for name in questions[0]}
        start = time.monotonic()
        try:
            answers = self._model.batch_generate_answer(batch)
        except BaseException as error:  # noqa: BLE001 - as above
            problem = f"batch_generate_answer raised {_in_words(error)}"
            self._report("entry-point", problem)
            return False
        seconds = time.monotonic() - start
        allowed = self._seconds_per_question * len(questions)
        if seconds > allowed:
            problem = f"{len(questions)} questions took {seconds:.1f} s of {allowed:.1f}"
            self._report("time", problem)
        check_answers(answers, len(questions), self._report, self._count_tokens)
        if isinstance(answers, list):
            self._answers += answers
        self._failures += failures_of_submission(self._model)
        before = self._omissions
        self._omissions = Counter(getattr(self._model, "given_up", {}))
        if self._omissions - before and all(answer == IDK for answer in answers):
            problem = f"a batch ran out of time: none of its {len(questions)} was answered"
            self._report("failures", problem)
        return True

    def report_totals(self) -> None:
        """Report the failures by type, and what was omitted for lack of time."""
        first_errors: dict[str, BaseException] = {}
        for error in self._failures:
            first_errors.setdefault(type(error).__name__, error)
        counts = Counter(type(error).__name__ for error in self._failures)
        for name, count in counts.items():
            self._report("failures", f"{count} x {name}: {first_errors[name]}")
        if not self._failures and self._answers and set(self._answers) == {IDK}:
            self._report("failures", f"each of {len(self._answers)} answers is {IDK!r}")
        for step, count in self._omissions.items():
            note = f"{count} questions were answered without {step}, for lack of time"
            self._report(NOTE, note)


def failures_of_submission(model: Any) -> Iterator[BaseException]:
    """The errors of the last batch that are faults of the submission, not of a single question."""
    for failures in getattr(model, "last_failures", []):
        for failure in failures:
            error = failure.error
            if isinstance(error, _OF_SUBMISSION) or not isinstance(error, CragError):
                yield error


def check_answers(
    answers: Any, count: int, report: ReportProblem, count_tokens: TokenCounter
) -> None:
    """Report what is wrong with the answers of one batch of `count` questions.

    Tokens are counted as for the cut at 75: by the tokenizer of the settings, else estimated.
    """
    if not isinstance(answers, Sequence) or isinstance(answers, str):
        report("answer-count", f"{count} questions, answers: {type(answers).__name__}")
        return
    if len(answers) != count:
        report("answer-count", f"{count} questions, answers: {len(answers)}")
        return
    for answer in answers:
        if not isinstance(answer, str) or not answer.strip():
            report("answer-text", f"an answer must be a text, is {answer!r:.80}")
            continue
        tokens = count_tokens(answer)
        if tokens > MAX_ANSWER_TOKENS:
            report("answer-tokens", f"{tokens} tokens, over {MAX_ANSWER_TOKENS}: {answer:.60}")


def main(job: Path, report: Path) -> None:
    """Run the job in `job`, and write its problems and notes to `report`."""
    lines = Report(report)
    run_job(json.loads(job.read_text(encoding="utf-8")), lines)
    lines.write()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
