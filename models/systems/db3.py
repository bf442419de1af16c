"""db3, the winner of all three tasks: KG queries written by an adapter, parent-child passages.

Xia, Chen, Gao: "Winning Solution For Meta KDD Cup '24" (2024); sections are of that paper.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from models.english.times import with_dates
from models.kg import ProgramResult, make_client
from models.kg.lexicon.route import route
from models.kg.parsing.short_answer import short_answer
from models.llm.llms import LLMs
from models.llm.protocol import Completion, Constraint, ConstraintKind
from models.prompts import load_prompt
from models.public_data.store import Found, PublicData
from models.records import Answer, Domain, Question, Source
from models.runtime.batch import Batch
from models.runtime.case import Case
from models.runtime.request import CaseT, Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answer_web import ExtractiveReader
from models.subtasks.answers import answer_of
from models.subtasks.kg_text.bounded import KG_CHARS, bounded
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.programs import query_request, run_programs, whole_programs
from models.subtasks.kg_text.protocol import pieces
from models.subtasks.kg_text.query_prompt import QueryForm
from models.subtasks.web_passages import WebCase, read_pages
from models.systems.protocol import SystemSpec
from models.web.make_retriever import make_retriever
from models.web.retriever import Retriever
from models.web.settings import Chunking, Extraction, Prefilter, WebSettings, web_settings
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.typed import read_record

SUBTASKS = ("route", "find_entities", "write_query", "answer_kg", "answer_web")
_OTHER = "other"  # the paper's router's word for the open domain
NAMED = (Domain.MOVIE, Domain.MUSIC, Domain.FINANCE)  # domains that have public data
_TOPICS = (Domain.FINANCE, Domain.MOVIE, Domain.MUSIC, Domain.SPORTS, _OTHER)
_NAME_SEPARATOR = "&&"
_CHARS_PER_TOKEN = 4  # of English, about
_KG_SHARE = 0.6  # of the time; the rest is for the web answer
# The web path (sections 2.2 and 3.1).
WEB = WebSettings(
    both_sides=False,
    extractors=(Extraction.BEAUTIFULSOUP, Extraction.SELECTOLAX),
    tables=False,
    chunking=Chunking.PARENT_CHILD,
    prefilter=Prefilter.SNIPPETS,
    pages_kept=5,
    embedder="BAAI/bge-base-en-v1.5",
    query_prefix="Represent this sentence for searching relevant passages: ",
    lexical_cut=0,
    lexical_weight=0.0,
    reranker="flag:BAAI/bge-reranker-v2-m3",
    rerank_k=25,  # 4000 tokens hold this many passages of 700 characters
)


@dataclass(frozen=True, slots=True)
class Db3Options:
    """db3's options.

    Attributes:
        prompt: `ctrl` asks for "i don't know" and "invalid question"; `basic` is for adapters
            trained to answer so (section 2.4); `short` has facts and question alone, for adapters
            of small models (docs/training.md).
        examples: question-program pairs in the prompt that writes queries, the most similar ones;
            0: all of the domain, the same in every prompt.
        kg_in_web: put KG text before the passages of the web answer's prompt. The paper keeps the
            two separate; False does so, too.
        query_prompt: `full` has schema, rules and examples; `short` is for an adapter trained with
            it (docs/training.md).
        copied_names: in programs, the arguments of calls are words of the question; for an adapter
            trained on such programs (docs/training.md).
        query_samples: programs of a question; if there are several, the result that most of them
            return is used. The paper has one.
        context_tokens: maximum tokens of the references in a prompt.
        kg_fallback: if the model's program is invalid or finds nothing, run the semantic parser's,
            if it is confident enough. The paper has no fallback.
        kg_answers: `model` reads the KG's sentences; with `values`, what a program returned is the
            answer, or the number of values, or which of two has more; the model reads the rest
            (`models/kg/parsing/short_answer.py`). The paper's model reads all; a small one writes
            programs better than it reads.
        web_answers: `model` reads the passages; with `reader`, the offline system's reader copies
            the answer from them, or abstains (docs/web.md). The paper's model reads; a small one
            reads worse than the reader.
    """

    prompt: Literal["ctrl", "basic", "short"] = "ctrl"
    examples: NonNegativeInt = 0
    kg_in_web: bool = True
    query_prompt: QueryForm = QueryForm.FULL
    copied_names: bool = False
    query_samples: PositiveInt = 1
    context_tokens: NonNegativeInt = 4000
    kg_fallback: bool = True
    kg_answers: Literal["model", "values"] = "model"
    web_answers: Literal["model", "reader"] = "model"


def build(settings: Settings, llms: LLMs | None = None) -> "Db3System":
    """db3 with the engines, adapters, web path and public data of `settings`; `llms` replace the
    engines."""
    web = web_settings(settings.web)
    options = read_record(Db3Options, settings.options, "options")
    llms = llms or LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    llms.load(SUBTASKS)
    return Db3System(
        llms=llms,
        client=make_client(settings.api_url) if settings.api_url else None,
        retriever=make_retriever(web),
        public_data=PublicData(settings.public_data) if settings.public_data else None,
        options=options,
    )


@dataclass(eq=False)
class Db3Case(WebCase):
    """A question, and what each step has found for it.

    Attributes:
        domain: by the router; None: not asked.
        public_facts: of the public tables, in task 1.
        programs: of the query language, by the model.
        result: of the program that most of them agree with; None: none could be run.
        kg_facts: in English, as a model reads them.
    """

    domain: Domain | None = None
    public_facts: list[str] = field(default_factory=list)
    programs: Sequence[str] = ()
    result: ProgramResult | None = None
    kg_facts: list[str] = field(default_factory=list)


@dataclass
class Db3System:
    """Answers a batch in at most four LLM rounds: route, entities or queries, KG answer, web
    answer.

    `client` None: there is no KG, for any task. `public_data` None: task 1 uses pages only.
    """

    llms: LLMs
    client: KgClient | None
    retriever: Retriever
    public_data: PublicData | None = None
    options: Db3Options = field(default_factory=Db3Options)

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """The KG's answer if it has one, else the web's (section 3.1)."""
        db3_cases = [Db3Case(case.question, case.slot) for case in cases]
        batch = Batch(db3_cases, Rounds(self.llms), deadline)
        kg_deadline = batch.share(_KG_SHARE)
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            reading = pool.submit(read_pages, self.retriever, batch.cases, kg_deadline)
            self.route(batch, kg_deadline)
            self.find_public_data(batch, kg_deadline)
            self.write_queries(batch, kg_deadline)
            self.ask_kg(batch, kg_deadline)
            self.answer_from_kg(batch, kg_deadline)
            reading.result()
        self.answer_from_web(batch)

    def route(self, batch: Batch[Db3Case], deadline: Deadline) -> None:
        """The domain of each question (section 2.3, Domain Prompt)."""
        requests = [
            route_request(case, self.options)
            for case in batch.cases
            if self._uses_domain(case.question)
        ]
        for reply in batch.ask(requests, deadline):
            reply.case.domain = self._domain(reply.completion, reply.case.question)

    def find_public_data(self, batch: Batch[Db3Case], deadline: Deadline) -> None:
        """Task 1: facts from public tables about the entities in a question (section 2.3)."""
        data = self.public_data
        if data is None:
            return
        without_kg = [case for case in batch.cases if not case.question.task.has_kg]
        named = [(case, case.domain) for case in without_kg if case.domain and case.domain in NAMED]
        requests = [
            Request(
                case,
                "find_entities",
                load_prompt(f"db3/entities_{domain}"),
                {"question": case.question.text},
                max_tokens=64,
                stop=("\n",),
            )
            for case, domain in named
        ]
        replies = batch.ask(requests, deadline)
        for (case, domain), reply in zip(named, replies, strict=True):
            if reply.completion.finished:
                names = _entity_names(reply.completion)
            else:
                names = data.names_in(domain, case.question.plain)
            entities: dict[Found, None] = {}  # a set in order
            for name in names:
                entities |= dict.fromkeys(data.find(domain, name))
            for entity in entities:
                case.public_facts += _entity_passages(entity, KG_CHARS // len(entities))
            matches = "\n".join(f"{entity.name} ({entity.match})" for entity in entities)
            inputs = {"names": f" {_NAME_SEPARATOR} ".join(names), "matches": matches}
            case.note_step(Step("public_data", inputs, "\n\n".join(case.public_facts)))

    def write_queries(self, batch: Batch[Db3Case], deadline: Deadline) -> None:
        """Programs of the query language, constrained by its grammar (section 3.2)."""
        options = self.options
        requests = [
            query_request(
                case,
                case.domain,
                form=options.query_prompt,
                keep=options.examples,
                copied_names=options.copied_names,
                samples=options.query_samples,
            )
            for case in batch.cases
            if self._has_kg(case.question)
        ]
        for reply in batch.ask(requests, deadline):
            reply.case.programs = whole_programs(reply.completion)

    def ask_kg(self, batch: Batch[Db3Case], deadline: Deadline) -> None:
        """The results of each question's program, in English (section 3.2, Parser).

        That something is absent is a result, too, where the KG has the entity and is complete: it
        shows a false premise. The fallback's facts come before it, as the program may be wrong.
        """
        if self.client is None:
            return
        programs = [(case, case.programs) for case in batch.cases if case.programs]
        results = run_programs(programs, self.client, deadline)
        for (case, _), result in zip(programs, results, strict=True):
            case.result = result
            if result is not None:
                case.kg_facts = list(result.known)
                if self.options.kg_answers == "values":
                    answer_by_values(case, result)
        if self.options.kg_fallback:
            self._ask_parser(batch, self.client, deadline)
        for case in batch.cases:
            limit = fact_characters(self.options)
            case.kg_facts = bounded(case.kg_facts, limit, case.question.plain)

    def _ask_parser(self, batch: Batch[Db3Case], client: KgClient, deadline: Deadline) -> None:
        """The semantic parser's facts where the model's program tells nothing."""
        without = [
            case
            for case in batch.cases
            if self._has_kg(case.question) and not (case.result and case.result.informs)
        ]
        texts = ParserKgText(client, sure=True).gather(without, deadline)
        for case, text in zip(without, texts, strict=True):
            case.kg_facts = list(dict.fromkeys([*text.splitlines(), *case.kg_facts]))

    def answer_from_kg(self, batch: Batch[Db3Case], deadline: Deadline) -> None:
        """Records the KG's answers (sections 3.1 and 3.3)."""
        requests = [
            reading_request("answer_kg", case, case.kg_facts, self.options)
            for case in batch.open
            if case.kg_facts
        ]
        for reply in batch.ask(requests, deadline):
            answer = answer_of(reply.completion, Source.KG)
            if answer.known:
                reply.case.settle(answer)

    def answer_from_web(self, batch: Batch[Db3Case]) -> None:
        """Answers from passages and public data, where the KG has none (sections 2.2 and 2.4)."""
        if self.options.web_answers == "reader":
            self._copy_from_web(batch)
            return
        requests = []
        for case in batch.open:
            kg_facts = case.kg_facts if self.options.kg_in_web else []
            references = [*kg_facts, *case.public_facts, *case.web.texts]
            requests.append(
                reading_request("answer_web", case, references, self.options, case.web.written)
            )
        for reply in batch.ask(requests, batch.deadline):
            reply.case.settle(answer_of(reply.completion, Source.WEB))

    def _copy_from_web(self, batch: Batch[Db3Case]) -> None:
        """Answers copied from the passages by the reader of the offline system."""
        reader = ExtractiveReader()
        for case in batch.open:
            start = batch.deadline.clock()
            best = reader.choice(case.question, case.web.passages, case.web.pages, batch.deadline)
            case.note_step(reader.step(best, batch.deadline.clock() - start, {}))
            case.settle(reader.answer_of(best))

    def _has_kg(self, question: Question) -> bool:
        return question.task.has_kg and self.client is not None

    def _uses_domain(self, question: Question) -> bool:
        if question.task.has_kg:
            return self.client is not None
        return self.public_data is not None

    def _domain(self, completion: Completion, question: Question) -> Domain | None:
        """The domain that the model names; by the question's words, if it names none."""
        topic = completion.text.strip(" \n.\"'").lower()
        if not completion.finished or topic not in _TOPICS:
            return route(question.plain)
        if topic == _OTHER:
            return Domain.OPEN
        return Domain(topic)


def answer_by_values(case: Case, result: ProgramResult) -> None:
    """Settle a case by what its program returned, where `short_answer` makes an answer of it."""
    text = short_answer(case.question.plain, case.question.asked_at, result)
    if text is not None:
        case.note_step(Step("values", {}, text))
        case.settle(Answer(text, Source.KG))


def reading_request(
    subtask: str,
    case: CaseT,
    passages: Sequence[str],
    options: Db3Options,
    write: Callable[[Sequence[str]], str] = "\n\n".join,
) -> Request[CaseT]:
    """The request of `answer_kg` or `answer_web` for a question (section 2.4); also used to make
    the labels that its adapters are trained on."""
    question = case.question
    template = load_prompt(f"db3/{subtask}_{options.prompt}")
    values = question.values
    if subtask == "answer_web" and options.prompt != "short":  # pages name days, not "yesterday"
        values["question"] = with_dates(question.text, question.asked_at)
    return Request(
        case,
        subtask,
        template,
        {name: value for name, value in values.items() if name in template.fields},
        passages,
        write=write,
        answers=True,
        budget=options.context_tokens,
        logprobs=True,
    )


def route_request(case: CaseT, options: Db3Options) -> Request[CaseT]:
    """The request for a question's topic (section 2.3, Domain Prompt)."""
    name = "db3/route_short" if options.prompt == "short" else "db3/route"
    return Request(
        case,
        "route",
        load_prompt(name),
        {"question": case.question.text},
        max_tokens=8,
        constraint=Constraint(ConstraintKind.CHOICE, "\n".join(_TOPICS)),
    )


def topic_of(domain: Domain) -> str:
    """The router's word for a domain."""
    return _OTHER if domain is Domain.OPEN else str(domain)


def fact_characters(options: Db3Options) -> int:
    """Characters of the KG's facts in a prompt: about half of its references, at most."""
    return min(KG_CHARS, _CHARS_PER_TOKEN * options.context_tokens // 2)


def _entity_names(completion: Completion) -> list[str]:
    """The names in a model's reply, separated by "&&"; none if it does not know any."""
    line = completion.text.strip().split("\n")[0]
    names = [name.strip(" \"'.") for name in line.split(_NAME_SEPARATOR)]
    return [name for name in names if name and not name.lower().startswith("i don")]


def _entity_passages(entity: Found, limit: int) -> list[str]:
    """The facts of an entity below its name, shortened to about `limit` characters; several
    passages if there are many."""
    facts = "\n".join(bounded(entity.sentences, limit))
    return [f"{entity.name}\n{piece}" for piece in pieces(facts)]


SYSTEM = SystemSpec(
    build,
    SUBTASKS,
    web=WEB,
    weights=("llama-3-8b-instruct", "db3-write-query", "db3-answer-web", "public-data"),
)
