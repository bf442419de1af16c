"""What training reads and writes: pairs of a question and a program, prompts and their answers."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

from utils.errors import InputError

Split = Literal["train", "held_out"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a program that answers it, as the KG itself has shown.

    Attributes:
        id: unlike any other's of the file.
        domain: of the KG.
        question: what is asked.
        query_time: when, as the evaluator writes it.
        program: in the query language's strict form.
        source: `template`, `paraphrase` or `real`.
        intent: the program pattern, or the paraphrased pair's id.
        wording: the English template; what is held out is held out by it.
        split: `held_out` pairs are for measuring only.
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
    """One line of training: the turns that the model reads, and what it shall write.

    Attributes:
        id: of the question.
        turns: (role, text) in order, as the running system makes them.
        answer: what is learnt.
        note: the branch that gave the answer, for counts.
        question, golds: what is judged by, where answers are.
    """

    id: str
    turns: tuple[tuple[str, str], ...]
    answer: str
    note: str = ""
    question: str = ""
    golds: tuple[str, ...] = ()


def write_rows(file: Path, rows: Iterable[Any]) -> None:
    """Write dataclasses as JSON lines, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.partial")
    with partial.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
    partial.replace(file)


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of `file`. Raises InputError, naming the line."""
    return list(_read(file, Pair))


def read_samples(file: Path) -> list[Sample]:
    """The samples of `file`. Raises InputError, naming the line."""
    return list(_read(file, Sample))


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


def _read(file: Path, kind: type[T]) -> Iterator[T]:
    for number, row in json_lines(file):
        try:
            yield kind(**_tupled(row))
        except TypeError as error:
            names = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]
            raise InputError(f"{file}, line {number}: a line has {names} ({error})") from error


def _tupled(row: Mapping[str, Any]) -> dict[str, Any]:
    """`row` with its lists as tuples, as the frozen records hold them."""
    made = dict(row)
    if "turns" in made:
        made["turns"] = tuple((str(role), str(text)) for role, text in made["turns"])
    if "golds" in made:
        made["golds"] = tuple(map(str, made["golds"]))
    return made
