"""Formats passages for an LLM: in reading order, below their pages' titles."""

from collections.abc import Mapping, Sequence

from models.records import Passage
from models.web.page import PageText

GAP = "[...]"  # marks omitted text between two passages of a page


def in_reading_order(passages: Sequence[Passage], texts: Mapping[int, PageText]) -> str:
    """`passages`, given best first, as one text; each page's title and date once,
    above its passages.

    Pages are ordered by their best passage, passages by their position on the page; a line with
    `GAP` marks omitted text between them. Overlapping text appears once.

    Args:
        passages: those that fit the budget (models/llm/budget.py), each whole.
        texts: the pages, by the passages' index.
    """
    by_page: dict[int, list[Passage]] = {}
    for passage in passages:
        by_page.setdefault(passage.page, []).append(passage)
    blocks = [_block(texts[index], page_passages) for index, page_passages in by_page.items()]
    return "\n\n".join(blocks)


def _block(page: PageText, passages: Sequence[Passage]) -> str:
    """The title of `page`, and its passages in their order on the page."""
    lines = [page.heading] if page.heading else []
    in_order = sorted(passages, key=lambda passage: passage.start)
    end = in_order[0].start  # of the text in `lines` so far
    for passage in in_order:
        omitted = page.text[end : passage.start]
        if omitted.strip():
            lines.append(GAP)
        overlap = max(end - passage.start, 0)
        text = passage.text[overlap:].strip()
        lines.append(text if passage.start else _without_title(text, page.title))
        end = passage.end
    return "\n".join(lines)


def _without_title(text: str, title: str) -> str:
    """The beginning of a page without a first line that is its title."""
    first, _, rest = text.partition("\n")
    return rest if rest and first == title else text


def with_title(passage: Passage, texts: Mapping[int, PageText]) -> str:
    """One passage below its page's title."""
    return f"{texts[passage.page].title}\n{passage.text}"
