"""KG text from the semantic parser's programs: needs no LLM."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.kg.execute import Client
from models.kg.garbage import as_garbage
from models.kg.language.printer import to_text
from models.kg.semparse.parser import SemanticParser
from models.kg.verbalize import sentences
from models.records import Question
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError

_LEAST = 0.25  # minimum probability of the best answer for its KG text to be used


@dataclass(frozen=True)
class ParserKgText:
    """The sentences of the semantic parser's best programs.

    Attributes:
        most: maximum number of programs per question whose sentences are used, the likeliest first.
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
        """Answers questions sequentially, each with an equal share of the time left."""
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
        """The best programs with results, and their sentences; none if all are improbable."""
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


def parsed_facts(
    indices: Sequence[int],
    questions: Sequence[Question],
    client: Client,
    deadline: Deadline,
    answers: Ledger,
) -> dict[int, list[str]]:
    """KG sentences of the parser's programs, for the questions that it is confident about."""
    facts: dict[int, list[str]] = {}
    for done, index in enumerate(indices):
        question, start = questions[index], deadline.clock()
        share = deadline.sooner(deadline.remaining() / (len(indices) - done))
        try:
            with as_garbage():
                parsed = SemanticParser(client).parse(question.text, question.asked_at, share)
        except CragError as error:
            answers.failed(index, error, "kg")
            continue
        if parsed.answer is None or parsed.chosen is None:
            continue
        outcomes = parsed.chosen.outcomes
        told = sentences(outcomes)
        given = {"program": to_text(parsed.chosen.candidate.program)}
        answers.note(index, Step("kg", given, "\n".join(told), deadline.clock() - start))
        if any(outcome.informs for outcome in outcomes):
            facts[index] = told
    return facts
