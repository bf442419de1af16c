"""Which passages fit a model's context: whole ones, never part of one."""

from collections.abc import Callable, Sequence

from models.llm.protocol import LLM, Prompt


def room(llm: LLM, prompt: Prompt) -> int | None:
    """Tokens that may still be added to `prompt` (negative: it is too long by so many); None: the
    engine does not know its context."""
    if llm.context is None:
        return None
    return llm.context - llm.count_prompt(prompt) - prompt.max_tokens


def fit_passages(
    passages: Sequence[str],
    budget: int,
    count: Callable[[str], int],
    *,
    separator: str = "\n[...]\n",
) -> list[str]:
    """The first passages, best first, that together with their separators have `budget` tokens.

    `separator` is the longest that stands between two of them (`GAP` in models/web/context.py).
    The first that does not fit ends them, since what is behind it is there for being short, not for
    being good; where nothing fits yet it is left out whole.
    """
    kept: list[str] = []
    between = count(separator)
    left = budget
    for passage in passages:
        cost = count(passage) + (between if kept else 0)
        if cost <= left:
            kept.append(passage)
            left -= cost
        elif kept:
            break
    while kept and count(separator.join(kept)) > budget:  # tokens may fall differently when joined
        kept.pop()
    return kept
