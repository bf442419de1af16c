"""Answers from pages without an LLM; imported when the first question needs a page."""

from dataclasses import dataclass, field, replace

from models.records import Answer, Question
from models.runtime.ledger import Ledger
from models.subtasks.answer_web import ExtractiveReader
from models.systems.web_passages import coverage, note_failures
from models.web.retriever import Retriever
from utils.deadline import Deadline


@dataclass(frozen=True)
class WebReader:
    """Retrieves passages of a question's pages, and copies the answer from them.

    Raises:
        WeightsError: the reader's encoder is not there.
    """

    retriever: Retriever = field(default_factory=Retriever)
    reader: ExtractiveReader = field(default_factory=ExtractiveReader)

    def answer(self, question: Question, deadline: Deadline, ledger: Ledger, index: int) -> Answer:
        """The answer in the pages, if the reader is confident enough; its step is noted."""
        start = deadline.clock()
        retrieved = self.retriever.retrieve(question, deadline)
        note_failures(index, retrieved, ledger)
        ledger.note_retrieved(index, retrieved)
        best = self.reader.choice(question, retrieved.passages, retrieved.texts, deadline)
        answer = self.reader.answer_of(best)
        seconds = deadline.clock() - start
        step = self.reader.step(best, seconds, coverage(question.plain, retrieved))
        passages = "\n\n".join(passage.text for passage in retrieved.passages)
        ledger.note_step(index, replace(step, inputs={"passages": passages, **step.inputs}))
        return answer
