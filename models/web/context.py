"""Passages as the text that an LLM is given: in reading order, below their pages' titles."""

from collections.abc import Mapping, Sequence

from models.records import Passage
from models.web.page import PageText

GAP = "[...]"  # stands for what is left out between two passages of a page


def in_reading_order(passages: Sequence[Passage], texts: Mapping[int, PageText]) -> str:
    """`passages`, best first, as one text; each page's title stands once, above its passages.

    Pages come in the order of their best passage, their passages as they stand on the page, a line
    with `GAP` where text between them is left out. What two of them share stands once.

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
    """The passage alone, below its page's title."""
    return f"{texts[passage.page].title}\n{passage.text}"
