"""The contract of every LLM back end: prompts in, completions out, all by the deadline."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, Protocol

from utils.deadline import Deadline
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat.

    Its text may be untrusted: a back end breaks up the special tokens of its chat template in it.
    """

    role: Literal["system", "user", "assistant"]
    text: str


class ConstraintKind(StrEnum):
    """How a constraint is written."""

    CHOICE = "choice"
    REGEX = "regex"
    GRAMMAR = "grammar"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Constraint:
    """The texts that a model may write.

    These are the lines of `text` (choice), or the texts that match it as a regular expression, a
    Lark grammar, or a JSON schema.
    """

    kind: ConstraintKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a completion is written.

    Attributes:
        max_tokens: tokens the model may write, including the one that ends the turn.
        temperature: 0: the most probable token each time.
        n: number of samples; several need a temperature.
        seed: makes sampling repeatable on one engine (on llama.cpp only for one prompt at a time,
            as rounding depends on what is computed together); None: different each time.
        stop: texts before which the completion ends.
        constraint: of the completion's text, if any.
        logprobs: whether to return each token's log-probability.
    """

    max_tokens: int = 75
    temperature: float = 0.0
    n: int = 1
    seed: int | None = None
    stop: tuple[str, ...] = ()
    constraint: Constraint | None = None
    logprobs: bool = False


@dataclass(frozen=True, slots=True)
class Prompt(Sampling):
    """One request.

    Attributes:
        messages: the chat so far; the model writes the next turn.
        adapter: the name of a LoRA adapter; None: the base model.
    """

    messages: tuple[Message, ...]
    adapter: str | None = None


class FinishReason(StrEnum):
    """Why a completion ended."""

    STOP = "stop"  # the model ended its turn
    LENGTH = "length"  # the token limit
    DEADLINE = "deadline"  # cut off, or never begun
    BROKEN = "broken"  # the server failed, or ignored the constraint


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote.

    Attributes:
        text: without the token or text that ended it.
        finish_reason: why it ends there.
        tokens: the number written, including the one that ends a turn.
        logprobs: one per token, if requested and available: the model's own, before temperature
            and constraint.
        others: the second to n-th samples of a prompt with n samples.
        prompt_tokens: the number read, as far as the engine reports it.
        cached_tokens: how many of these came from the engine's cache.
        error: why the completion is missing, incomplete or unusable, if it is.
    """

    text: str
    finish_reason: FinishReason
    tokens: int
    logprobs: tuple[float, ...] = ()
    others: "tuple[Completion, ...]" = ()
    prompt_tokens: int = 0
    cached_tokens: int = 0
    error: CragError | None = None

    @property
    def finished(self) -> bool:
        """Whether the model ended by itself or at its token limit."""
        return self.finish_reason in (FinishReason.STOP, FinishReason.LENGTH)

    @property
    def samples(self) -> "tuple[Completion, ...]":
        """All the samples, this one first."""
        return (self, *self.others)


OnEnd = Callable[[], None]  # called once for each prompt that has been answered, or has failed


def ignore_end() -> None:
    """The `on_end` of a caller that does not count."""


def joined(samples: Sequence[Completion]) -> Completion:
    """The samples of one prompt as one completion."""
    first, *others = samples
    return replace(first, others=tuple(others))


class LLM(Protocol):
    """An engine that completes prompts."""

    @property
    def context(self) -> int | None:
        """Maximum tokens of a prompt with its completion; None: unknown."""
        ...

    def count(self, text: str) -> int:
        """Tokens in `text`, by the engine's own tokenizer."""
        ...

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt as the model reads it, including the chat template's."""
        ...

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        """One completion per prompt, in order.

        The deadline interrupts completions, which then have the text so far. The failure of a
        prompt is in its completion's `error`. The back end batches prompts and switches adapters.

        Args:
            prompts: what to complete.
            deadline: when to return at the latest.
            on_end: called when a prompt's last sample ends, well or not, by any thread.

        Raises:
            LLMError: a prompt cannot be served (models/llm/errors.py); nothing was generated.
        """
        ...


@dataclass(frozen=True)
class WrappedLLM:
    """An engine that delegates to another one."""

    llm: LLM

    @property
    def context(self) -> int | None:
        """The inner engine's context."""
        return self.llm.context

    def count(self, text: str) -> int:
        """Tokens in `text`, by the inner engine."""
        return self.llm.count(text)

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt, by the inner engine."""
        return self.llm.count_prompt(prompt)
