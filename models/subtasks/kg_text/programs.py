"""KG text from query-language programs that an LLM writes (db3, §3.2)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
) -> Request:
    """The request for the question's program, under the grammar; see `query_prompt`. `suggested`:
    programs of the semantic parser, which are shown after the examples."""
    template, values, shown = query_prompt(
        question, domain, form=form, examples=load_examples(), keep=keep
    )
    if suggested:
        shown = [*shown, "\n".join((SUGGESTION, *suggested))]
    constraint = Constraint(ConstraintKind.GRAMMAR, constraint_text())
    return Request(
        index, SUBTASK, template, values, shown, max_tokens=max_tokens, constraint=constraint
    )


def whole_programs(written: Iterable[tuple[Request, Completion]]) -> dict[int, str]:
    """The complete programs, by question: a truncated program has another meaning."""
    return {
        request.index: completion.text
        for request, completion in written
        if completion.finish_reason is FinishReason.STOP
    }


def run_programs(
    programs: Mapping[int, str],
    questions: Sequence[Question],
    client: KgClient,
    deadline: Deadline,
    answers: Ledger,
    known: Callable[[ProgramResult], list[str]] = lambda result: result.known,
) -> dict[int, list[str]]:
    """What is `known` by each program's result, in English; all programs run in parallel."""

    def said(index: int) -> list[str]:
        start = deadline.clock()
        try:
            result = run(programs[index], client, questions[index].asked_at, deadline)
        except CragError as error:  # invalid program, or no time: other sources may have an answer
            answers.failed(index, error, "kg")
            return []
        for failure in {str(error): error for error in result.errors}.values():  # each once
            answers.failed(index, failure, "kg")
        given, told = {"program": programs[index]}, "\n".join(result.sentences)
        if result.repairs:
            given["repairs"] = "\n".join(result.repairs)
        answers.note(index, Step("kg", given, told, deadline.clock() - start))
        return known(result)

    with ThreadPoolExecutor(max(len(programs), 1), thread_name_prefix="kg") as pool:
        found = dict(zip(programs, pool.map(said, programs), strict=True))
    return {index: sentences for index, sentences in found.items() if sentences}


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
        answers: Ledger,
    ) -> dict[int, str]:
        """One sentence per statement with a result."""
        requests = [query_request(i, questions[i], route(questions[i].text)) for i in indices]
        completions = Rounds(self.llms).ask(requests, deadline, answers)
        programs = whole_programs(zip(requests, completions, strict=True))
        said = run_programs(programs, questions, self.client, deadline, answers)
        return {index: "\n".join(sentences) for index, sentences in said.items()}
