"""Retrieves the passages of a batch in parallel with the LLM's first rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.records import Passage, Question
from models.runtime.batch import in_turn
from models.runtime.ledger import Ledger
from models.runtime.trace import Step
from models.web.context import in_reading_order, signed
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
        known = dict(zip(self.texts, self.passages, strict=True))
        others = [text for text in texts if text not in known]
        ours = in_reading_order([known[text] for text in texts if text in known], self.pages)
        return "\n\n".join([*others, ours] if ours else others)


def web_passages(
    retriever: Retriever,
    questions: Sequence[Question],
    deadline: Deadline,
    answers: Ledger,
    indices: Sequence[int] | None = None,
) -> list[WebPassages]:
    """The passages of each question, retrieved sequentially, each with an equal share of the time.

    A question has none if the time is up or its retrieval fails. `indices`: retrieve for these
    questions only.
    """
    found = [WebPassages()] * len(questions)
    wanted = range(len(questions)) if indices is None else indices
    for index, share in in_turn(wanted, deadline):
        start = share.clock()
        try:
            got = retriever.retrieve(questions[index], share)
        except CragError as error:
            answers.failed(index, error, "web")
            continue
        note_failures(index, got, answers)
        texts = tuple(signed(passage, got.texts) for passage in got.passages)
        found[index] = WebPassages(tuple(got.passages), texts, got.texts)
        given = {"pages": str(got.counts["pages"]), "chunks": str(got.counts["chunks"])}
        sure = coverage(questions[index].text, got)
        made = "\n\n".join(texts)
        answers.note(index, Step("web", given, made, deadline.clock() - start, confidence=sure))
    return found


def note_failures(index: int, got: Retrieved, answers: Ledger) -> None:
    """Note the work omitted for the question, and the pages that failed or were skipped."""
    for what in got.given_up:
        answers.gave_up(index, what)
    for name, pages in got.broke.items():
        answers.failed(index, PageFailed(f"{name}: {pages} pages"), "web")


def coverage(query: str, got: Retrieved) -> dict[str, float]:
    """`coverage`: the share of the question's words in the best passage or its title."""
    asked = stems(query)
    if not asked or not got.passages:
        return {}
    there = stems(signed(got.passages[0], got.texts))
    return {"coverage": len(asked & there) / len(asked)}
