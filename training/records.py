"""What training reads and writes: questions with programs, prompts with answers."""

import bz2
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from evaluation.dataset import Example, read_examples, to_batch
from evaluation.judge.protocol import Verdict
from evaluation.run_folder import write_text
from models.batch_input import read_batch
from models.llm.protocol import Message
from models.records import Question, Task
from utils.errors import InputError

# Our own questions about the KG, with answers (training/data/README.md).
KG_QUESTIONS = Path(__file__).with_name("data") / "kg_questions.jsonl.bz2"

PairSplit = Literal["train", "held_out"]
Part = Literal["train", "held_out", "all"]
Role = Literal["system", "user", "assistant"]
Turns = tuple[tuple[Role, str], ...]
JsonRow = dict[str, Any]  # one object of a file of JSON lines
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a program that answers it, verified by running it over the KG.

    Attributes:
        program: in the query language's strict form.
        source: `template`, `paraphrase` or `real`, or `annotated`: never compared with
            the gold.
        intent: the program pattern, or the paraphrased pair's id.
        wording: the English template; pairs are held out by it.
    """

    id: str
    domain: str
    question: str
    query_time: str
    program: str
    source: str
    intent: str
    wording: str
    split: PairSplit = "train"


@dataclass(frozen=True, slots=True)
class Sample:
    """One training example: a prompt and the answer to learn.

    Attributes:
        turns: the prompt as (role, text) in order; empty where there is no label.
        note: which branch gave the answer, or what the context holds; figures are counted by it.
        question: for the judge, where answers are judged.
        golds: for the judge, too.
        subtask: whose adapter learns it.
    """

    id: str
    turns: Turns
    answer: str
    note: str = ""
    question: str = ""
    golds: tuple[str, ...] = ()
    subtask: str = ""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The prompt as engines take it."""
        return tuple(Message(role, text) for role, text in self.turns)


@dataclass(frozen=True, slots=True)
class Preference:
    """A prompt, an answer to it, and a worse one.

    Attributes:
        note: what the two answers are, for counts.
    """

    id: str
    turns: Turns
    chosen: str
    rejected: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class OwnAnswers:
    """A sample, and what a model answered to it when it was asked several times.

    Attributes:
        answers: as the system reads them.
        verdicts: of the judge, one for each answer.
    """

    sample: Sample
    answers: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class AnnotatedProgram:
    """A row of a file of annotated questions: what a complete KG would be asked.

    Attributes:
        kind: whether the program answers the question: full, partial, premise or none.
        file: that has the question.
        needs: what the language lacks for it.
    """

    interaction_id: str
    program: str
    kind: str = ""
    file: str = ""
    needs: str = ""


def turns_of(messages: Iterable[Message]) -> Turns:
    """A prompt as a sample keeps it."""
    return tuple((turn.role, turn.text) for turn in messages)


def write_rows(file: Path, rows: Iterable[Any]) -> None:
    """Write dataclasses as JSON lines: the whole file or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows))


def write_made(file: Path, rows: Sequence[Any], if_none: str) -> None:
    """Write what a command made.

    Raises:
        InputError: it made nothing, for the reason `if_none`; no file is written.
    """
    if not rows:
        raise InputError(f"nothing to write into {file}: {if_none}")
    write_rows(file, rows)


def read_rows(file: Path, kind: type[T]) -> Iterator[T]:
    """The rows of a file of JSON lines, plain or .bz2, each as a `kind`, as they are read.

    Raises:
        InputError: a row is no `kind`; the message has the number of its line.
    """
    adapter = TypeAdapter(kind)
    number = 0
    try:
        with _open_lines(file) as lines:
            for line in lines:
                number += 1
                if line.strip():
                    yield adapter.validate_python(json.loads(line))
    except (ValueError, EOFError) as error:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()  # "own answers"
        raise InputError(f"{file}, line {number}: no {name}: {in_one_line(error)}") from error


def check_can_be_judged(samples: Sequence[Sample]) -> None:
    """Check that a judge can judge answers to the samples.

    Raises:
        InputError: one has no question or no right answer, or there are no samples.
    """
    if not samples:
        raise InputError("there are no samples")
    for sample in samples:
        if not sample.question or not sample.golds:
            raise InputError(f"sample {sample.id} has no question or no golds to be judged by")


def _open_lines(file: Path) -> IO[str]:
    if file.suffix == ".bz2":
        return bz2.open(file, "rt", encoding="utf-8")
    return file.open(encoding="utf-8")


def part_of(id: str) -> PairSplit:
    """Which part of a dataset a question is in, by its id alone: one in ten is held out."""
    return "held_out" if hashlib.sha256(id.encode()).digest()[0] % 10 == 0 else "train"


def examples_of(data: Path, part: Part, limit: int | None = None) -> Iterator[Example]:
    """The questions of a CRAG file in that part, as they are read; `limit` counts all parts."""
    for example in islice(read_examples(data), limit):
        if part in ("all", part_of(example.id)):
            yield example


def examples_by_id(
    files: Iterable[Path], part: Part = "all", limit: int | None = None
) -> dict[str, Example]:
    """The questions of several files; one that is in several comes from the first."""
    examples: dict[str, Example] = {}
    for file in files:
        for example in examples_of(file, part, limit):
            examples.setdefault(example.id, example)
    return examples


def question_of(example: Example, task: Task) -> Question:
    """The question as the evaluator's batch gives it."""
    (question,) = read_batch(to_batch([example]), lambda pages: task)
    assert isinstance(question, Question)  # a dataset's rows have a query
    return question


def in_one_line(error: Exception) -> str:
    """What was wrong with a value, of pydantic's errors as `field: reason` parts."""
    if not isinstance(error, ValidationError):
        return str(error)
    reasons = []
    for detail in error.errors():
        field = ".".join(map(str, detail["loc"])) or "the whole"
        reasons.append(f"{field}: {detail['msg']}")
    return "; ".join(reasons)
