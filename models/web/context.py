"""Formats passages for an LLM: in reading order, below their pages' titles."""

from collections.abc import Mapping, Sequence

from models.records import Passage
from models.web.page import PageText

GAP = "[...]"  # marks omitted text between two passages of a page


def in_reading_order(passages: Sequence[Passage], texts: Mapping[int, PageText]) -> str:
    """`passages`, given best first, as one text; each page's title once, above its passages.

    Pages are ordered by their best passage, passages by their position on the page; a line with
    `GAP` marks omitted text between them. Overlapping text appears once.

    Args:
        passages: those that fit the budget (models/llm/budget.py), each whole.
        texts: the pages, by the passages' index.
    """
    by_page: dict[int, list[Passage]] = {}
    for passage in passages:
        by_page.setdefault(passage.page, []).append(passage)
    blocks: list[str] = []
    for page, parts in by_page.items():
        parts.sort(key=lambda part: part.start)
        lines = [texts[page].title] if texts[page].title else []
        shown = parts[0].start
        for part in parts:
            if texts[page].text[shown : part.start].strip():
                lines.append(GAP)
            lines.append(part.text[max(shown - part.start, 0) :].strip())
            shown = part.end
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def signed(passage: Passage, texts: Mapping[int, PageText]) -> str:
    """One passage below its page's title."""
    return f"{texts[passage.page].title}\n{passage.text}"
