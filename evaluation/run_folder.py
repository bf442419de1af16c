"""The folder of a run: its settings and results, written so that the run can be resumed."""

import json
import os
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from evaluation.score import QuestionResult, StoredId
from models.runtime.trace import Step
from utils.errors import InputError
from utils.posix import fcntl

T = TypeVar("T")

RUNS = Path("runs")  # in the working directory: where runs are written and looked for
# The files of a run's folder.
RUN = "run.json"  # its settings
PREDICTIONS = "predictions.jsonl"
RESULTS = "results.json"
REPORT_PAGE = "report.html"
TRACES = "traces.jsonl"  # one line a question: its id, text and steps
COUNTS = "counts.json"  # of work left out and workers lost, so far
STOPPED = "stopped.json"  # why a run stopped before its end
ABOUT = "about.json"  # its command, commit, times, data and machine
_BEFORE_RESULTS = (RUN, PREDICTIONS, COUNTS, STOPPED)  # of a run that has no results yet
OTHER_JUDGES = "judged"  # the folder in a run's folder for the verdicts of other judges
JUDGE_CACHE = "judge_cache"  # SQLite adds files whose names begin so


def fresh_folder(runs: Path, system: str, now: datetime) -> Path:
    """A new folder `runs/YYYYMMDD-HHMMSS-<system>`, with `-2`, `-3` … if that exists.

    Runs that start within the same second get different folders, since `mkdir` is atomic.
    """
    safe_system = re.sub(r"[^\w.-]", "_", system)
    name = f"{now:%Y%m%d-%H%M%S}-{safe_system}"
    folder = runs / name
    number = 1
    with _writing(folder):
        while True:
            try:
                folder.mkdir(parents=True)
                return folder
            except FileExistsError:
                number += 1
                folder = runs / f"{name}-{number}"


def named_folder(folder: Path, *, resume: bool = False) -> Path:
    """`folder`, created if it does not exist, once it is known that a run may use it.

    Raises:
        InputError: it is not empty and `resume` is False, or it holds something that is no run.
    """
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        content = {entry.name for entry in folder.iterdir()}
    without_cache = {name for name in content if not name.startswith(JUDGE_CACHE)}
    if without_cache <= set(_BEFORE_RESULTS) and not _has_content(folder / PREDICTIONS):
        return folder  # empty, or a run that ended before its first answer
    if RUN not in content:
        raise InputError(f"{folder}: not empty and not a run; give another folder with --out")
    if not resume:
        raise InputError(
            f"{folder}: holds a run already; resume it with --resume, or give another --out"
        )
    return folder


class RunFolder:
    """Writes a run's results, and reads those of an interrupted run.

    One run at a time holds the folder's lock, until `discard_if_unused` or the end of its process.
    """

    def __init__(self, path: Path) -> None:
        """Lock an existing folder.

        Raises:
            InputError: another run holds the lock.
        """
        self.path = path
        self._release = weakref.finalize(self, os.close, _locked(path))

    def start(self, fingerprint: Mapping[str, str]) -> dict[str, QuestionResult]:
        """The results of an interrupted run, by id; `append` adds to them.

        Those that are lost are dropped, to be asked again, with the report on them, and so is an
        incomplete last line.

        Raises:
            InputError: the folder's run had other settings, or its predictions are damaged.
        """
        for name in (PREDICTIONS, TRACES):
            drop_torn_line(self.path / name)
        if _has_content(self.path / PREDICTIONS):
            self._check_same(fingerprint)
            self._remove(STOPPED)
            results = read_results(self.path)
            kept = {id: result for id, result in results.items() if not result.lost}
            if len(kept) < len(results):
                write_lines(self.path / PREDICTIONS, map(_result_row, kept.values()))
                self._remove(RESULTS, REPORT_PAGE)
            return kept
        write_json(self.path / RUN, fingerprint)
        append_lines(self.path / PREDICTIONS, ())
        return {}

    def append(self, results: Sequence[QuestionResult]) -> None:
        """Write one line per result."""
        append_lines(self.path / PREDICTIONS, map(_result_row, results))

    def append_traces(self, traces: Sequence[Mapping[str, Any]]) -> None:
        """Write one line per trace. A resumed run may have two of a question; the last counts."""
        append_lines(self.path / TRACES, traces)

    def counts(self) -> dict[str, int]:
        """The counts that `write_counts` wrote last."""
        return read_object(self.path / COUNTS)

    def write_counts(self, counts: Mapping[str, int]) -> None:
        """Replace the counts of a run."""
        if counts:
            write_json(self.path / COUNTS, counts)

    def note_stop(self, reason: str) -> None:
        """Write why the run stops before its end."""
        write_json(self.path / STOPPED, {"reason": reason})

    def discard_if_unused(self) -> None:
        """Release the folder's lock; remove the folder if it holds no results."""
        if not _has_content(self.path / PREDICTIONS) and not (self.path / RESULTS).exists():
            self._remove(*_BEFORE_RESULTS)
            with suppress(OSError):  # a folder with other files stays
                self.path.rmdir()
        self._release()

    def _remove(self, *names: str) -> None:
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def _check_same(self, fingerprint: Mapping[str, str]) -> None:
        before = read_object(self.path / RUN)
        differing = [
            f"{name} was {before.get(name)!r} and is {fingerprint.get(name)!r}"
            for name in sorted({*before, *fingerprint})
            if before.get(name) != fingerprint.get(name)
        ]
        if differing:
            raise InputError(
                f"{self.path}: its run had other settings: {'; '.join(differing)}; "
                "resume with the same, or give another --out"
            )


def read_results(run: Path) -> dict[str, QuestionResult]:
    """The results of a run by id, without an incomplete last line.

    Raises:
        InputError: the folder holds no run, or a line is not what this version writes.
    """
    return {result.id: result for result in read_lines(run / PREDICTIONS, _RESULT)}


def read_traces(run: Path) -> dict[str, list[Step]]:
    """The steps of each question, by its id; empty where the run has no traces. NaN becomes 0.

    Raises:
        InputError: a line is not what this version writes.
    """
    if not (run / TRACES).exists():
        return {}
    return {trace.id: trace.steps for trace in read_lines(run / TRACES, _TRACE)}


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object in a run's `file`; empty where there is no such file.

    Raises:
        InputError: it cannot be read, or is no JSON object.
    """
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{file}: not what a run writes ({error})") from error


def write_json(file: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object.

    Raises:
        InputError: it cannot be written.
    """
    write_text(file, json.dumps(dict(content), indent=2, allow_nan=False) + "\n")


def write_text(file: Path, text: str) -> None:
    """Write `file` atomically.

    Raises:
        InputError: it cannot be written.
    """
    new = file.with_name(file.name + ".new")
    with _writing(file):
        new.write_text(text, encoding="utf-8", errors="replace")
        new.replace(file)


@dataclass(frozen=True, slots=True)
class _StoredTrace:
    """The part of a line of traces.jsonl that is read; the results have the rest."""

    id: StoredId
    steps: list[Step]


_RESULT = TypeAdapter(QuestionResult)
_TRACE = TypeAdapter(_StoredTrace)


def _result_row(result: QuestionResult) -> dict[str, Any]:
    """A result as a JSON object, its id under the name that the data has for it."""
    row = asdict(result)
    return {"interaction_id": row.pop("id"), **row}


def read_lines(file: Path, adapter: TypeAdapter[T]) -> Iterator[T]:
    """The records in the lines of a run's file, without an incomplete last line.

    Raises:
        InputError: the file cannot be read, or a line is not what this version writes.
    """
    try:
        lines = file.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise InputError(f"{file}: not a run's folder ({error})") from error
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            continue
        try:
            yield adapter.validate_python(json.loads(line, parse_constant=lambda _: 0.0))
        except ValueError as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"{file}, line {number}: not what this version of a run writes ({reason})"
            ) from error


def append_lines(file: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Append JSON lines.

    Raises:
        InputError: they cannot be written.
    """
    with _writing(file), file.open("ab") as out:
        out.write(_as_lines(objects).encode("ascii"))  # json.dumps escapes all else


def write_lines(file: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Replace a file of JSON lines.

    Raises:
        InputError: it cannot be written.
    """
    write_text(file, _as_lines(objects))


def _as_lines(objects: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in objects)


def _has_content(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def drop_torn_line(file: Path) -> None:
    """Cut off an incomplete last line, which an interrupted process leaves.

    Raises:
        InputError: the file cannot be written.
    """
    if _has_content(file):
        with _writing(file), file.open("r+b") as lines:
            lines.truncate(lines.read().rfind(b"\n") + 1)


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    """Turns an error of writing, such as a full disk, into an InputError that names `file`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error})") from error


def _locked(folder: Path) -> int:
    """A descriptor that holds the folder's lock until it is closed."""
    with _writing(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InputError(f"{folder}: another run is writing there") from None
    except OSError:
        pass  # a file system without locks
    return descriptor
