"""Which passages fit a model's context, each as a whole."""

from collections.abc import Callable, Sequence

from models.llm.protocol import LLM, Prompt


def room(llm: LLM, prompt: Prompt) -> int | None:
    """Tokens that may be added to `prompt`, negative where it is too long; None where the engine
    does not know its context."""
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
    """The first passages, best first, that with their separators have at most `budget` tokens.

    `separator` is the longest that stands between two of them (`GAP` in models/web/context.py).
    Passages that do not fit are skipped until one fits; after that the first that does not fit ends
    the list, since later ones would be chosen for their length, not for their rank.
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
