"""Retrieves the passages of a batch in parallel with the LLM's first rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.records import Passage, Question
from models.runtime.batch import in_turn
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from models.web.context import in_reading_order, with_title
from models.web.page import PageText
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from utils.deadline import Deadline
from utils.errors import CragError
from utils.text import stems


class PageFailed(CragError):
    """A part of the web path failed on a page; a fallback was used, or the page was skipped."""

    kind = "web page failed"


@dataclass(frozen=True, slots=True)
class WebPassages:
    """One question's passages.

    Attributes:
        passages: best first.
        texts: each of them below its page's title.
        pages: their pages, by index.
    """

    passages: tuple[Passage, ...] = ()
    texts: tuple[str, ...] = ()
    pages: Mapping[int, PageText] = field(default_factory=dict)

    def written(self, texts: Sequence[str]) -> str:
        """Some of the texts as shown together in a prompt: in reading order, each title once.

        Other texts, such as facts from elsewhere, come before them.
        """
        passage_by_text = dict(zip(self.texts, self.passages, strict=True))
        parts: list[str] = []
        passages: list[Passage] = []
        for text in texts:
            if text in passage_by_text:
                passages.append(passage_by_text[text])
            else:
                parts.append(text)
        page_text = in_reading_order(passages, self.pages)
        if page_text:
            parts.append(page_text)
        return "\n\n".join(parts)


def web_passages(
    retriever: Retriever,
    questions: Sequence[Question],
    deadline: Deadline,
    ledger: Ledger,
    indices: Sequence[int] | None = None,
) -> list[WebPassages]:
    """The passages of each question, retrieved sequentially, each with an equal share of the time.

    A question has none if the time is up or its retrieval fails. `indices`: retrieve for these
    questions only.
    """
    passages = [WebPassages()] * len(questions)
    if indices is None:
        indices = range(len(questions))
    for index, share in in_turn(indices, deadline):
        question = questions[index]
        start = share.clock()
        try:
            retrieved = retriever.retrieve(question, share)
        except CragError as error:
            ledger.note_failure(index, error, "web")
            continue
        note_failures(index, retrieved, ledger)
        ledger.note_retrieved(index, retrieved)
        texts = tuple(with_title(passage, retrieved.texts) for passage in retrieved.passages)
        passages[index] = WebPassages(tuple(retrieved.passages), texts, retrieved.texts)
        counts = {name: str(retrieved.counts[name]) for name in ("pages", "chunks")}
        step = Step(
            "web",
            counts,
            "\n\n".join(texts),
            deadline.clock() - start,
            confidence=coverage(question.plain, retrieved),
        )
        ledger.note_step(index, step)
    return passages


def note_failures(index: int, retrieved: Retrieved, ledger: Ledger) -> None:
    """Note the work omitted for the question, and the pages that failed or were skipped."""
    for what in retrieved.given_up:
        ledger.note_given_up(index, what)
    for name, pages in retrieved.broke.items():
        ledger.note_failure(index, PageFailed(f"{name}: {pages} pages"), "web")


def coverage(query: str, retrieved: Retrieved) -> dict[str, float]:
    """`coverage`: the share of the question's words in the best passage or its title."""
    query_stems = stems(query)
    if not query_stems or not retrieved.passages:
        return {}
    passage_stems = stems(with_title(retrieved.passages[0], retrieved.texts))
    return {"coverage": len(query_stems & passage_stems) / len(query_stems)}
