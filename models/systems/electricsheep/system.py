"""electricsheep: attributes, a calculator, the model's own knowledge and the KG, then reasoning.

Yuan et al.: "A Hybrid RAG System with Comprehensive Enhancement on Complex Reasoning" (2024);
sections and appendices are of that paper.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from models.kg.execute import Client
from models.llm.budget import fit_passages
from models.llm.factory import LLMs
from models.prompts import load_prompt
from models.ranking.factory import make_embedder
from models.records import INVALID, Answer, Question, Source
from models.runtime.batch import Batch
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from models.runtime.trace import Step
from models.settings import Settings, read_options
from models.subtasks.answers import said
from models.subtasks.attributes.svm import AttributePredictor, LinearPredictor
from models.subtasks.attributes.votes import DOMAIN, DYNAMIC
from models.subtasks.kg_text import baseline, programs
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.programs import QueryPrograms
from models.subtasks.kg_text.protocol import KgText
from models.systems.electricsheep.attributes import classified, voted
from models.systems.electricsheep.calculations import calculations
from models.systems.electricsheep.options import ElectricSheepOptions
from models.systems.electricsheep.pages import PageReferences, read_pages
from models.systems.electricsheep.reasoned import read
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from utils.crag_api import CragClient
from utils.deadline import Deadline
from utils.errors import CragError

WEB_SHARE = 0.4  # of the total time, in parallel with the first steps
# Of the time left when a step begins; the remainder is for the summaries.
PREDICT_SHARE, CALCULATE_SHARE, KNOW_SHARE, KG_SHARE, REASON_SHARE = 0.1, 0.2, 0.25, 0.25, 0.85
_KG_SUBTASKS = {"baseline": baseline.SUBTASK, "programs": programs.SUBTASK}
SUBTASKS = (
    *(DOMAIN, DYNAMIC, "write_expression", "extract_knowledge"),
    *(*_KG_SUBTASKS.values(), "reason", "summarise"),
)


def build(settings: Settings) -> "ElectricSheepSystem":
    """electricsheep with the engines, adapters and web path of `settings`."""
    options = read_options(ElectricSheepOptions, settings.options)
    web = web_settings(settings.web, "electricsheep")
    predictor = _predictor(options) if options.predictor == "svm" else None
    llms = LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    for subtask in _subtasks(settings, options):  # loaded here, not during the first question
        llms.of(subtask)
    return ElectricSheepSystem(
        llms,
        make_retriever(web),
        kg=_kg(options, llms, CragClient(settings.api_url)) if settings.api_url else None,
        predictor=predictor,
        options=options,
    )


def _subtasks(settings: Settings, options: ElectricSheepOptions) -> list[str]:
    """The subtasks that use an LLM."""
    predict = [DOMAIN, DYNAMIC] if options.predictor == "llm" else []
    kg = [_KG_SUBTASKS[options.kg]] if settings.api_url else []
    return [*predict, "write_expression", "extract_knowledge", *kg, "reason", "summarise"]


def _kg(options: ElectricSheepOptions, llms: LLMs, client: Client) -> KgText:
    return QueryPrograms(llms, client) if options.kg == "programs" else KgBaseline(llms, client)


def _predictor(options: ElectricSheepOptions) -> AttributePredictor:
    model = options.attributes_embedder
    embedder = make_embedder(model, dtype="float32") if model else None
    return LinearPredictor.load(Path(options.attributes), embedder)


@dataclass(frozen=True, slots=True)
class References:
    """The input of the reasoning module for one question."""

    pages: PageReferences
    calculations: Sequence[str] = ()
    knowledge: str = ""
    kg: str = ""

    @property
    def source(self) -> Source:
        """The possible sources of an answer, the most reliable first."""
        if self.kg:
            return Source.KG
        return Source.WEB if self.pages.found else Source.NONE


@dataclass
class ElectricSheepSystem:
    """At most six rounds: attributes, expressions, knowledge, KG, reasoning, summary.

    `kg` None: there is no KG, for any task. `predictor` None: an LLM predicts attributes.
    """

    llms: LLMs
    retriever: Retriever
    kg: KgText | None = None
    predictor: AttributePredictor | None = None
    options: ElectricSheepOptions = field(default_factory=ElectricSheepOptions)

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        """Two routes (figure 1): dynamic questions are refused, others use every module."""
        batch = Batch(questions, Rounds(self.llms), deadline, answers)
        with ThreadPoolExecutor(1, thread_name_prefix="web") as pool:
            reading = pool.submit(self.process_pages, batch)
            indices = self.predict_attributes(batch)
            pages = reading.result()
        expressions = self.calculate(batch, indices, pages)
        knowledge = self.extract_knowledge(batch, indices)
        by_kg = self.ask_kg(batch, indices)
        references = {
            i: References(pages[i], expressions.get(i, ()), knowledge.get(i, ""), by_kg.get(i, ""))
            for i in indices
        }
        unread = self.reason(batch, references)
        self.summarise(batch, references, unread)

    def process_pages(self, batch: Batch) -> list[PageReferences]:
        """Text chunks and tables of the pages, by cosine similarity (section 4.1)."""
        share = batch.share(WEB_SHARE)
        return read_pages(
            self.retriever, batch.questions, share, batch.ledger, chunks=self.options.chunks
        )

    def predict_attributes(self, batch: Batch) -> list[int]:
        """The questions that are not dynamic; the dynamic ones are answered (sections 4.2 and 4.7).

        A question without a prediction continues: reasoning may still refuse it.
        """
        if self.predictor is not None:
            dynamic = classified(batch, self.predictor)
        else:
            dynamic = voted(batch, self.options, PREDICT_SHARE)
        refused = dynamic if self.options.refuse_dynamic else set()
        for index in refused:
            batch.ledger.record(index, Answer(grounds="the question is dynamic"))
        return [i for i in range(len(batch.questions)) if i not in refused]

    def calculate(
        self, batch: Batch, indices: Sequence[int], pages: Sequence[PageReferences]
    ) -> dict[int, list[str]]:
        """Several expressions per question, written by a model (section 4.3, D.2)."""
        options = self.options
        asked = [
            Request(
                i, "write_expression", load_prompt("electricsheep/write_expression"),
                _asked(batch.questions[i]),
                passages=_passages(pages[i], options.calculator_table_chars),
                max_tokens=options.expression_tokens, n=options.expressions, seed=options.seed,
                temperature=options.temperature if options.expressions > 1 else 0.0,
            )
            for i in indices
            if pages[i].found  # without figures there is nothing to calculate
        ]  # fmt: skip
        found: dict[int, list[str]] = {}
        for request, completion in zip(
            asked, batch.ask(asked, batch.share(CALCULATE_SHARE)), strict=True
        ):
            found[request.index] = calculations(completion)
            written = "\n".join(sample.text for sample in completion.samples)
            step = Step("calculate", {"expressions": written}, "\n".join(found[request.index]))
            batch.ledger.note(request.index, step)
        return found

    def extract_knowledge(self, batch: Batch, indices: Sequence[int]) -> dict[int, str]:
        """The model's own answer, as one of the references (section 4.4, D.3)."""
        asked = [
            Request(
                i, "extract_knowledge", load_prompt("electricsheep/extract_knowledge"),
                _asked(batch.questions[i]), max_tokens=self.options.knowledge_tokens,
            )
            for i in indices
        ]  # fmt: skip
        found: dict[int, str] = {}
        for i, completion in zip(indices, batch.ask(asked, batch.share(KNOW_SHARE)), strict=True):
            form = read(completion.text, premise=False) if completion.finished else None
            own = said(form.answer, Source.NONE) if form else Answer()
            if own.known:
                found[i] = own.text
        return found

    def ask_kg(self, batch: Batch, indices: Sequence[int]) -> dict[int, str]:
        """KG text from the selected source (section 4.5)."""
        asked = [i for i in indices if batch.questions[i].task.has_kg]
        if self.kg is None or not asked:
            return {}
        try:
            found = self.kg.gather(batch.questions, asked, batch.share(KG_SHARE), batch.ledger)
        except CragError as error:  # the other references remain
            for index in asked:
                batch.ledger.failed(index, error, "kg")
            return {}
        chars = self.options.kg_chars
        return {i: "\n".join(fit_passages(text.splitlines(), chars, len, separator="\n"))
                for i, text in found.items()}  # fmt: skip

    def reason(self, batch: Batch, references: Mapping[int, References]) -> dict[int, str]:
        """Records answers; returns replies without the form (sections 4.6, 4.7, D.5)."""
        asked = [self._reasoning(batch.questions[i], i, given) for i, given in references.items()]
        unread: dict[int, str] = {}
        completions = batch.ask(asked, batch.share(REASON_SHARE))
        for (i, given), completion in zip(references.items(), completions, strict=True):
            form = read(completion.text, premise=True) if completion.finished else None
            if form is not None:
                answer = said(form.answer, given.source, form.reasoning)
                invalid = form.false_premise and answer.known
                batch.ledger.record(i, replace(answer, text=INVALID) if invalid else answer)
            elif completion.finished and completion.text.strip():
                unread[i] = completion.text
            else:  # cut off, or empty
                batch.ledger.record(i, Answer())
        return unread

    def _reasoning(self, question: Question, index: int, given: References) -> Request:
        values = {
            **_asked(question),
            "kg": given.kg,
            "calculations": "\n".join(given.calculations),
            "knowledge": given.knowledge,
        }
        return Request(
            index, "reason", load_prompt("electricsheep/reason"), values,
            passages=_passages(given.pages, self.options.table_chars),
            max_tokens=self.options.reasoning_tokens, logprobs=True,
        )  # fmt: skip

    def summarise(
        self, batch: Batch, references: Mapping[int, References], unread: Mapping[int, str]
    ) -> None:
        """Records answers extracted from replies without the form (section 4.7, D.6)."""
        asked = [
            Request(
                i, "summarise", load_prompt("electricsheep/summarise"),
                {"question": batch.questions[i].text}, passages=(text,),
                max_tokens=self.options.summary_tokens,
            )
            for i, text in unread.items()
        ]  # fmt: skip
        for i, completion in zip(unread, batch.ask(asked, batch.deadline), strict=True):
            text = completion.text if completion.finished else ""
            batch.ledger.record(i, said(text, references[i].source, unread[i]))


def _asked(question: Question) -> dict[str, str]:
    return {"question": question.text, "query_time": question.asked_when}


def _passages(pages: PageReferences, table_chars: int) -> list[str]:
    """Chunks, then tables; what does not fit the model's context is dropped from the end."""
    tables = fit_passages(pages.tables, table_chars, len, separator="")
    return [*pages.chunks, *(f"Table:\n{table}" for table in tables)]
