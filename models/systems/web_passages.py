"""The web half of a system: the passages of a batch, fetched beside the LLM's first rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.records import Passage, Question
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
    """A part of the web path failed on a page, which was read in another way or skipped."""

    kind = "web page failed"


@dataclass(frozen=True, slots=True)
class WebPassages:
    """One question's passages.

    Attributes:
        passages: best first.
        texts: each of them below its page's title.
        pages: what they are from, by their index.
    """

    passages: tuple[Passage, ...] = ()
    texts: tuple[str, ...] = ()
    pages: Mapping[int, PageText] = field(default_factory=dict)

    def written(self, texts: Sequence[str]) -> str:
        """Some of the texts as a prompt shows them together: in reading order, each title once.

        What is none of them, such as facts from elsewhere, comes before them.
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
    """The passages of each question, one question after the other, each with its share of the time.

    Where the time is up, or the retriever cannot, a question has none. `indices`: only of these
    questions; the others have none.
    """
    found = [WebPassages()] * len(questions)
    wanted = range(len(questions)) if indices is None else indices
    for done, index in enumerate(wanted):
        start = deadline.clock()
        share = deadline.sooner(deadline.remaining() / (len(wanted) - done))
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
        answers.note(index, Step("web", given, made, deadline.clock() - start, sure=sure))
    return found


def note_failures(index: int, got: Retrieved, answers: Ledger) -> None:
    """Note what was left out of the question's work, and the pages that failed or were skipped."""
    for what in got.given_up:
        answers.gave_up(index, what)
    for name, pages in got.broke.items():
        answers.failed(index, PageFailed(f"{name}: {pages} pages"), "web")


def coverage(query: str, got: Retrieved) -> dict[str, float]:
    """`coverage`: the share of the question's words that the best passage or its title holds."""
    asked = stems(query)
    if not asked or not got.passages:
        return {}
    there = stems(signed(got.passages[0], got.texts))
    return {"coverage": len(asked & there) / len(asked)}
