"""KG text from query-language programs that an LLM writes (db3, §3.2)."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from models.kg import ProgramResult, run
from models.kg.language.grammar import constraint_text
from models.kg.lexicon.route import route
from models.llm.llms import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.records import Domain
from models.runtime.case import Case
from models.runtime.request import CaseT, Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.subtasks.kg_text.query_prompt import QueryForm, load_examples, query_prompt
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError

SUBTASK = "write_query"
TEMPERATURE = 0.6  # of several programs for one question
QUERY_TOKENS = 160  # of a program: three times the longest example


def query_request(
    case: CaseT,
    domain: Domain | None,
    *,
    form: QueryForm = QueryForm.FULL,
    keep: int = 0,
    copied_names: bool = False,
    samples: int = 1,
) -> Request[CaseT]:
    """The request for the question's program, under the grammar; see `query_prompt`.

    Args:
        copied_names: whether the arguments of calls must be words of the question.
        samples: programs to draw; a single one is the likeliest.
    """
    template, values, examples = query_prompt(
        case.question, domain, form=form, examples=load_examples(), keep=keep
    )
    grammar = constraint_text(copied_from=case.question.text if copied_names else None)
    return Request(
        case,
        SUBTASK,
        template,
        values,
        examples,
        max_tokens=QUERY_TOKENS,
        temperature=TEMPERATURE if samples > 1 else 0.0,
        n=samples,
        constraint=Constraint(ConstraintKind.GRAMMAR, grammar),
        logprobs=True,
    )


def whole_programs(completion: Completion) -> list[str]:
    """The programs that the model itself ended: a truncated program has another meaning."""
    return [
        sample.text for sample in completion.samples if sample.finish_reason is FinishReason.STOP
    ]


def run_programs(
    programs: Sequence[tuple[Case, Sequence[str]]], client: KgClient, deadline: Deadline
) -> list[ProgramResult | None]:
    """The result of the program of each case; of several programs, the one that most of them return
    (Shi et al. 2022, "Natural Language to Code Translation with Execution").

    All programs run in parallel, each program of a case once. A case notes its programs that fail;
    if it has no other, its result is None.
    """

    def run_one(case: Case, program: str) -> _ProgramRun | None:
        start = deadline.clock()
        try:
            result = run(program, client, case.question.asked_at, deadline)
        except CragError as error:  # invalid program, or no time: other sources may have an answer
            case.note_failure(error, "kg")
            return None
        return _ProgramRun(program, result, deadline.clock() - start)

    workers = max(1, sum(len(set(texts)) for _, texts in programs))
    with ThreadPoolExecutor(workers, thread_name_prefix="kg") as pool:
        futures = [
            {text: pool.submit(run_one, case, text) for text in dict.fromkeys(texts)}
            for case, texts in programs
        ]
    results = []
    for (case, texts), by_text in zip(programs, futures, strict=True):
        runs = [by_text[text].result() for text in texts]
        results.append(_elected(case, [run for run in runs if run is not None], len(texts)))
    return results


def _elected(case: Case, runs: Sequence["_ProgramRun"], programs: int) -> ProgramResult | None:
    """The result that most of the runs of a case have, which it notes; None without runs.

    Args:
        programs: how many were to run.
    """
    if not runs:
        return None
    place, votes = commonest([run.value for run in runs])
    figures = {"votes": votes / programs} if programs > 1 else {}
    _note_run(case, runs[place], figures)
    return runs[place].result


@dataclass(frozen=True, slots=True)
class _ProgramRun:
    """A program that ran, and its seconds."""

    program: str
    result: ProgramResult
    seconds: float

    @property
    def value(self) -> tuple[str, ...] | None:
        """What it returned; None if that says nothing."""
        return self.result.values if self.result.informs else None


def commonest(values: Sequence[Hashable | None]) -> tuple[int, int]:
    """The place of the first of the commonest values, and how many are equal to it; None is no
    value.

    >>> commonest(["a", None, None, None, "b", "b"])
    (4, 2)
    >>> commonest([None])
    (0, 0)
    """
    votes = Counter(value for value in values if value is not None)
    if not votes:
        return 0, 0
    ((value, count),) = votes.most_common(1)
    return values.index(value), count


def _note_run(case: Case, done: _ProgramRun, confidence: Mapping[str, float]) -> None:
    """Note a program's run in its question's trace, and each different failure of its calls."""
    result = done.result
    errors = {str(error): error for error in result.errors}
    for error in errors.values():
        case.note_failure(error, "kg")
    inputs = {"program": done.program}
    if result.repairs:
        inputs["repairs"] = "\n".join(result.repairs)
    sentences = "\n".join(result.sentences)
    case.note_step(Step("kg", inputs, sentences, done.seconds, confidence=confidence))


@dataclass(frozen=True)
class QueryPrograms:
    """A `KgText` by the query language: one LLM round under its grammar, then the programs."""

    llms: LLMs
    client: KgClient

    def gather(self, cases: Sequence[Case], deadline: Deadline) -> list[str]:
        """One sentence per statement, if the program has a result."""
        requests = [query_request(case, route(case.question.plain)) for case in cases]
        replies = Rounds(self.llms).ask(requests, deadline)
        programs = [(reply.case, whole_programs(reply.completion)) for reply in replies]
        results = run_programs(programs, self.client, deadline)
        return ["\n".join(result.known) if result else "" for result in results]
