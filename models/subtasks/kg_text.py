"""What the KG says about a question, in words: a protocol, and readings by patterns of English."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from models.kg import run
from models.kg.english.names import Client
from models.kg.garbage import as_garbage
from models.records import Question
from models.subtasks.route import KeywordRouter, Router
from models.subtasks.write_query import PatternQueryWriter, QueryWriter
from models.systems.protocol import Ledger
from models.systems.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError

PIECE_CHARS = 1200  # of one passage of the KG's words: a prompt takes whole passages only


class KgText(Protocol):
    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        """What the KG says in words for `questions[i]`, i of `indices`; a missing key: nothing.

        A question whose calls fail is noted in `answers`, and has no key.
        """
        ...


@dataclass(frozen=True)
class PatternKgText:
    """The sentences of the offline query writer's readings; no weights.

    Attributes:
        most: readings of one question that are run, the likeliest first.
    """

    client: Client
    router: Router = field(default_factory=KeywordRouter)
    query_writer: QueryWriter = field(default_factory=PatternQueryWriter)
    most: int = 4

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        """One question after the other, each with its share of the time."""
        texts: dict[int, str] = {}
        for done, index in enumerate(indices):
            start = deadline.clock()
            share = deadline.sooner(deadline.remaining() / (len(indices) - done))
            try:
                with as_garbage():
                    programs, said = self._read(questions[index], share)
            except CragError as error:
                answers.failed(index, error, "kg_text")
                continue
            text = "\n".join(dict.fromkeys(said))
            given = {"programs": "\n".join(programs)}
            answers.note(index, Step("kg_text", given, text, deadline.clock() - start))
            if text:
                texts[index] = text
        return texts

    def _read(self, question: Question, deadline: Deadline) -> tuple[list[str], list[str]]:
        """The programs that were run, and the sentences of those that found something."""
        domain = self.router.route(question.text)
        readings = self.query_writer.write(question, domain, self.client, deadline)
        programs: list[str] = []
        said: list[str] = []
        failed: CragError | None = None
        for reading in islice(readings, self.most):
            if said and deadline.expired:
                break
            result = run(reading.program, self.client, question.asked_at, deadline)
            programs.append(reading.program)
            failed = failed or next(iter(result.errors), None)
            if any(outcome.values for outcome in result.outcomes):
                said += result.sentences
        if failed is not None and not said:
            raise failed
        return programs, said


def pieces(text: str, size: int = PIECE_CHARS) -> list[str]:
    """The KG's words as passages of whole lines, about `size` characters each; a longer line is
    cut between words where it has any."""
    made: list[str] = []
    for line in _lines(text, size):
        if made and len(made[-1]) + len(line) < size:
            made[-1] += f"\n{line}"
        else:
            made.append(line)
    return made


def _lines(text: str, size: int) -> list[str]:
    lines: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        while len(line) > size:
            at = line.rfind(" ", size // 2, size)
            at = size if at < 0 else at
            lines.append(line[:at])
            line = line[at:].lstrip()
        lines.append(line)
    return lines
