"""Programs of the query language, written by an LLM, as a source of references (db3, §3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.kg import run
from models.kg.english.names import Client
from models.kg.language.grammar import constraint_text
from models.kg.language.schema import schema_text
from models.llm.factory import LLMs
from models.llm.protocol import Constraint, ConstraintKind
from models.prompts import load_prompt
from models.records import Question
from models.subtasks.examples import Example, load_examples, most_alike
from models.systems.asked import asked_when
from models.systems.protocol import Ledger
from models.systems.rounds import Request, Rounds
from models.systems.trace import Step
from utils.deadline import Deadline
from utils.errors import CragError

SUBTASK = "write_query"
PROMPT = "db3/write_query"
_MAX_TOKENS = 160


@dataclass(frozen=True)
class QueryPrograms:
    """A `KgText` by the query language: one LLM round under its grammar, then the programs."""

    llms: LLMs
    client: Client
    shown: int = 8
    examples: Sequence[Example] = field(default_factory=load_examples)

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        answers: Ledger,
    ) -> dict[int, str]:
        """A sentence a statement that found something."""
        requests = [self._request(index, questions[index]) for index in indices]
        completions = Rounds(self.llms).ask(requests, deadline, answers)
        found: dict[int, str] = {}
        finished = [
            (i, c.text) for i, c in zip(indices, completions, strict=True) if c.finished and c.text
        ]
        for done, (index, program) in enumerate(finished):
            start = deadline.clock()
            share = deadline.sooner(deadline.remaining() / (len(finished) - done))
            try:
                result = run(program, self.client, questions[index].asked_at, share)
            except CragError as error:  # no program, or no time
                answers.failed(index, error)
                continue
            for failure in result.errors:
                answers.failed(index, failure)
            known = any(outcome.values for outcome in result.outcomes)
            text = "\n".join(result.sentences) if known else ""
            answers.note(index, Step("kg", {"program": program}, text, deadline.clock() - start))
            if text:
                found[index] = text
        return found

    def _request(self, index: int, question: Question) -> Request:
        alike = most_alike(question.text, None, self.examples, self.shown)
        values = {
            "question": question.text,
            "query_time": asked_when(question),
            "schema": schema_text(),
            "examples": "\n\n".join(map(str, alike)),
        }
        return Request(
            index,
            SUBTASK,
            load_prompt(PROMPT),
            values,
            max_tokens=_MAX_TOKENS,
            constraint=Constraint(ConstraintKind.GRAMMAR, constraint_text()),
        )
