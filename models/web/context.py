"""The passages as the text that an LLM is given, within its budget of tokens."""

from collections.abc import Mapping, Sequence

from models.records import Passage
from models.web.page import PageText
from utils.tokens import TokenCounter, estimate_tokens

CUT_MARK = " [...]"


def build_context(
    passages: Sequence[Passage],
    texts: Mapping[int, PageText],
    max_tokens: int,
    *,
    count: TokenCounter = estimate_tokens,
    numbered: bool = False,
) -> str:
    """The best passages that fit into `max_tokens`, in reading order under their pages' titles.

    Pages come in the order of their best passage. The one passage that would go over the budget is
    cut between words and marked so; none is cut otherwise.

    Args:
        passages: best first.
        texts: the pages, by the passages' index.
        max_tokens: of the whole, titles and numbers included.
        count: the LLM's tokenizer, or the estimate.
        numbered: whether each passage opens with [1]...[K], in the order in which they stand.
    """
    chosen: list[Passage] = []
    for passage in passages:
        if count(_written([*chosen, passage], texts, numbered)) <= max_tokens:
            chosen.append(passage)
            continue
        short = _longest(chosen, passage, texts, max_tokens, count, numbered)
        if short is not None:
            chosen.append(short)
        break
    return _written(chosen, texts, numbered)


def _written(passages: Sequence[Passage], texts: Mapping[int, PageText], numbered: bool) -> str:
    by_page: dict[int, list[Passage]] = {}
    for passage in passages:
        by_page.setdefault(passage.page, []).append(passage)
    blocks: list[str] = []
    number = 0
    for page, parts in by_page.items():
        lines = [texts[page].title] if texts[page].title else []
        for passage in sorted(parts, key=lambda part: part.start):
            number += 1
            lines.append(f"[{number}] {passage.text}" if numbered else passage.text)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _longest(
    chosen: Sequence[Passage],
    passage: Passage,
    texts: Mapping[int, PageText],
    max_tokens: int,
    count: TokenCounter,
    numbered: bool,
) -> Passage | None:
    """`passage` cut to what still fits, with the mark; None where not even a word does."""
    words = passage.text.split(" ")

    def cut(kept: int) -> Passage:
        text = " ".join(words[:kept]) + CUT_MARK
        return Passage(text, passage.page, passage.start, passage.end, passage.score)

    low, high = 0, len(words) - 1  # the first `low` words are known to fit
    while low < high:
        middle = (low + high + 1) // 2
        if count(_written([*chosen, cut(middle)], texts, numbered)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return cut(low) if low else None
