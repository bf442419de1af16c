"""The evaluator in small, in a process of its own: import, build, ask, and look at what comes.

Reads a job, writes a report, both JSON files; runs in the root of the checkout that is tried. The
report is a list of [check, sentence]; an empty one is good. Python's own connections to anywhere
but this machine are refused and reported; what native libraries do is not seen.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

LOCAL = ("localhost", "127.0.0.1", "::1", "", None)
Report = Callable[[str, str], None]
Batch = dict[str, list[Any]]


class Refused(ConnectionRefusedError):
    """A connection to elsewhere, which the evaluator has not."""


def watch(report: Report) -> None:
    """From now on, refuse and report what leaves this machine."""

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host = arguments[1][0]
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            host = arguments[0]
        else:
            return
        host = host.decode() if isinstance(host, bytes) else host
        if host in LOCAL or str(host).startswith("127."):
            return
        report("network", f"the model connects to {host}")
        raise Refused(f"no network here: {host}")

    sys.addaudithook(look)


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
    for start in range(0, len(questions), size):
        part = questions[start : start + size]
        batch: Batch = {name: [question[name] for question in part] for name in part[0]}
        begin = clock()
        try:
            answers = model.batch_generate_answer(batch)
        except BaseException as error:  # noqa: BLE001 - as above
            report("entry-point", f"batch_generate_answer raised {error!r}")
            return
        took, allowed = clock() - begin, job["seconds_per_question"] * len(part)
        if took > allowed:
            report("time", f"{len(part)} questions took {took:.1f} s of {allowed:.1f}")
        look_at(answers, len(part), job["tokenizer"], report)


def look_at(answers: Any, due: int, tokenizer: str | None, report: Report) -> None:
    """Report what is wrong with the answers of one batch."""
    from utils.tokens import MAX_ANSWER_TOKENS, load_counter

    if not isinstance(answers, Sequence) or isinstance(answers, str) or len(answers) != due:
        found = len(answers) if isinstance(answers, Sequence) else type(answers).__name__
        report("answer-count", f"{due} questions, answers: {found}")
        return
    count = load_counter(Path(tokenizer) if tokenizer else None)
    for answer in answers:
        if not isinstance(answer, str) or not answer.strip():
            report("answer-text", f"an answer must be a text, is {answer!r:.80}")
        elif count(answer) > MAX_ANSWER_TOKENS:
            report(
                "answer-tokens", f"{count(answer)} tokens, over {MAX_ANSWER_TOKENS}: {answer:.60}"
            )


def main(job: Path, report: Path) -> None:
    """Run the job in `job`, and write what was found to `report`."""
    found: list[tuple[str, str]] = []

    def note(check: str, says: str) -> None:
        if (check, says) not in found:
            found.append((check, says))

    watch(note)
    run(json.loads(job.read_text(encoding="utf-8")), note, time.monotonic)
    report.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
