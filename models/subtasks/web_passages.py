"""Retrieves the passages of a batch in parallel with the LLM's first rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.records import Passage
from models.runtime.batch import in_turn
from models.runtime.case import Case
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


@dataclass(eq=False)
class WebCase(Case):
    """A question with the passages of its pages.

    Attributes:
        web: its passages; none until its pages have been read.
    """

    web: WebPassages = field(default_factory=WebPassages)


def read_pages(retriever: Retriever, cases: Sequence[WebCase], deadline: Deadline) -> None:
    """Retrieve the passages of one case after the other, each with an equal share of the time.

    A case has none if the time is up or its retrieval fails.
    """
    for case, share in in_turn(cases, deadline):
        start = share.clock()
        try:
            retrieved = retriever.retrieve(case.question, share)
        except CragError as error:
            case.note_failure(error, "web")
            continue
        note_retrieved(case, retrieved)
        texts = tuple(with_title(passage, retrieved.texts) for passage in retrieved.passages)
        case.web = WebPassages(tuple(retrieved.passages), texts, retrieved.texts)
        counts = {name: str(retrieved.counts[name]) for name in ("pages", "chunks")}
        step = Step(
            "web",
            counts,
            "\n\n".join(texts),
            deadline.clock() - start,
            confidence=coverage(case.question.plain, retrieved),
        )
        case.note_step(step)


def note_retrieved(case: Case, retrieved: Retrieved) -> None:
    """Note the work omitted for the question and the pages that failed or were skipped; tell which
    passages were retrieved."""
    for what in retrieved.given_up:
        case.slot.note_given_up(what)
    for name, pages in retrieved.broke.items():
        case.note_failure(PageFailed(f"{name}: {pages} pages"), "web")
    case.slot.tell(retrieved)


def coverage(query: str, retrieved: Retrieved) -> dict[str, float]:
    """`coverage`: the share of the question's words in the best passage or its title."""
    query_stems = stems(query)
    if not query_stems or not retrieved.passages:
        return {}
    passage_stems = stems(with_title(retrieved.passages[0], retrieved.texts))
    return {"coverage": len(query_stems & passage_stems) / len(query_stems)}
