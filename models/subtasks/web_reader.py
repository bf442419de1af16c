"""Answers from pages without an LLM; imported when the first question needs a page."""

from dataclasses import dataclass, field, replace

from models.records import Answer
from models.runtime.case import Case
from models.subtasks.answer_web import ExtractiveReader
from models.subtasks.web_passages import coverage, note_retrieved
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

    def answer(self, case: Case, deadline: Deadline) -> Answer:
        """The answer in the pages, if the reader is confident enough; its step is noted."""
        question = case.question
        start = deadline.clock()
        retrieved = self.retriever.retrieve(question, deadline)
        note_retrieved(case, retrieved)
        best = self.reader.choice(question, retrieved.passages, retrieved.texts, deadline)
        answer = self.reader.answer_of(best)
        seconds = deadline.clock() - start
        step = self.reader.step(best, seconds, coverage(question.plain, retrieved))
        passages = "\n\n".join(passage.text for passage in retrieved.passages)
        case.note_step(replace(step, inputs={"passages": passages, **step.inputs}))
        return answer
