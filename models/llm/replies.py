"""Completions without the model's reasoning, of bounded length, and their cost.

A reasoning model thinks between <think> and </think>, or similar marks, before it answers, which
needs tokens in addition to those of the answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.llm.config import Price
from models.llm.errors import Empty
from models.llm.protocol import (
    Completion,
    FinishReason,
    OnEnd,
    Prompt,
    WrappedLLM,
    ignore_end,
)
from utils.deadline import Deadline

_MOST_CHARS = 16_000
_BLANKS = re.compile(r"\s{20,}")
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_OPEN = re.compile(
    r"<(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning|analysis)>|\[THINK\]|\u25c1think\u25b7"
    r"|<\|(?:START_THINKING|begin_of_thought)\|>",
    re.I,
)
_CLOSE = re.compile(
    r"</(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning|analysis)>|\[/THINK\]|\u25c1/think\u25b7"
    r"|<\|(?:END_THINKING|end_of_thought)\|>(?:\s*<\|(?:START_RESPONSE|begin_of_solution)\|>)?",
    re.I,
)
_END = re.compile(r"<\|(?:END_RESPONSE|end_of_solution)\|>")
# Harmony, the format of gpt-oss: every message names its channel, and "final" is the answer.
_CHANNEL = re.compile(
    r"<\|channel\|>\s{0,9}(\w{1,20})[^<]{0,50}(?:<\|constrain\|>[^<]{0,50})?<\|message\|>(.*?)"
    r"(?=<\|(?:end|return|start|call|channel)\|>|\Z)",
    re.S,
)
_FINAL = "final"
_BARE_CHANNELS = re.compile(
    r"(?:assistant)?analysis.*assistantfinal", re.S
)  # without its special tokens


def without_thoughts(text: str) -> str:
    """The text after the thoughts; if they have no end, the text before them.

    >>> without_thoughts("[THINK]40?[/THINK] 41")
    '41'
    """
    text = _END.sub("", text)
    channels = _CHANNEL.findall(text)
    if channels:
        return "".join(message for channel, message in channels if channel == _FINAL).strip()
    bare = _BARE_CHANNELS.match(text)
    if bare is not None:
        return text[bare.end() :].strip()
    *_, answer = _CLOSE.split(text)
    if answer != text:
        return answer.lstrip()
    return _OPEN.split(text, maxsplit=1)[0]


def readable(text: str) -> str:
    """The beginning of a text, without control characters, surrogates and long whitespace.

    Any regular expression is fast on it.
    """
    short = _BLANKS.sub(lambda blanks: "\n" if "\n" in blanks[0] else " ", text[:_MOST_CHARS])
    return _NO_TEXT.sub("", short)


@dataclass(frozen=True)
class CleanLLM(WrappedLLM):
    """An engine whose completions come without thoughts.

    Attributes:
        name: its name in the settings.
        think_tokens: added to the `max_tokens` of every prompt, for thoughts.
        prices: in dollars per million tokens, of "prompt", "cached" and "completion" tokens.
    """

    name: str = ""
    think_tokens: int = 0
    prices: Mapping[Price, float] = field(default_factory=dict)

    def cost(self, completion: Completion) -> float:
        """The price of a completion with all its samples, in dollars."""
        prompt_price = self.prices.get("prompt", 0.0)
        cached_price = self.prices.get("cached", prompt_price)
        completion_price = self.prices.get("completion", 0.0)
        cached_tokens = completion.cached_tokens
        new_tokens = completion.prompt_tokens - cached_tokens
        written_tokens = sum(sample.tokens for sample in completion.samples)
        prompt_cost = new_tokens * prompt_price + cached_tokens * cached_price
        return (prompt_cost + written_tokens * completion_price) / 1e6

    @property
    def context(self) -> int | None:
        """The engine's context, less the tokens for thoughts."""
        context = self.llm.context
        return None if context is None else context - self.think_tokens

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        """One completion per prompt, in order; see the protocol."""
        longer = [
            replace(prompt, max_tokens=prompt.max_tokens + self.think_tokens) for prompt in prompts
        ]
        cleaned = []
        for completion in self.llm.generate(longer, deadline=deadline, on_end=on_end):
            others = tuple(self._cleaned(other) for other in completion.others)
            cleaned.append(replace(self._cleaned(completion), others=others))
        return cleaned

    def _cleaned(self, completion: Completion) -> Completion:
        """A sample without thoughts and unreadable characters."""
        text = without_thoughts(completion.text)
        thinks = self.think_tokens > 0
        if thinks and completion.finish_reason is FinishReason.LENGTH and text == completion.text:
            text = ""  # thoughts that have no end
        text = readable(text)
        if not completion.finished or completion.error or text.strip():
            return replace(completion, text=text)
        only_thoughts = bool(completion.text.strip())
        reason = FinishReason.BROKEN if only_thoughts else completion.finish_reason
        error = empty_error(thoughts=only_thoughts)
        return replace(completion, text="", finish_reason=reason, error=error)


def empty_error(*, thoughts: bool) -> Empty:
    """The error of a completion without text: the model wrote only `thoughts`, or nothing."""
    if thoughts:
        return Empty("the model wrote nothing but its thoughts; raise llms.NAME.think_tokens")
    return Empty("the model wrote nothing")
