"""KG text from query-language programs that an LLM writes (db3, §3.2)."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from models.kg import ProgramResult, run
from models.kg.language.grammar import constraint_text
from models.kg.lexicon.route import route
from models.llm.factory import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason
from models.records import Domain, Question
from models.runtime.ledger import Ledger
from models.runtime.request import Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.subtasks.kg_text.query_prompt import QueryForm, load_examples, query_prompt
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError

SUBTASK = "write_query"
TEMPERATURE = 0.6  # of several programs for one question
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
    samples: int = 1,
) -> Request:
    """The request for the question's program, under the grammar; see `query_prompt`.

    Args:
        suggested: programs of the semantic parser, which are shown after the examples.
        copied_names: whether the arguments of calls must be words of the question.
        samples: programs to draw; a single one is the likeliest.
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
        temperature=TEMPERATURE if samples > 1 else 0.0,
        n=samples,
        constraint=Constraint(ConstraintKind.GRAMMAR, grammar),
        logprobs=True,
    )


def whole_programs(replies: Iterable[tuple[Request, Completion]]) -> dict[int, list[str]]:
    """The complete programs of each question that has one: a truncated program has another
    meaning."""
    programs = {}
    for request, completion in replies:
        texts = whole_texts(completion)
        if texts:
            programs[request.index] = texts
    return programs


def whole_texts(completion: Completion) -> list[str]:
    """The samples that the model itself ended."""
    return [
        sample.text for sample in completion.samples if sample.finish_reason is FinishReason.STOP
    ]


def run_programs(
    programs: Mapping[int, Sequence[str]],
    questions: Sequence[Question],
    client: KgClient,
    deadline: Deadline,
    ledger: Ledger,
) -> dict[int, ProgramResult]:
    """The result of each question's program; of several programs, the one that most of them return
    (Shi et al. 2022, "Natural Language to Code Translation with Execution").

    All programs run in parallel. A program that fails is noted in `ledger`; if all of a question's
    fail, it has no key.
    """
    jobs: dict[tuple[int, str], None] = {}  # a set in order
    for index, texts in programs.items():
        jobs |= dict.fromkeys((index, text) for text in texts)

    def run_one(job: tuple[int, str]) -> _ProgramRun | None:
        index, program = job
        start = deadline.clock()
        try:
            result = run(program, client, questions[index].asked_at, deadline)
        except CragError as error:  # invalid program, or no time: other sources may have an answer
            ledger.note_failure(index, error, "kg")
            return None
        return _ProgramRun(program, result, deadline.clock() - start)

    with ThreadPoolExecutor(max(len(jobs), 1), thread_name_prefix="kg") as pool:
        runs = dict(zip(jobs, pool.map(run_one, jobs), strict=True))
    results = {}
    for index, texts in programs.items():
        finished = [done for done in (runs[index, text] for text in texts) if done is not None]
        if not finished:
            continue
        place, votes = commonest([done.value for done in finished])
        figures = {"votes": votes / len(texts)} if len(texts) > 1 else {}
        _note_run(index, finished[place], ledger, figures)
        results[index] = finished[place].result
    return results


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


def _note_run(
    index: int, done: _ProgramRun, ledger: Ledger, confidence: Mapping[str, float]
) -> None:
    """Note a program's run in its question's trace, and each different failure of its calls."""
    result = done.result
    errors = {str(error): error for error in result.errors}
    for error in errors.values():
        ledger.note_failure(index, error, "kg")
    inputs = {"program": done.program}
    if result.repairs:
        inputs["repairs"] = "\n".join(result.repairs)
    sentences = "\n".join(result.sentences)
    ledger.note_step(index, Step("kg", inputs, sentences, done.seconds, confidence=confidence))


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
        requests = [query_request(i, questions[i], route(questions[i].plain)) for i in indices]
        completions = Rounds(self.llms).ask(requests, deadline, ledger)
        programs = whole_programs(zip(requests, completions, strict=True))
        results = run_programs(programs, questions, self.client, deadline, ledger)
        return {index: "\n".join(result.known) for index, result in results.items() if result.known}
