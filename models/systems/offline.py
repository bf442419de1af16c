"""The default system: KG, then web, with subtasks that need no weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.kg.execution.garbage import as_garbage
from models.kg.language.printer import to_text
from models.kg.parsing.parser import SemanticParser
from models.kg.wording.sentences import sentences
from models.records import Answer, Question, Source
from models.runtime.batch import in_turn
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from models.settings import Settings
from models.subtasks.answer_web import ExtractiveReader
from models.systems.web_passages import coverage, note_failures
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from utils.crag_api import CragClient, KgClient
from utils.deadline import Deadline
from utils.errors import CragError, SettingsError

KG_SHARE = 0.5  # of the time; a slow API leaves the rest to the pages


def build(settings: Settings) -> "OfflineSystem":
    """The offline system over the KG API of `settings`, if they name one, and their web path.

    Raises:
        SettingsError: there are options.
    """
    if settings.options:
        raise SettingsError("options: the offline system has none")
    client = CragClient(settings.api_url) if settings.api_url else None
    return OfflineSystem(client, retriever=make_retriever(web_settings(settings.web)))


@dataclass
class OfflineSystem:
    """Answers from the KG first, and from the pages if the KG has no answer (db3, section 3.3).

    `client` None: there is no KG, for any task.
    """

    client: KgClient | None
    retriever: Retriever = field(default_factory=Retriever)
    web_reader: ExtractiveReader = field(default_factory=ExtractiveReader)

    def answer(self, questions: Sequence[Question], deadline: Deadline, ledger: Ledger) -> None:
        """Answers the questions sequentially, each with an equal share of the time left."""
        for index, share in in_turn(range(len(questions)), deadline):
            self._answer_one(questions[index], share, ledger, index)

    def _answer_one(
        self, question: Question, deadline: Deadline, ledger: Ledger, index: int
    ) -> None:
        answer = Answer()
        if question.task.has_kg and self.client is not None:
            kg_deadline = deadline.sooner(deadline.remaining() * KG_SHARE)
            try:
                answer = self._ask_kg(question, self.client, kg_deadline, ledger, index)
            except CragError as error:  # the pages may have an answer
                ledger.note_failure(index, error, "kg")
        if not answer.known:
            answer = self._ask_web(question, deadline, ledger, index)
        ledger.record(index, answer)

    def _ask_kg(
        self, question: Question, client: KgClient, deadline: Deadline, ledger: Ledger, index: int
    ) -> Answer:
        """The semantic parser's answer, if it is confident enough.

        Raises:
            CragError: there is no answer, and a KG call failed or came too late.
        """
        start = deadline.clock()
        with as_garbage():  # names, programs and answers all depend on the shape of records
            parsed = SemanticParser(client).parse(question.text, question.asked_at, deadline)
            chosen = parsed.chosen
            result = " ".join(sentences(chosen.outcomes)) if chosen else ""
        if chosen is not None and parsed.choice is not None:
            step = Step(
                "parse",
                {"program": to_text(chosen.candidate.program), "result": result},
                parsed.choice.answer,
                deadline.clock() - start,
                confidence={"probability": parsed.choice.probability},
            )
            ledger.note_step(index, step)
        if parsed.answer is not None:
            return Answer(parsed.answer, Source.KG)
        if parsed.errors:
            raise parsed.errors[0]
        return Answer()

    def _ask_web(
        self, question: Question, deadline: Deadline, ledger: Ledger, index: int
    ) -> Answer:
        """The answer in the question's pages, if the reader is confident enough."""
        start = deadline.clock()
        retrieved = self.retriever.retrieve(question, deadline)
        note_failures(index, retrieved, ledger)
        answer = self.web_reader.answer(question, retrieved.passages, retrieved.texts)
        step = Step(
            "answer_web",
            {"passages": "\n\n".join(passage.text for passage in retrieved.passages)},
            answer.text,
            deadline.clock() - start,
            confidence=coverage(question.text, retrieved),
        )
        ledger.note_step(index, step)
        return answer
