"""Answers from pages without an LLM; imported when the first question needs a page."""

from dataclasses import dataclass, field

from models.records import Answer, Question
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from models.subtasks.answer_web import ExtractiveReader
from models.systems.web_passages import coverage, note_failures
from models.web.retriever import Retriever
from utils.deadline import Deadline


@dataclass(frozen=True)
class WebReader:
    """Retrieves passages of a question's pages, and copies the answer from them."""

    retriever: Retriever = field(default_factory=Retriever)
    reader: ExtractiveReader = field(default_factory=ExtractiveReader)

    def answer(self, question: Question, deadline: Deadline, ledger: Ledger, index: int) -> Answer:
        """The answer in the pages, if the reader is confident enough; its step is noted."""
        start = deadline.clock()
        retrieved = self.retriever.retrieve(question, deadline)
        note_failures(index, retrieved, ledger)
        ledger.note_retrieved(index, retrieved)
        choice = self.reader.choice(question, retrieved.passages, retrieved.texts)
        answer = self.reader.answer_of(choice)
        inputs = {"passages": "\n\n".join(passage.text for passage in retrieved.passages)}
        if not answer.known:
            inputs["refused"] = self.reader.refusal(choice)
        step = Step(
            "answer_web",
            inputs,
            answer.text,
            deadline.clock() - start,
            confidence=coverage(question.plain, retrieved),
        )
        ledger.note_step(index, step)
        return answer
