"""What the KG says about a question, in words: a protocol, and the semantic parser's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from models.kg.garbage import as_garbage
from models.kg.language.printer import to_text
from models.kg.linking.names import Client
from models.kg.semparse.parser import SemanticParser
from models.kg.verbalize import sentences
from models.records import Question
from models.systems.protocol import Ledger
from models.systems.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError

_LEAST = 0.25  # probability of the best answer, below which the KG is not told
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
class ParserKgText:
    """The sentences of the semantic parser's best programs; no weights of an LLM.

    Attributes:
        most: programs of one question whose sentences are told, the likeliest first.
    """

    client: Client
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
        """The best programs that found something, and their sentences; none where even the best
        one is hardly what is asked for."""
        parser = SemanticParser(self.client)
        parsed = parser.parse(question.text, question.asked_at, deadline)
        likely = parsed.choice is not None and parsed.choice.probability >= _LEAST
        found = {
            derivation.candidate.program: derivation.outcomes
            for derivation in (parsed.ranked(parser.model) if likely else ())
            if any(outcome.values for outcome in derivation.outcomes)
        }
        best = dict(list(found.items())[: self.most])
        if parsed.errors and not best:
            raise parsed.errors[0]
        said = [text for outcomes in best.values() for text in sentences(outcomes)]
        return [to_text(program) for program in best], said


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
