"""What every LLM back end is: prompts in, completions out, all of them by the deadline."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from utils.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat. Text of pages or of the KG in it is data: a back end neutralises the
    special tokens of its chat template there."""

    role: Literal["system", "user", "assistant"]
    text: str


class ConstraintKind(StrEnum):
    CHOICE = "choice"
    REGEX = "regex"
    GRAMMAR = "grammar"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a model may write: one of the lines of `text` (choice), or what a regular expression,
    a Lark grammar, or a JSON schema allows."""

    kind: ConstraintKind
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. `adapter` is the name of a LoRA adapter; None: the base model."""

    messages: tuple[Message, ...]
    adapter: str | None = None
    max_tokens: int = 75
    temperature: float = 0.0
    constraint: Constraint | None = None
    logprobs: bool = False


class FinishReason(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    DEADLINE = "deadline"  # cut off, or never begun


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote. `logprobs`: one a token, where they were asked for."""

    text: str
    finish_reason: FinishReason
    tokens: int
    logprobs: tuple[float, ...] = ()


class LLM(Protocol):
    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion a prompt, in order. What the deadline cut off comes back unfinished, with
        what there was of it, never as a hang. Batching and switching adapters are its business."""
        ...
