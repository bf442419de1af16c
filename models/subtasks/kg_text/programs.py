"""KG text from query-language programs that an LLM writes (db3, §3.2)."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from models.kg import ProgramResult, run
from models.kg.language.grammar import constraint_text
from models.kg.lexicon.route import route
from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.records import Domain, Question
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from models.runtime.trace import Step
from models.subtasks.kg_text.query_prompt import QueryForm, load_examples, query_prompt
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError

SUBTASK = "write_query"
MAX_TOKENS = 160  # of a program
SUGGESTION = "A parser suggests these queries for the question below; they may be wrong:"


def query_request(
    index: int,
    question: Question,
    domain: Domain | None,
    *,
    form: QueryForm = QueryForm.FULL,
    keep: int = 0,
    max_tokens: int = MAX_TOKENS,
    suggested: Sequence[str] = (),
    copied_names: bool = False,
) -> Request:
    """The request for the question's program, under the grammar; see `query_prompt`.

    Args:
        suggested: programs of the semantic parser, which are shown after the examples.
        copied_names: whether the arguments of calls must be words of the question.
    """
    template, values, examples = query_prompt(
        question, domain, form=form, examples=load_examples(), keep=keep
    )
    if suggested:
        examples = [*examples, "\n".join((SUGGESTION, *suggested))]
    grammar = constraint_text(copied_from=question.text if copied_names else None)
    return Request(
        index,
        SUBTASK,
        template,
        values,
        examples,
        max_tokens=max_tokens,
        constraint=Constraint(ConstraintKind.GRAMMAR, grammar),
        logprobs=True,
    )


def whole_programs(replies: Iterable[tuple[Request, Completion]]) -> dict[int, str]:
    """The complete programs, by question: a truncated program has another meaning."""
    return {
        request.index: completion.text
        for request, completion in replies
        if completion.finish_reason is FinishReason.STOP
    }


def run_programs(
    programs: Mapping[int, str],
    questions: Sequence[Question],
    client: KgClient,
    deadline: Deadline,
    ledger: Ledger,
) -> dict[int, ProgramResult]:
    """The result of each program, by question.

    All programs run in parallel. A program that fails is noted in `ledger`, and has no key.
    """

    def run_one(index: int) -> ProgramResult | None:
        program = programs[index]
        start = deadline.clock()
        try:
            result = run(program, client, questions[index].asked_at, deadline)
        except CragError as error:  # invalid program, or no time: other sources may have an answer
            ledger.note_failure(index, error, "kg")
            return None
        _note_run(index, program, result, ledger, deadline.clock() - start)
        return result

    with ThreadPoolExecutor(max(len(programs), 1), thread_name_prefix="kg") as pool:
        results = pool.map(run_one, programs)
        return {
            index: result
            for index, result in zip(programs, results, strict=True)
            if result is not None
        }


def _note_run(
    index: int, program: str, result: ProgramResult, ledger: Ledger, seconds: float
) -> None:
    """Note a program's run in its question's trace, and each different failure of its calls."""
    errors = {str(error): error for error in result.errors}
    for error in errors.values():
        ledger.note_failure(index, error, "kg")
    inputs = {"program": program}
    if result.repairs:
        inputs["repairs"] = "\n".join(result.repairs)
    ledger.note_step(index, Step("kg", inputs, "\n".join(result.sentences), seconds))


@dataclass(frozen=True)
class QueryPrograms:
    """A `KgText` by the query language: one LLM round under its grammar, then the programs."""

    llms: LLMs
    client: KgClient

    def gather(
        self,
        questions: Sequence[Question],
        indices: Sequence[int],
        deadline: Deadline,
        ledger: Ledger,
    ) -> dict[int, str]:
        """One sentence per statement, if the program has a result."""
        requests = [query_request(i, questions[i], route(questions[i].text)) for i in indices]
        completions = Rounds(self.llms).ask(requests, deadline, ledger)
        programs = whole_programs(zip(requests, completions, strict=True))
        results = run_programs(programs, questions, self.client, deadline, ledger)
        return {index: "\n".join(result.known) for index, result in results.items() if result.known}
