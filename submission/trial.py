"""The evaluator in small: import and build the model, ask it, and check what it returns.

`python -m submission.trial JOB REPORT`, with the checkout on PYTHONPATH. Both are JSON files; the
report is a list of [check, sentence], empty if there is no problem.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from models.llm.errors import LLMError
from models.records import IDK
from utils.errors import CragError, DeadlineExceeded, MissingPackageError, SettingsError
from utils.model_files import WeightsError
from utils.tokens import MAX_ANSWER_TOKENS, estimate_tokens

NOTE = "note"  # in place of a check's name: no problem, only information
# Errors of ours that say something about the submission. The others concern one question: a program
# that cannot be parsed, a call that the KG rejects.
_OF_SUBMISSION = (SettingsError, LLMError, MissingPackageError, DeadlineExceeded, WeightsError)
Report = Callable[[str, str], None]


def run(job: Mapping[str, Any], report: Report) -> None:
    """Build the model as the evaluator does and ask it the job's questions."""
    try:
        from models.user_config import UserModel

        model = UserModel()
        size = model.get_batch_size()
    except BaseException as error:  # noqa: BLE001 - the evaluator would meet any of them
        report("entry-point", f"models.user_config.UserModel cannot be used: {error!r}")
        return
    if type(size) is not int or not 1 <= size <= 16:
        report("batch-size", f"get_batch_size() must be 1-16, is {size!r}")
        return
    questions: list[dict[str, Any]] = job["questions"]
    said: list[Any] = []
    failures: list[BaseException] = []
    given_up: Counter[str] = Counter()
    for start in range(0, len(questions), size):
        part = questions[start : start + size]
        batch = {name: [question[name] for question in part] for name in part[0]}
        begin = time.monotonic()
        try:
            answers = model.batch_generate_answer(batch)
        except BaseException as error:  # noqa: BLE001 - as above
            report("entry-point", f"batch_generate_answer raised {error!r}")
            return
        took, allowed = time.monotonic() - begin, job["seconds_per_question"] * len(part)
        if took > allowed:
            report("time", f"{len(part)} questions took {took:.1f} s of {allowed:.1f}")
        check_answers(answers, len(part), report)
        said += answers if isinstance(answers, list) else []
        failures += failures_of_submission(model)
        before, given_up = given_up, Counter(getattr(model, "given_up", {}))
        if given_up - before and all(answer == IDK for answer in answers):
            report("failures", f"a batch ran out of time: none of its {len(part)} was answered")
    first = {type(error).__name__: error for error in reversed(failures)}
    for kind, count in Counter(type(error).__name__ for error in failures).items():
        report("failures", f"{count} x {kind}: {first[kind]}")
    if not failures and said and set(said) == {IDK}:
        report("failures", f"each of {len(said)} answers is {IDK!r}")
    for what, count in given_up.items():
        report(NOTE, f"{count} questions were answered without {what}, for lack of time")


def failures_of_submission(model: Any) -> Iterator[BaseException]:
    """The errors of the last batch that are faults of the submission, not of a single question."""
    for failures in getattr(model, "last_failures", []):
        for error in (failure.error for failure in failures):
            if isinstance(error, _OF_SUBMISSION) or not isinstance(error, CragError):
                yield error


def check_answers(answers: Any, due: int, report: Report) -> None:
    """Report what is wrong with the answers of one batch.

    Tokens are counted by the pessimistic estimate: the evaluator's tokenizer may be another than
    that of the settings.
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
    found: dict[tuple[str, str], None] = {}  # in order, each once
    content = json.loads(job.read_text(encoding="utf-8"))
    run(content, lambda check, says: found.update({(check, says): None}))
    report.write_text(json.dumps(list(found)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
