"""Web pages as electricsheep reads them: text chunks and tables apart, each best first (§4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.records import Passage, Question
from models.systems.protocol import Ledger
from models.systems.trace import Step
from models.systems.web import coverage
from models.web.context import signed
from models.web.page import PageText
from models.web.retriever import Retriever
from utils.deadline import Deadline
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class PageReferences:
    """What a question's pages give, each text below its page's title."""

    chunks: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


def read_pages(
    retriever: Retriever,
    questions: Sequence[Question],
    deadline: Deadline,
    answers: Ledger,
    *,
    chunks: int,
    table_chars: int,
) -> list[PageReferences]:
    """The best `chunks` of text, and the best tables of up to `table_chars` in all.

    One question after the other, each with its share of the time; where the time is up, or the
    retriever cannot, a question has none.
    """
    found = [PageReferences()] * len(questions)
    for index, question in enumerate(questions):
        start = deadline.clock()
        share = deadline.sooner(deadline.remaining() / (len(questions) - index))
        try:
            got = retriever.retrieve(question, share)
        except CragError as error:
            answers.failed(index, error)
            continue
        texts: list[str] = []
        tables: list[str] = []
        for passage in got.passages:
            kind = tables if in_table(passage, got.texts[passage.page]) else texts
            kind.append(signed(passage, got.texts).strip())
        found[index] = PageReferences(tuple(texts[:chunks]), tuple(within(tables, table_chars)))
        given = {name: str(got.counts[name]) for name in ("pages", "chunks")}
        made = "\n\n".join([*found[index].chunks, *found[index].tables])
        sure = coverage(question.text, got)
        answers.note(index, Step("web", given, made, deadline.clock() - start, sure=sure))
    return found


def in_table(passage: Passage, page: PageText) -> bool:
    """Whether the passage is one of the page's tables, or a part of one."""
    return any(start <= passage.start and passage.end <= end for start, end in page.tables)


def within(texts: Sequence[str], chars: int) -> list[str]:
    """The first texts of up to `chars` in all; the one that goes over it is cut between lines."""
    kept: list[str] = []
    for text in texts:
        if len(text) > chars:
            short = text[: text.rfind("\n", 0, chars + 1)] if "\n" in text[: chars + 1] else ""
            return [*kept, short] if short else kept
        kept.append(text)
        chars -= len(text)
    return kept
