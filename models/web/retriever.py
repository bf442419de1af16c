"""Retrieves the passages of a question's pages that most likely contain its answer."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from models.load_shedding import GivenUp
from models.records import Question
from models.web.candidates import RankedPages, distinct, unique
from models.web.chunking import Chunk
from models.web.page_reader import InProcess, PageReader
from models.web.retrieved import Retrieved
from models.web.scoring import Scorer
from utils.deadline import Deadline

PREFILTER_SHARE = 0.25  # maximum share of the time for selecting pages


@dataclass(frozen=True)
class Retriever:
    """Selects pages (`prefilter` None: all), reads them, and scores their chunks.

    Each stage processes the likeliest items first. After a stage that ran out of time, the later
    ones are skipped.
    """

    pages: PageReader = field(default_factory=InProcess)
    prefilter: RankedPages | None = None
    scorer: Scorer = field(default_factory=Scorer)

    def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
        """The best passages of the question's pages; at the deadline, of the pages read by then."""
        found = Retrieved()
        with found.stage("prefilter", deadline):
            chosen = distinct(question.pages)
            if self.prefilter is not None:
                share = deadline.sooner(deadline.remaining() * PREFILTER_SHARE)
                chosen, late = self.prefilter.choose(question, chosen, share)
                if late:
                    found.gave_up(GivenUp.RERANK)
        with found.stage("read", deadline):
            read = self.pages.read(question.pages, chosen, deadline)
        for index, page in read.items():
            found.counts += page.counts
            if page.text is not None:
                found.texts[index] = page.text
        found.counts["pages"] = len(found.texts)
        if len(read) < len(chosen):
            found.gave_up(GivenUp.PAGES)
        chunks = (chunk for page in read.values() for chunk in page.chunks)
        return self.rank(question.text, chunks, found, deadline)

    def rank(
        self, query: str, chunks: Iterable[Chunk], found: Retrieved, deadline: Deadline
    ) -> Retrieved:
        """`found` with the best passages of `chunks`, which belong to its texts."""
        found.passages = self.scorer.passages(query, unique(chunks), found, deadline)
        return found
