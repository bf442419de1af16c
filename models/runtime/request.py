"""What a system asks an LLM for, for one question of a batch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from models.llm.protocol import Completion, Prompt, Sampling
from models.prompts import Template
from models.runtime.case import Case

CaseT = TypeVar("CaseT", bound=Case)

PASSAGES = "passages"  # the placeholder in a prompt that takes as many passages as fit


@dataclass(frozen=True, slots=True)
class Request(Sampling, Generic[CaseT]):
    """One question's request to an LLM.

    Attributes:
        case: the question.
        subtask: its name in the settings, which select its engine and adapter.
        template: the prompt.
        values: of the placeholders, except `{passages}`.
        passages: best first; as many as fit replace `{passages}`.
        budget: maximum tokens of passages; None: what the context leaves.
        numbered: whether passages are numbered [1]...[K].
        write: joins the passages that fit into one text.
        answers: whether the completion is an answer, or reasoning that ends with one.
    """

    case: CaseT
    subtask: str
    template: Template
    values: Mapping[str, str]
    passages: Sequence[str] = ()
    budget: int | None = None
    numbered: bool = False
    write: Callable[[Sequence[str]], str] = "\n\n".join
    answers: bool = False

    @property
    def texts(self) -> list[str]:
        """The passages as written in a prompt."""
        if not self.numbered:
            return list(self.passages)
        return [f"[{number}] {text}" for number, text in enumerate(self.passages, 1)]

    def filled(self, passages: Sequence[int]) -> dict[str, str]:
        """The values of the placeholders; `{passages}`, if there is one, has these passages."""
        if PASSAGES not in self.template.fields:
            return dict(self.values)
        texts = self.texts
        written = self.write([texts[number] for number in passages])
        return {**self.values, PASSAGES: written}


@dataclass(frozen=True, slots=True)
class Reply(Generic[CaseT]):
    """A request with its completion.

    Attributes:
        request: as it was sent, perhaps with fewer samples or passages than it had.
        completion: the LLM's; empty if it failed.
        shown: the passages that were in the prompt, as indices into the request's.
    """

    request: Request[CaseT]
    completion: Completion
    shown: tuple[int, ...] = ()

    @property
    def case(self) -> CaseT:
        """The question."""
        return self.request.case


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far an LLM round is: `done` of its `requests`, of the step `step`, are answered."""

    step: str
    done: int
    requests: int


@dataclass(frozen=True, slots=True)
class WrittenRequest:
    """A request, and the prompt that was written for it."""

    request: Request[Any]
    prompt: Prompt
