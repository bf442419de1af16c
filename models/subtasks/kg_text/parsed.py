"""KG text from the semantic parser's programs: needs no LLM."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.kg import ProgramResult
from models.kg.language.ast import Program
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import Derivation, ParsedQuestion, SemanticParser
from models.kg.run import StatedOutcome, informing_first
from models.records import Question
from models.runtime.batch import in_turn
from models.runtime.case import Case
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

    def gather(self, cases: Sequence[Case], deadline: Deadline) -> list[str]:
        """The sentences of the best programs, one per line."""
        return [self._text_of(case, share) for case, share in in_turn(cases, deadline)]

    def _text_of(self, case: Case, deadline: Deadline) -> str:
        """The sentences of a question, each once; none if that fails, which the case notes."""
        start = deadline.clock()
        try:
            programs, lines = self._parse_one(case.question, deadline)
        except CragError as error:
            case.note_failure(error, "kg_text")
            return ""
        text = "\n".join(dict.fromkeys(lines))
        inputs = {"programs": "\n".join(programs)}
        case.note_step(Step("kg_text", inputs, text, deadline.clock() - start))
        return text

    def _parse_one(self, question: Question, deadline: Deadline) -> tuple[list[str], list[str]]:
        """The best programs with results, and their sentences; none if all are improbable.

        Raises:
            CragError: no program has a result, and a KG call failed or came too late.
        """
        parser = SemanticParser(self.client)
        parsed = parser.parse(question.text, question.asked_at, deadline)
        results: dict[Program, ProgramResult] = {}
        for derivation in self._best(parsed):
            if _has_evidence(derivation, likeliest=derivation is parsed.chosen):
                results[derivation.result.program] = derivation.result
        best_results = list(results.values())[:_MOST]
        if parsed.errors and not best_results:
            raise parsed.errors[0]
        stated: list[StatedOutcome] = []
        for result in best_results:
            stated += result.evidence
        lines = [each.sentence for each in informing_first(stated)]
        return [to_text(result.program) for result in best_results], lines

    def _best(self, parsed: ParsedQuestion) -> list[Derivation]:
        """The derivations to use, the likeliest first."""
        if self.sure:
            if parsed.answer is None or parsed.chosen is None:
                return []
            return [parsed.chosen]
        if parsed.choice is None or parsed.choice.probability < _LEAST:
            return []
        return parsed.ranked()


def _has_evidence(derivation: Derivation, *, likeliest: bool) -> bool:
    """Whether a derivation states a fact, or, if it is the likeliest one, an absence that is sure:
    other readings of a question find many things that nobody asked for absent."""
    result = derivation.result
    return result.informs or (likeliest and result.shows_absence)
