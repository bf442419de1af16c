"""Retrieves the passages of a question's pages that most likely contain its answer."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from models.load_shedding import GivenUp
from models.records import Question
from models.web.chunking import Chunk
from models.web.page_reader import InProcess, PageReader
from models.web.retrieved import Retrieved
from models.web.scoring import Scorer
from models.web.selection import PageSelector, distinct_chunks, distinct_pages
from utils.deadline import Deadline

PREFILTER_SHARE = 0.25  # maximum share of the time for selecting pages


@dataclass(frozen=True)
class Retriever:
    """Selects pages (`prefilter` None: all), reads them, and scores their chunks.

    Each stage processes the likeliest items first. If reading pages or embedding ran out of time,
    embedding and reranking are skipped.
    """

    page_reader: PageReader = field(default_factory=InProcess)
    prefilter: PageSelector | None = None
    scorer: Scorer = field(default_factory=Scorer)

    def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
        """The best passages of the question's pages; at the deadline, of the pages read by then."""
        result = Retrieved()
        with result.stage("prefilter", deadline):
            indices = self._select_pages(question, result, deadline)
        with result.stage("read", deadline):
            pages_read = self.page_reader.read(question.pages, indices, deadline)
        chunks: list[Chunk] = []
        for index, page in pages_read.items():
            result.counts += page.counts
            chunks += page.chunks
            if page.text is not None:
                result.texts[index] = page.text
        result.counts["pages"] = len(result.texts)
        if len(pages_read) < len(indices):
            result.gave_up(GivenUp.PAGES)
        return self.rank(question.plain, chunks, result, deadline)

    def _select_pages(self, question: Question, result: Retrieved, deadline: Deadline) -> list[int]:
        """The indices of the pages to read."""
        indices = distinct_pages(question.pages)
        if self.prefilter is None:
            return indices
        share = deadline.sooner(deadline.remaining() * PREFILTER_SHARE)
        selected, late = self.prefilter.select(question, indices, share)
        if late:
            result.gave_up(GivenUp.RERANK)
        return selected

    def rank(
        self, query: str, chunks: Iterable[Chunk], result: Retrieved, deadline: Deadline
    ) -> Retrieved:
        """`result` with the best passages of `chunks`, which belong to its texts."""
        result.passages = self.scorer.passages(query, distinct_chunks(chunks), result, deadline)
        return result
