"""Special tokens in text that comes from outside: broken up, so that none opens a turn."""

import re
from collections.abc import Iterable

# What chat templates mark turns with, for servers whose tokenizer is not at hand.
_KNOWN = (
    r"<[|\uff5c][^<>|\uff5c\n]{1,64}[|\uff5c]>",  # Llama 3, ChatML, Phi, Command R, DeepSeek
    r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\]",  # Mistral, Llama 2
    r"<</?SYS>>",  # Llama 2
    r"</?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn)>",  # SentencePiece, Gemma
)
_SHORTEST = 3
_ROUNDS = 8


class Neutraliser:
    """Breaks up every special token in a text, and leaves the rest as it is.

    A space after the first character is enough: what the reader sees is still there, and no
    tokenizer takes it for one token.
    """

    def __init__(self, special: Iterable[str] = ()) -> None:
        """`special`: the model's own special tokens, on top of those that are widely known."""
        # Some tokenizers add runs of spaces or a line's end: those open nothing, and breaking them
        # would break every text.
        own = [token for token in special if len(token) >= _SHORTEST and not token.isspace()]
        patterns = map(re.escape, sorted(own, key=len, reverse=True))
        self._pattern = re.compile("|".join((*patterns, *_KNOWN)))

    def __call__(self, text: str) -> str:
        # Once is not enough: matches do not overlap, and of two that did one is left.
        for _ in range(_ROUNDS):
            broken = self._pattern.sub(_broken, text)
            if broken == text:
                break
            text = broken
        return text


def _broken(match: re.Match[str]) -> str:
    token = match.group()
    return f"{token[0]} {token[1:]}"
