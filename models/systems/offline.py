"""The default system: the path of every other one, with subtasks that need no weights."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from models.kg import run
from models.kg.english.names import Client
from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Reranker
from models.records import Question
from models.settings import Settings
from models.subtasks.answer_kg import ComposedAnswer, KgAnswerer
from models.subtasks.answer_web import SpanAnswerer, WebAnswerer
from models.subtasks.route import KeywordRouter, Router
from models.subtasks.write_query import PatternQueryWriter, QueryWriter
from models.systems.protocol import Ledger
from models.systems.trace import Trace
from models.web.retriever import retrieve
from utils.crag_api import CragClient
from utils.deadline import Deadline
from utils.errors import CragError

KG_SHARE = 0.5  # of the time there is: a slow API leaves the rest to the pages

logger = logging.getLogger(__name__)


def build(settings: Settings) -> "OfflineSystem":
    """The offline system over the KG API of `settings`, if they name one."""
    return OfflineSystem(CragClient(settings.api_url) if settings.api_url else None)


@dataclass
class OfflineSystem:
    """Answers from the KG first and from the pages where the KG does not know (db3, section 3.3).

    `client` None: there is no KG, whatever the task.
    """

    client: Client | None
    router: Router = field(default_factory=KeywordRouter)
    query_writer: QueryWriter = field(default_factory=PatternQueryWriter)
    kg_answerer: KgAnswerer = field(default_factory=ComposedAnswer)
    ranker: Reranker = field(default_factory=LexicalReranker)
    web_answerer: WebAnswerer = field(default_factory=SpanAnswerer)

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        """Answer one question after the other, each with its share of the time that is left."""
        for index, question in enumerate(questions):
            share = deadline.remaining() / (len(questions) - index)
            self._answer_one(question, deadline.sooner(share), answers, index)

    def _answer_one(
        self, question: Question, deadline: Deadline, answers: Ledger, index: int
    ) -> None:
        trace = Trace(question.id)
        if question.task.has_kg and self.client is not None:
            kg_deadline = deadline.sooner(deadline.remaining() * KG_SHARE)
            try:
                self._ask_kg(question, self.client, kg_deadline, trace)
            except CragError as error:  # the pages may still know
                answers.failed(index, error)
        if not trace.kg_answer.known:
            self._ask_web(question, deadline, trace)
        logger.debug("%s", trace)
        answers.record(index, trace.answer)

    def _ask_kg(
        self, question: Question, client: Client, deadline: Deadline, trace: Trace
    ) -> None:
        trace.domain = self.router.route(question.text)
        trace.readings = self.query_writer.write(question, trace.domain, client, deadline)
        failed: CragError | None = None
        for reading in trace.readings:
            deadline.check("the KG's programs")
            result = run(reading.program, client, question.asked_at, deadline)
            trace.results = [*trace.results, result]
            trace.kg_answer = self.kg_answerer.answer(question, reading, result)
            if trace.kg_answer.known:
                return
            failed = failed or next(iter(result.errors), None)
        if failed is not None:
            raise failed

    def _ask_web(self, question: Question, deadline: Deadline, trace: Trace) -> None:
        texts, trace.passages = retrieve(question, self.ranker, deadline)
        trace.web_answer = self.web_answerer.answer(question, trace.passages, texts)
