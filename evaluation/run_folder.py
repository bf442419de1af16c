"""The folder of one run: what it was run with, and its results as they come, ready to go on."""

import fcntl
import json
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from evaluation.score import Result
from utils.errors import InputError

RUN, PREDICTIONS, RESULTS = "run.json", "predictions.jsonl", "results.json"
TRACES = "traces.jsonl"  # one line a question: its id, text and steps
COUNTS = "counts.json"  # how often something happened beside the answers, so far
JUDGE_CACHE = "judge_cache"  # or a name that begins so: the judge knows its form
_RESULT = TypeAdapter(Result)


def fresh_folder(runs: Path, system: str, now: datetime) -> Path:
    """A new folder `runs/YYYYMMDD-HHMMSS-<system>`, made now; `-2`, `-3` … where it exists.

    Two runs that start within one second get two folders: making the folder is the test.
    """
    safe = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in system)
    name = f"{now:%Y%m%d-%H%M%S}-{safe}"
    number = 1
    while True:
        folder = runs / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise InputError(f"{folder}: the run's folder cannot be made ({error})") from error
        else:
            return folder


def named_folder(folder: Path, *, resume: bool) -> Path:
    """`folder`, made if it is not there, and fit for a run.

    Raises:
        InputError: it is not empty and `resume` is False, or it holds something that is no run.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        content = {entry.name for entry in folder.iterdir()}
    except OSError as error:
        raise InputError(f"{folder}: the run's folder cannot be made ({error})") from error
    written = {name for name in content if not name.startswith(JUDGE_CACHE)}
    if written <= {RUN, PREDICTIONS, COUNTS} and not _has_answers(folder):
        return folder  # empty, or a run that ended before its first answer
    if RUN not in content:
        raise InputError(f"{folder}: not empty and not a run; give another folder with --out")
    if not resume:
        raise InputError(
            f"{folder}: holds a run already; go on with it by --resume, or give another --out"
        )
    return folder


class RunFolder:
    """Writes a run's results as they come, and reads back those of an interrupted run.

    One run at a time has the folder, until `discard_if_unused` or the end of its process.
    """

    def __init__(self, path: Path) -> None:
        """Take the folder, which is there. Raises InputError where another run has it."""
        self.path = path
        self._let_go = weakref.finalize(self, os.close, _locked(path))

    def start(self, fingerprint: Mapping[str, str]) -> dict[str, Result]:
        """The results already there, by id; from now on `append` adds to them.

        A last line that an interruption tore is dropped from its file.

        Raises:
            InputError: the folder's run had other settings, or its predictions are damaged.
        """
        file, predictions = self.path / RUN, self.path / PREDICTIONS
        with _writing(self.path / TRACES):
            _drop_torn_line(self.path / TRACES)
        if predictions.exists() and predictions.stat().st_size:
            check_same(file, fingerprint)
            with _writing(predictions):
                _drop_torn_line(predictions)
            return read_results(predictions)
        write_text(file, json.dumps(dict(fingerprint), indent=2) + "\n")
        with _writing(predictions):
            predictions.touch()
        return {}

    def append(self, results: Sequence[Result]) -> None:
        """One line a result, on disk when this returns."""
        _append(self.path / PREDICTIONS, as_lines(results))

    def append_traces(self, traces: Sequence[Mapping[str, Any]]) -> None:
        """One line a question's trace; of two of one question, as a run that is gone on with has
        them, the last counts."""
        lines = "".join(json.dumps(trace) + "\n" for trace in traces)
        _append(self.path / TRACES, lines)

    def counts(self) -> dict[str, int]:
        """What `write_counts` wrote last."""
        return read_object(self.path / COUNTS)

    def write_counts(self, counts: Mapping[str, int]) -> None:
        """Keep what happened beside the answers, for a run that goes on."""
        if counts:
            write_text(self.path / COUNTS, json.dumps(dict(counts)) + "\n")

    def discard_if_unused(self) -> None:
        """Let go of the folder; remove it if the run ended before it had anything to show."""
        if not _has_answers(self.path) and not (self.path / RESULTS).exists():
            for name in (RUN, PREDICTIONS, COUNTS):
                (self.path / name).unlink(missing_ok=True)
            with suppress(OSError):  # something else is in it: then it stays
                self.path.rmdir()
        self._let_go()


def as_lines(results: Sequence[Result]) -> str:
    """Results as predictions.jsonl has them."""
    return "".join(json.dumps(asdict(result)) + "\n" for result in results)


def _has_answers(folder: Path) -> bool:
    predictions = folder / PREDICTIONS
    return predictions.exists() and predictions.stat().st_size > 0


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


def write_text(file: Path, text: str) -> None:
    """Write the whole of `file` or nothing of it. Raises InputError where it cannot be written."""
    beside = file.with_name(file.name + ".new")
    with _writing(file):
        beside.write_text(text, encoding="utf-8", errors="replace")
        beside.replace(file)


def _append(file: Path, lines: str) -> None:
    with _writing(file), file.open("ab") as out:
        out.write(lines.encode("ascii"))  # json.dumps escapes all else


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    """Raises InputError, naming `file`, where the disk is full or it may not be written."""
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


def read_results(file: Path) -> dict[str, Result]:
    """The results in a run's predictions.jsonl, by id, without a last line that is being written.

    Raises:
        InputError: it cannot be read, or a line is no result.
    """
    done: dict[str, Result] = {}
    try:
        lines = file.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise InputError(f"{file}: not a run's folder ({error})") from error
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            break
        try:
            result = _RESULT.validate_python(json.loads(line))
        except ValueError as error:
            said = " ".join(str(error).split())
            raise InputError(f"{file}, line {number}: not a result ({said})") from error
        done[result.id] = result
    return done


def read_traces(run: Path) -> Iterator[dict[str, Any]]:
    """The traces of a run, a question's last one last; none where it was run without. NaN is None.

    A last line that is being written is left out.

    Raises:
        InputError: the file cannot be read, or is not what this version writes.
    """
    if not (run / TRACES).exists():
        return
    try:
        with (run / TRACES).open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    trace = json.loads(line, parse_constant=lambda _: None)
                    yield {
                        **trace,
                        "id": str(trace["id"]),
                        "steps": list(map(_step, trace["steps"])),
                    }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{run / TRACES}: not what this version of a run writes ({error!r}); run it again"
        ) from error


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    return {"confidence": {}, **step, "inputs": dict(step["inputs"]), "output": str(step["output"])}


def _drop_torn_line(file: Path) -> None:
    if file.exists():
        with file.open("r+b") as lines:
            lines.truncate(lines.read().rfind(b"\n") + 1)


def check_same(file: Path, fingerprint: Mapping[str, str]) -> None:
    """Raises InputError where `file`, a run's, holds another fingerprint."""
    before = read_object(file)
    differing = [
        f"{name} was {before.get(name)!r} and is {fingerprint.get(name)!r}"
        for name in sorted({*before, *fingerprint})
        if before.get(name) != fingerprint.get(name)
    ]
    if differing:
        raise InputError(
            f"{file.parent}: its run had other settings: {'; '.join(differing)}; "
            "resume with the same, or give another --out"
        )
