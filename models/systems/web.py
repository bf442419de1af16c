"""The web half of a system: the passages of a batch, fetched beside the LLM's first rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.records import Passage, Question
from models.systems.protocol import Ledger
from models.systems.trace import Step
from models.web.retriever import Retriever, signed
from utils.deadline import Deadline
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class WebPassages:
    """One question's passages, best first, and each as a prompt shows it: below its title."""

    passages: tuple[Passage, ...] = ()
    texts: tuple[str, ...] = ()


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
            answers.failed(index, error)
            continue
        for what in got.given_up:
            answers.gave_up(index, what)
        texts = tuple(signed(passage, got.texts) for passage in got.passages)
        found[index] = WebPassages(tuple(got.passages), texts)
        given = {"pages": str(got.counts["pages"]), "chunks": str(got.counts["chunks"])}
        answers.note(index, Step("web", given, "\n\n".join(texts), deadline.clock() - start))
    return found
