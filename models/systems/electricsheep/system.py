"""electricsheep: attributes, a calculator, the model's own knowledge and the KG, then reasoning.

Yuan et al.: "A Hybrid RAG System with Comprehensive Enhancement on Complex Reasoning" (2024);
sections and appendices are of that paper.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from models.kg import make_client
from models.llm.budget import fit_passages
from models.llm.llms import LLMs
from models.prompts import load_prompt
from models.ranking.make_rankers import make_embedder
from models.ranking.protocol import Embedder
from models.records import INVALID, Answer, Source
from models.runtime.batch import Batch
from models.runtime.case import Case
from models.runtime.request import Request
from models.runtime.rounds import Rounds
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answers import answer_of, read_answer
from models.subtasks.attributes.svm import LinearPredictor, read_predictor
from models.subtasks.attributes.votes import DOMAIN, DYNAMIC, SEED, TEMPERATURE
from models.subtasks.kg_text import baseline, programs
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.bounded import bounded
from models.subtasks.kg_text.programs import QueryPrograms
from models.subtasks.kg_text.protocol import KgText
from models.subtasks.web_passages import WebCase, WebPassages, read_pages
from models.systems.electricsheep.attributes import dynamic_by_svm, dynamic_by_vote
from models.systems.electricsheep.calculations import calculations
from models.systems.electricsheep.reasoned import read_form
from models.systems.protocol import SystemSpec
from models.web.make_retriever import make_retriever
from models.web.retriever import Retriever
from models.web.settings import Chunking, Extraction, WebSettings, web_settings
from utils.deadline import Deadline
from utils.typed import read_record

WEB_SHARE = 0.4  # of the total time, in parallel with the first steps
# Of the time left when a step begins; the remainder is for the summaries.
PREDICT_SHARE = 0.1
CALCULATE_SHARE = 0.2
KNOW_SHARE = 0.25
KG_SHARE = 0.25
REASON_SHARE = 0.85
# The paper's numbers, where it states one (appendix A, unless another is named).
_CHUNKS = 10  # of text in a prompt
_TABLE_CHARS = 4000  # of tables in the reasoning prompt
_CALCULATOR_TABLE_CHARS = 6000  # of tables in the calculator's prompt (D.2)
_KG_CHARS = 1000  # of KG text (D.5)
_EXPRESSIONS = 5  # samples of the calculator (D.2)
# Maximum output tokens.
_EXPRESSION_TOKENS = 120
_KNOWLEDGE_TOKENS = 400
_REASONING_TOKENS = 600
_SUMMARY_TOKENS = 75
_KG_SUBTASKS = {"baseline": baseline.SUBTASK, "programs": programs.SUBTASK}
_OWN_SUBTASKS = ("write_expression", "extract_knowledge", "reason", "summarise")
SUBTASKS = (DOMAIN, DYNAMIC, *_KG_SUBTASKS.values(), *_OWN_SUBTASKS)
# The web path (section 4.1 and appendices A to C).
WEB = WebSettings(
    both_sides=False,
    extractors=(Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP),
    chunking=Chunking.SENTENCE_GROUPS,
    parent_size=600,
    embedder="sentence-transformers/sentence-t5-large",
    lexical_cut=0,
    lexical_weight=0.0,
    recall_k=1_000,  # all that five pages have: the system limits chunks by number,
    rerank_k=1_000,  # tables by characters
)


@dataclass(frozen=True, slots=True)
class ElectricSheepOptions:
    """electricsheep's options.

    Attributes:
        predictor: `llm` asks a model with demonstrations, which they shipped; `svm` uses the file
            `attributes`, which they measured to be better (section 4.2).
        attributes: the output of `crag training svm`; needed for `svm`.
        attributes_embedder: the embedder that it was trained with; empty: none.
        refuse_dynamic: answer dynamic questions with "i don't know" at once (figure 1).
        kg: `baseline`, which they shipped, or `programs`, the query language. Function calling
            (D.4), which they gave up, is not implemented.
    """

    predictor: Literal["llm", "svm"] = "llm"
    attributes: str = ""
    attributes_embedder: str = ""
    refuse_dynamic: bool = True
    kg: Literal["baseline", "programs"] = "baseline"

    def __post_init__(self) -> None:
        if self.predictor == "svm" and not self.attributes:
            raise ValueError("predictor svm needs `attributes`, a file of `crag training svm`")


def build(settings: Settings, llms: LLMs | None = None) -> "ElectricSheepSystem":
    """electricsheep with the engines, adapters and web path of `settings`."""
    options = read_record(ElectricSheepOptions, settings.options, "options")
    web = web_settings(settings.web)
    llms = llms or LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    predictor: LinearPredictor | None = None
    if options.predictor == "svm":
        predictor = _read_predictor(options)
    else:
        llms.load((DOMAIN, DYNAMIC))
    kg: KgText | None = None
    if settings.api_url:
        client = make_client(settings.api_url)
        if options.kg == "programs":
            kg = QueryPrograms(llms, client)
        else:
            kg = KgBaseline(llms, client)
        llms.load([_KG_SUBTASKS[options.kg]])
    llms.load(_OWN_SUBTASKS)
    return ElectricSheepSystem(llms, make_retriever(web), kg, predictor, options)


def _read_predictor(options: ElectricSheepOptions) -> LinearPredictor:
    """The SVMs in the file that the options name, with their embedder."""
    embedder: Embedder | None = None
    if options.attributes_embedder:
        embedder = make_embedder(options.attributes_embedder, dtype="float32")
    return read_predictor(Path(options.attributes), embedder)


@dataclass(frozen=True, slots=True)
class PageReferences:
    """The references from a question's pages, best first, each below its page's title.

    Attributes:
        chunks: of text.
        tables: groups of rows below their header.
    """

    chunks: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the pages gave no reference."""
        return not self.chunks and not self.tables


@dataclass(eq=False)
class ElectricSheepCase(WebCase):
    """A question, and what each step has found for it.

    Attributes:
        pages: the references from its pages.
        calculations: expressions with their values.
        knowledge: the model's own answer.
        kg: KG text.
        unread: the reply of the reasoning module, if it is without its form.
    """

    pages: PageReferences = PageReferences()
    calculations: Sequence[str] = ()
    knowledge: str = ""
    kg: str = ""
    unread: str = ""

    @property
    def source(self) -> Source:
        """The most reliable possible source of an answer."""
        if self.kg:
            return Source.KG
        if self.pages.empty:
            return Source.NONE
        return Source.WEB


@dataclass
class ElectricSheepSystem:
    """At most six rounds: attributes, expressions, knowledge, KG, reasoning, summary.

    `kg` None: there is no KG, for any task. `predictor` None: an LLM predicts attributes.
    """

    llms: LLMs
    retriever: Retriever
    kg: KgText | None = None
    predictor: LinearPredictor | None = None
    options: ElectricSheepOptions = field(default_factory=ElectricSheepOptions)

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """Two routes (figure 1): dynamic questions are refused, others use every module."""
        sheep_cases = [ElectricSheepCase(case.question, case.slot) for case in cases]
        batch = Batch(sheep_cases, Rounds(self.llms), deadline)
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            reading = pool.submit(self.process_pages, batch)
            self.predict_attributes(batch)
            reading.result()
        self.calculate(batch)
        self.extract_knowledge(batch)
        self.ask_kg(batch)
        self.reason(batch)
        self.summarise(batch)

    def process_pages(self, batch: Batch[ElectricSheepCase]) -> None:
        """Text chunks and tables of the pages, by cosine similarity (section 4.1)."""
        read_pages(self.retriever, batch.cases, batch.share(WEB_SHARE))
        for case in batch.cases:
            case.pages = _page_references(case.web)

    def predict_attributes(self, batch: Batch[ElectricSheepCase]) -> None:
        """Refuses the questions that are dynamic (sections 4.2 and 4.7).

        A question without a prediction continues: reasoning may still refuse it.
        """
        if self.predictor is not None:
            dynamic = dynamic_by_svm(batch, self.predictor)
        else:
            dynamic = dynamic_by_vote(batch, PREDICT_SHARE)
        if self.options.refuse_dynamic:
            for case in dynamic:
                case.settle(Answer())

    def calculate(self, batch: Batch[ElectricSheepCase]) -> None:
        """Several expressions per question, written by a model (section 4.3, D.2)."""
        template = load_prompt("electricsheep/write_expression")
        requests = [
            Request(
                case,
                "write_expression",
                template,
                case.question.values,
                _page_passages(case.pages, _CALCULATOR_TABLE_CHARS),
                max_tokens=_EXPRESSION_TOKENS,
                n=_EXPRESSIONS,
                seed=SEED,
                temperature=TEMPERATURE,
            )
            for case in batch.open
            if not case.pages.empty  # without figures there is nothing to calculate
        ]
        for reply in batch.ask(requests, batch.share(CALCULATE_SHARE)):
            lines = calculations(reply.completion)
            reply.case.calculations = lines
            expressions = "\n".join(sample.text for sample in reply.completion.samples)
            reply.case.note_step(Step("calculate", {"expressions": expressions}, "\n".join(lines)))

    def extract_knowledge(self, batch: Batch[ElectricSheepCase]) -> None:
        """The model's own answer, as one of the references (section 4.4, D.3)."""
        template = load_prompt("electricsheep/extract_knowledge")
        requests = [
            Request(
                case,
                "extract_knowledge",
                template,
                case.question.values,
                max_tokens=_KNOWLEDGE_TOKENS,
            )
            for case in batch.open
        ]
        for reply in batch.ask(requests, batch.share(KNOW_SHARE)):
            completion = reply.completion
            form = read_form(completion.text, premise=False) if completion.finished else None
            if form is None:
                continue
            answer = read_answer(form.answer, Source.NONE)
            if answer.known:
                reply.case.knowledge = answer.text

    def ask_kg(self, batch: Batch[ElectricSheepCase]) -> None:
        """KG text from the selected source (section 4.5)."""
        if self.kg is None:
            return
        with_kg = [case for case in batch.open if case.question.task.has_kg]
        texts = self.kg.gather(with_kg, batch.share(KG_SHARE))
        for case, text in zip(with_kg, texts, strict=True):
            lines = bounded(text.splitlines(), _KG_CHARS, case.question.plain)
            case.kg = "\n".join(lines)

    def reason(self, batch: Batch[ElectricSheepCase]) -> None:
        """Records answers; keeps replies without the form (sections 4.6, 4.7, D.5)."""
        requests = [self._reasoning_request(case) for case in batch.open]
        for reply in batch.ask(requests, batch.share(REASON_SHARE)):
            case = reply.case
            completion = reply.completion
            if not completion.finished or not completion.text.strip():
                case.settle(Answer())
                continue
            form = read_form(completion.text, premise=True)
            if form is None:
                case.unread = completion.text
                continue
            answer = read_answer(form.answer, case.source)
            if form.false_premise and answer.known:
                answer = replace(answer, text=INVALID)
            case.settle(answer)

    def _reasoning_request(self, case: ElectricSheepCase) -> Request[ElectricSheepCase]:
        """The request with everything that the other modules have collected."""
        values = {
            **case.question.values,
            "kg": case.kg,
            "calculations": "\n".join(case.calculations),
            "knowledge": case.knowledge,
        }
        return Request(
            case,
            "reason",
            load_prompt("electricsheep/reason"),
            values,
            _page_passages(case.pages, _TABLE_CHARS),
            max_tokens=_REASONING_TOKENS,
            answers=True,
            logprobs=True,
        )

    def summarise(self, batch: Batch[ElectricSheepCase]) -> None:
        """Records answers extracted from replies without the form (section 4.7, D.6)."""
        template = load_prompt("electricsheep/summarise")
        requests = [
            Request(
                case,
                "summarise",
                template,
                {"question": case.question.text},
                (case.unread,),
                max_tokens=_SUMMARY_TOKENS,
                answers=True,
            )
            for case in batch.open
            if case.unread
        ]
        for reply in batch.ask(requests, batch.deadline):
            reply.case.settle(answer_of(reply.completion, reply.case.source))


def _page_references(passages: WebPassages) -> PageReferences:
    """The best chunks of text, and all tables."""
    texts: list[str] = []
    tables: list[str] = []
    for passage, text in zip(passages.passages, passages.texts, strict=True):
        table_spans = passages.pages[passage.page].tables
        if any(start <= passage.start and passage.end <= end for start, end in table_spans):
            tables.append(text.strip())
        else:
            texts.append(text.strip())
    return PageReferences(tuple(texts[:_CHUNKS]), tuple(tables))


def _page_passages(pages: PageReferences, table_chars: int) -> list[str]:
    """Chunks, then tables; what does not fit the model's context is dropped from the end."""
    tables = fit_passages(pages.tables, table_chars, len, separator="")
    return [*pages.chunks, *(f"Table:\n{table}" for table in tables)]


SYSTEM = SystemSpec(
    build,
    SUBTASKS,
    web=WEB,
    path_options=("attributes", "attributes_embedder"),
    weights=("llama-3-8b-instruct",),
)
