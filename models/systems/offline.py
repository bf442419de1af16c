"""The default system: KG, then web, with subtasks that need no weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from models.kg import make_client
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import SemanticParser
from models.records import Answer, Source
from models.runtime.batch import in_turn
from models.runtime.case import Case
from models.runtime.trace import Step
from models.settings import Settings
from models.systems.protocol import SystemSpec
from models.web.settings import WebSettings, web_settings
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError, SettingsError
from utils.model_files import WeightsError

if TYPE_CHECKING:
    from models.llm.llms import LLMs
    from models.subtasks.web_reader import WebReader

KG_SHARE = 0.5  # of the time; a slow API leaves the rest to the pages


def build(settings: Settings, llms: "LLMs | None" = None) -> "OfflineSystem":
    """The offline system over the KG API of `settings`, if they name one, and their web path; it
    asks no engine.

    Raises:
        SettingsError: there are options.
    """
    if settings.options:
        raise SettingsError("options: the offline system has none")
    client = make_client(settings.api_url) if settings.api_url else None
    system = OfflineSystem(client, web_settings(settings.web))
    if system.web.embedder or system.web.reranker:
        system.load_web_reader()  # a model that is missing is an error before the first question
    return system


@dataclass
class OfflineSystem:
    """Answers from the KG first, and from the pages if the KG has no answer (db3, section 3.3).

    `client` None: there is no KG, for any task. `web_reader` None: it is made from `web` when the
    first question needs a page, since its libraries take long to import.
    """

    client: KgClient | None
    web: WebSettings = field(default_factory=WebSettings)
    web_reader: "WebReader | None" = None
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def load_web_reader(self) -> "WebReader":
        """The reader of pages, made with the first call.

        Raises:
            SettingsError: a model of its settings does not exist.
        """
        with self._lock:  # a second attempt may begin while the first one still imports
            if self.web_reader is None:
                from models.subtasks.web_reader import WebReader
                from models.web.make_retriever import make_retriever

                self.web_reader = WebReader(make_retriever(self.web))
            return self.web_reader

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """Answers the questions sequentially, each with an equal share of the time left."""
        for case, share in in_turn(cases, deadline):
            self._answer_one(case, share)

    def _answer_one(self, case: Case, deadline: Deadline) -> None:
        question = case.question
        answer = Answer()
        if question.task.has_kg and self.client is not None:
            kg_deadline = deadline.sooner(deadline.remaining() * KG_SHARE)
            try:
                answer = self._ask_kg(case, self.client, kg_deadline)
            except CragError as error:  # the pages may have an answer
                case.note_failure(error, "kg")
        if not answer.known and question.pages:
            try:
                answer = self.load_web_reader().answer(case, deadline)
            except WeightsError as error:  # the KG's answers do not need the encoder
                case.note_failure(error, "pages")
        case.settle(answer)

    def _ask_kg(self, case: Case, client: KgClient, deadline: Deadline) -> Answer:
        """The semantic parser's answer, if it is confident enough.

        Raises:
            CragError: there is no answer, and a KG call failed or came too late.
        """
        question = case.question
        start = deadline.clock()
        parsed = SemanticParser(client).parse(question.text, question.asked_at, deadline)
        inputs = {} if question.plain == question.text else {"question": question.plain}
        if parsed.best is not None:
            inputs["program"] = to_text(parsed.best.candidate.program)
            inputs["result"] = " ".join(parsed.best.result.sentences)
        if parsed.refusal:
            inputs["refused"] = parsed.refusal
        confidence = {}
        if parsed.choice is not None:
            confidence["probability"] = parsed.choice.probability
        step = Step(
            "parse",
            inputs,
            parsed.choice.answer if parsed.choice else "",
            deadline.clock() - start,
            confidence=confidence,
        )
        case.note_step(step)
        if parsed.answer is not None:
            return Answer(parsed.answer, Source.KG)
        if parsed.errors:
            raise parsed.errors[0]
        return Answer()


SYSTEM = SystemSpec(build)
