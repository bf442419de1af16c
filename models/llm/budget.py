"""Selects the passages that fit a model's context, each as a whole."""

from collections.abc import Callable, Sequence

from models.llm.protocol import LLM, Prompt


def room(llm: LLM, prompt: Prompt) -> int | None:
    """The tokens that may be added to `prompt`, negative if it is too long.

    None if the engine does not know its context.
    """
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

    Passages that do not fit are skipped until one fits. After that, the first that does not fit
    ends the list, since later ones would be chosen for their length, not for their rank.

    Args:
        passages: best first.
        budget: in tokens.
        count: the number of tokens in a text.
        separator: the longest one between two passages (`GAP` in models/web/context.py).
    """
    fitting: list[str] = []
    separator_tokens = count(separator)
    free_tokens = budget
    for passage in passages:
        tokens = count(passage)
        if fitting:
            tokens += separator_tokens
        if tokens <= free_tokens:
            fitting.append(passage)
            free_tokens -= tokens
        elif fitting:
            break
    # Joined texts may have more tokens than their parts.
    while fitting and count(separator.join(fitting)) > budget:
        fitting.pop()
    return fitting
