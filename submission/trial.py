"""The evaluator in small, in a process of its own: import, build, ask, and look at what comes.

Reads a job, writes a report, both JSON files; the checkout that is tried is on PYTHONPATH. The
report is a list of [check, sentence]; an empty one is good.
"""

import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from utils.errors import CragError
from utils.tokens import MAX_ANSWER_TOKENS, estimate_tokens

UNKNOWN = "i don't know"
TOLD = "told"  # in place of a check: nothing that is wrong, but to be known
# Errors, and those below them, that say something of the submission. The rest of our own are a
# question's: a program that cannot be read, a call that the KG refuses.
NOT_A_QUESTIONS = (
    "SettingsError", "LLMError", "MissingPackageError", "DeadlineExceeded", "WeightsError",
)  # fmt: skip
Report = Callable[[str, str], None]
Batch = dict[str, list[Any]]


def run(job: Mapping[str, Any], report: Report, clock: Callable[[], float]) -> None:
    """Build the model as the evaluator does and ask it the job's questions."""
    try:
        from models.user_config import UserModel

        model = UserModel()
        size = model.get_batch_size()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the evaluator would meet it
        report("entry-point", f"models.user_config.UserModel cannot be used: {error!r}")
        return
    if type(size) is not int or not 1 <= size <= 16:
        report("batch-size", f"get_batch_size() must be 1-16, is {size!r}")
        return
    questions: list[dict[str, Any]] = job["questions"]
    said: list[str] = []
    errors = Errors()
    logging.getLogger("models").addHandler(errors)
    for start in range(0, len(questions), size):
        part = questions[start : start + size]
        batch: Batch = {name: [question[name] for question in part] for name in part[0]}
        without = Counter(getattr(model, "given_up", {}))
        begin = clock()
        try:
            answers = model.batch_generate_answer(batch)
        except BaseException as error:  # noqa: BLE001 - as above
            report("entry-point", f"batch_generate_answer raised {error!r}")
            return
        took, allowed = clock() - begin, job["seconds_per_question"] * len(part)
        if took > allowed:
            report("time", f"{len(part)} questions took {took:.1f} s of {allowed:.1f}")
        look_at(answers, len(part), report)
        said += answers if isinstance(answers, list) else []
        gone = Counter(getattr(model, "given_up", {})) - without
        if gone and all(answer == UNKNOWN for answer in answers):
            report("failures", f"a batch had no time: none of its {len(part)} was answered")
    look_back(model, said, errors, report)


def look_back(model: Any, said: Sequence[Any], errors: "Errors", report: Report) -> None:
    """Report what became "i don't know" on the way, for `UserModel` raises nothing."""
    failures = not_a_questions(getattr(model, "failures", {}))
    for kind, count in failures.items():
        report("failures", f"{count} x {errors.first(kind)}")
    if not failures and said and set(said) == {UNKNOWN}:
        report("failures", f"each of {len(said)} answers is {UNKNOWN!r}")
    for what, count in getattr(model, "given_up", {}).items():
        report(TOLD, f"for lack of time {count} questions went without: {what}")


def not_a_questions(failures: Mapping[str, int]) -> dict[str, int]:
    """Of the failures by type, those that more than a question is the reason of."""
    own = {kind.__name__ for kind in _below(CragError)}
    return {name: count for name, count in failures.items() if name not in own}


def _below(kind: type[CragError]) -> list[type[CragError]]:
    """The types below `kind`, without those that are not a question's."""
    kinds = [other for other in kind.__subclasses__() if other.__name__ not in NOT_A_QUESTIONS]
    return kinds + [lower for other in kinds for lower in _below(other)]


class Errors(logging.Handler):
    """What `UserModel` logs of failures, to be told with them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(record.getMessage())

    def first(self, kind: str) -> str:
        """The first sentence that tells of an error of that type, else its name."""
        told = (text for text in self._said if f"{kind}: " in text)
        return next(told, kind)


def look_at(answers: Any, due: int, report: Report) -> None:
    """Report what is wrong with the answers of one batch.

    Tokens are counted by the pessimistic estimate, and not by the tokenizer that the settings name:
    it may be another than the evaluator's.
    """
    if not isinstance(answers, Sequence) or isinstance(answers, str) or len(answers) != due:
        found = len(answers) if isinstance(answers, Sequence) else type(answers).__name__
        report("answer-count", f"{due} questions, answers: {found}")
        return
    for answer in answers:
        if not isinstance(answer, str) or not answer.strip():
            report("answer-text", f"an answer must be a text, is {answer!r:.80}")
        elif (tokens := estimate_tokens(answer)) > MAX_ANSWER_TOKENS:
            report("answer-tokens", f"{tokens} tokens, over {MAX_ANSWER_TOKENS}: {answer:.60}")


def main(job: Path, report: Path) -> None:
    """Run the job in `job`, and write what was found to `report`."""
    found: list[tuple[str, str]] = []

    def note(check: str, says: str) -> None:
        if (check, says) not in found:
            found.append((check, says))

    run(json.loads(job.read_text(encoding="utf-8")), note, time.monotonic)
    report.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
