"""Completions without the model's reasoning, of bounded length, and their cost.

A reasoning model thinks between <think> and </think> before it answers, and needs tokens for it
beside those of the answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.llm.config import Price
from models.llm.errors import Empty
from models.llm.protocol import Completion, FinishReason, Prompt, WrappedLLM
from utils.deadline import Deadline

_MOST_CHARS = 16_000
_BLANKS = re.compile(r"\s{20,}")
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_OPEN = re.compile(r"<think(?:ing)?>", re.I)
_CLOSE = re.compile(r"</think(?:ing)?>", re.I)


def without_thoughts(text: str) -> str:
    """The text after the thoughts; nothing, where they have no end."""
    *_, answer = _CLOSE.split(text)
    return answer.lstrip() if answer != text else _OPEN.split(text, maxsplit=1)[0]


def readable(text: str) -> str:
    """The beginning of a text without control characters and surrogates, long whitespace shortened:
    any regular expression is fast on it."""
    short = _BLANKS.sub(lambda blanks: "\n" if "\n" in blanks[0] else " ", text[:_MOST_CHARS])
    return _NO_TEXT.sub("", short)


@dataclass(frozen=True)
class CleanLLM(WrappedLLM):
    """An engine whose completions come without thoughts.

    Attributes:
        name: its name in the settings.
        think_tokens: added to the `max_tokens` of every prompt, for thoughts.
        prices: in dollars per million tokens, of "prompt", "cached" and "completion" ones.
    """

    name: str = ""
    think_tokens: int = 0
    prices: Mapping[Price, float] = field(default_factory=dict)

    def cost(self, completion: Completion) -> float:
        """Dollars for a completion with all its samples."""
        read, cached = completion.prompt_tokens, completion.cached_tokens
        written = sum(sample.tokens for sample in completion.samples)
        fresh = self.prices.get("prompt", 0.0)
        dollars = (read - cached) * fresh + cached * self.prices.get("cached", fresh)
        return (dollars + written * self.prices.get("completion", 0.0)) / 1e6

    @property
    def context(self) -> int | None:
        """The engine's, less the room for thoughts."""
        known = self.llm.context
        return None if known is None else known - self.think_tokens

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion per prompt, in order; see the protocol."""
        asked = [replace(p, max_tokens=p.max_tokens + self.think_tokens) for p in prompts]
        made = self.llm.generate(asked, deadline=deadline)
        return [replace(self._read(one), others=tuple(map(self._read, one.others))) for one in made]

    def _read(self, completion: Completion) -> Completion:
        text = without_thoughts(completion.text)
        if self.think_tokens and completion.finish_reason is FinishReason.LENGTH:
            text = "" if text == completion.text else text  # thoughts that have no end
        text = readable(text)
        if not completion.finished or completion.error or text.strip():
            return replace(completion, text=text)
        thoughts = bool(completion.text.strip())
        reason = FinishReason.BROKEN if thoughts else completion.finish_reason
        error = empty_error(thoughts=thoughts)
        return replace(completion, text="", finish_reason=reason, error=error)


def empty_error(*, thoughts: bool) -> Empty:
    """Why a completion that ended has no text: the model wrote `thoughts` alone, or nothing."""
    if thoughts:
        return Empty("the model wrote nothing but its thoughts; raise llms.NAME.think_tokens")
    return Empty("the model wrote nothing")
