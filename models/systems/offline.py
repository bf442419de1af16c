"""The default system: the path of every other one, with subtasks that need no weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.kg import run
from models.kg.english.names import Client
from models.kg.garbage import as_garbage
from models.kg.language.printer import to_text
from models.kg.semparse.parser import SemanticParser
from models.kg.verbalize import sentences
from models.records import Answer, Question, Source
from models.settings import Settings
from models.subtasks.answer_kg import ComposedAnswer, KgAnswerer
from models.subtasks.answer_web import CarefulReader, WebAnswerer
from models.subtasks.route import KeywordRouter, Router
from models.subtasks.write_query import PatternQueryWriter, QueryWriter
from models.systems.protocol import Ledger
from models.systems.trace import Step
from models.systems.web import coverage
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from utils.crag_api import CragClient
from utils.deadline import Deadline
from utils.errors import CragError

PARSED = 0.8  # probability from which on the semantic parser answers what the readers leave
KG_SHARE = 0.5  # of the time there is: a slow API leaves the rest to the pages


def build(settings: Settings) -> "OfflineSystem":
    """The offline system over the KG API of `settings`, if they name one, and their web path."""
    return OfflineSystem(
        CragClient(settings.api_url) if settings.api_url else None,
        retriever=make_retriever(web_settings(settings.web)),
    )


@dataclass
class OfflineSystem:
    """Answers from the KG first and from the pages where the KG does not know (db3, section 3.3).

    `client` None: there is no KG, whatever the task.
    """

    client: Client | None
    router: Router = field(default_factory=KeywordRouter)
    query_writer: QueryWriter = field(default_factory=PatternQueryWriter)
    kg_answerer: KgAnswerer = field(default_factory=ComposedAnswer)
    retriever: Retriever = field(default_factory=Retriever)
    web_answerer: WebAnswerer = field(default_factory=CarefulReader)

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        """Answer one question after the other, each with its share of the time that is left."""
        for index, question in enumerate(questions):
            share = deadline.remaining() / (len(questions) - index)
            self._answer_one(question, deadline.sooner(share), answers, index)

    def _answer_one(
        self, question: Question, deadline: Deadline, answers: Ledger, index: int
    ) -> None:
        found = Answer()
        if question.task.has_kg and self.client is not None:
            kg_deadline = deadline.sooner(deadline.remaining() * KG_SHARE)
            try:
                found = self._ask_kg(question, self.client, kg_deadline, answers, index)
            except CragError as error:  # the pages may still know
                answers.failed(index, error, "kg")
        if not found.known:
            found = self._ask_web(question, deadline, answers, index)
        answers.record(index, found)

    def _ask_kg(
        self, question: Question, client: Client, deadline: Deadline, answers: Ledger, index: int
    ) -> Answer:
        domain = self.router.route(question.text)
        answers.note(index, Step("route", {"question": question.text}, domain or "?"))
        failed: CragError | None = None
        with as_garbage():  # names, programs and answers are all made of records
            for reading in self.query_writer.write(question, domain, client, deadline):
                deadline.check("the KG's programs")
                answers.note(
                    index, Step("write_query", {"question": question.text}, reading.program)
                )
                start = deadline.clock()
                result = run(reading.program, client, question.asked_at, deadline, whole_rows=True)
                found = self.kg_answerer.answer(question, reading, result)
                given = {"program": reading.program, "result": "\n".join(result.sentences)}
                answers.note(index, Step("answer_kg", given, found.text, deadline.clock() - start))
                if found.known:
                    return found
                failed = failed or next(iter(result.errors), None)
        if failed is not None:
            raise failed
        return self._parse(question, client, deadline, answers, index)

    def _parse(
        self, question: Question, client: Client, deadline: Deadline, answers: Ledger, index: int
    ) -> Answer:
        """What the semantic parser makes of a question that no reader answers."""
        start = deadline.clock()
        with as_garbage():
            parsed = SemanticParser(client).parse(question.text, question.asked_at, deadline)
            chosen, choice = parsed.chosen, parsed.choice
            told = " ".join(sentences(chosen.outcomes)) if chosen else ""
        if chosen is None or choice is None:
            if parsed.errors:
                raise parsed.errors[0]
            return Answer()
        given = {"program": to_text(chosen.candidate.program), "result": told}
        sure = {"probability": choice.probability}
        step = Step("semparse", given, choice.answer, deadline.clock() - start, sure=sure)
        answers.note(index, step)
        return Answer(choice.answer, Source.KG, told) if choice.probability >= PARSED else Answer()

    def _ask_web(
        self, question: Question, deadline: Deadline, answers: Ledger, index: int
    ) -> Answer:
        start = deadline.clock()
        got = self.retriever.retrieve(question, deadline)
        for what in got.given_up:
            answers.gave_up(index, what)
        found = self.web_answerer.answer(question, got.passages, got.texts)
        given = {"passages": "\n\n".join(passage.text for passage in got.passages)}
        step = Step(
            "answer_web", given, found.text, deadline.clock() - start,
            sure=coverage(question.text, got),
        )  # fmt: skip
        answers.note(index, step)
        return found
