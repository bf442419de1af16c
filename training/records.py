"""What training reads and writes: pairs of a question and a program, prompts and their answers."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from utils.errors import InputError

Split = Literal["train", "held_out"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a program that answers it, verified by running it over the KG.

    Attributes:
        id: unique in its file.
        domain: of the KG.
        question: what is asked.
        query_time: when, as the evaluator writes it.
        program: in the query language's strict form.
        source: `template`, `paraphrase` or `real`.
        intent: the program pattern, or the paraphrased pair's id.
        wording: the English template; pairs are held out by it.
        split: `held_out` pairs are only for measuring.
    """

    id: str
    domain: str
    question: str
    query_time: str
    program: str
    source: str
    intent: str
    wording: str
    split: Split = "train"


@dataclass(frozen=True, slots=True)
class Sample:
    """One training example: a prompt and the answer to learn.

    Attributes:
        id: of the question.
        turns: the prompt as (role, text) in order, as the running system makes it; empty where
            there is no label.
        answer: what is learnt.
        note: which branch gave the answer, for counts.
        question, golds: what a judge needs, where answers are judged.
        subtask: whose adapter learns it, where one file holds several.
    """

    id: str
    turns: tuple[tuple[str, str], ...]
    answer: str
    note: str = ""
    question: str = ""
    golds: tuple[str, ...] = ()
    subtask: str = ""


def write_rows(file: Path, rows: Iterable[Any]) -> None:
    """Write dataclasses as JSON lines, completely or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.partial")
    with partial.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    partial.replace(file)


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of `file`. Raises InputError, naming the line."""
    return _read(file, Pair)


def read_samples(file: Path) -> list[Sample]:
    """The samples of `file`. Raises InputError, naming the line."""
    return _read(file, Sample)


def json_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of `file` with their line numbers.

    Raises:
        InputError: it cannot be read, or a line is none; the line is named.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{file}, line {number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise InputError(f"{file}, line {number}: not a JSON object")
        yield number, row


def file_hash(file: Path) -> str:
    """The SHA-256 of a file's bytes. Raises InputError where it cannot be read."""
    try:
        with file.open("rb") as data:
            return hashlib.file_digest(data, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}") from error


def part_of(id: str) -> Split:
    """Which part of a dataset a question is in, by its id alone: one in ten is held out."""
    return "held_out" if hashlib.sha256(id.encode()).digest()[0] % 10 == 0 else "train"


def _read(file: Path, kind: type[T]) -> list[T]:
    form = TypeAdapter(kind)
    made = []
    for number, row in json_lines(file):
        try:
            made.append(form.validate_python(row))
        except ValidationError as error:
            raise InputError(
                f"{file}, line {number}: not a {kind.__name__.lower()}: {in_one_line(error)}"
            ) from error
    return made


def in_one_line(error: ValidationError) -> str:
    """What pydantic found wrong, as `field: reason` parts."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {one['msg']}" for one in error.errors()
    )
