"""KG text from the semantic parser's programs: needs no LLM."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.execution.garbage import as_garbage
from models.kg.language.printer import to_text
from models.kg.parsing.parser import Derivation, SemanticParser
from models.kg.wording.sentences import sentences
from models.records import Question
from models.runtime.batch import in_turn
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError

_LEAST = 0.25  # minimum probability of the best answer for its KG text to be used
_MOST = 4  # programs per question whose sentences are used, the likeliest first


@dataclass(frozen=True)
class ParserKgText:
    """The sentences of the semantic parser's best programs.

    `sure`: only of the best program, and only if the parser is confident enough to answer.
    """

    client: KgClient
    sure: bool = False

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        found = self.read(questions, indices, deadline, answers)
        return {index: text for index, _, text in found if text}

    def read(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> Iterator[tuple[int, list[str], str]]:
        """The best programs with results, the likeliest first, and their text, by question; one
        question after the other, each with an equal share of the time left."""
        for index, share in in_turn(indices, deadline):
            start = share.clock()
            try:
                with as_garbage():
                    programs, said = self._parsed(questions[index], share)
            except CragError as error:
                answers.failed(index, error, "kg_text")
                continue
            text = "\n".join(dict.fromkeys(said))
            given = {"programs": "\n".join(programs)}
            answers.note(index, Step("kg_text", given, text, share.clock() - start))
            yield index, programs, text

    def _parsed(self, question: Question, deadline: Deadline) -> tuple[list[str], list[str]]:
        """The best programs with results, and their sentences; none if all are improbable."""
        parser = SemanticParser(self.client)
        parsed = parser.parse(question.text, question.asked_at, deadline)
        best: list[Derivation] = []
        if self.sure and parsed.answer is not None and parsed.chosen is not None:
            best = [parsed.chosen]
        elif not self.sure and parsed.choice and parsed.choice.probability >= _LEAST:
            best = parsed.ranked(parser.model)
        found = {
            derivation.candidate.program: derivation.outcomes
            for derivation in best
            if any(outcome.informs for outcome in derivation.outcomes)
        }
        programs = list(found)[:_MOST]
        if parsed.errors and not programs:
            raise parsed.errors[0]
        said = [text for program in programs for text in sentences(found[program])]
        return list(map(to_text, programs)), said
