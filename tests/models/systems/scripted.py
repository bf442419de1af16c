"""An LLM with replies written by a test; it records its prompts."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from models.batch_input import read_query_time
from models.llm.llms import LLMs
from models.llm.protocol import LLM, Completion, FinishReason, OnEnd, Prompt, ignore_end
from models.load_shedding import Pace
from models.records import Page, Question, Task
from models.runtime.case import Case, QuestionOutcome
from models.systems.protocol import System
from utils.deadline import Deadline

Said = str | Completion | Sequence[str] | Exception
Reply = Callable[[Prompt], Said]
SOON = Deadline(100.0, lambda: 0.0)
ASKED_AT = read_query_time("03/10/2024, 23:19:21 PT")


def question(text: str, task: Task, pages: Sequence[Page], asked_at: Any = ASKED_AT) -> Question:
    """A question of 10 March 2024."""
    return Question("q", text, asked_at, task, tuple(pages))


def ask(system: System, *questions: Question, deadline: Deadline = SOON) -> list[QuestionOutcome]:
    """What becomes of each question; every one has a final answer."""
    cases = list(map(Case, questions))
    system.answer(cases, deadline)
    outcomes = [case.slot.close() for case in cases]
    assert all(outcome.final for outcome in outcomes)
    return outcomes


def never(prompt: Prompt) -> str:
    """The reply of a subtask that must not be requested."""
    raise AssertionError(f"this prompt is not needed: {prompt}")


def saying(reply: Reply | Said) -> Reply:
    """A function from prompts to replies: `reply` itself, or one that always gives it."""
    if callable(reply):
        return reply
    return lambda prompt: reply


def paths(*answers: str) -> Reply:
    """dragonrangers' step 1: a reasoning path for each answer."""
    samples = [f"First, a fact. Second, another one. The answer is {answer}." for answer in answers]
    return lambda prompt: samples


def sure(text: str, probability: float, tokens: int = 3) -> Reply:
    """A completion whose tokens have that probability each."""
    logprobs = (math.log(probability),) * tokens
    return lambda prompt: Completion(text, FinishReason.STOP, tokens, logprobs)


def form(answer: str, premise: str | None = "no", reasoning: str = "It says so.") -> str:
    """electricsheep's START/END form."""
    field = "" if premise is None else f"## False Premise:\n{premise}\n"
    return (
        f"===START===\n## Reasoning:\n{reasoning}\n------\n## Answer:\n{answer}\n{field}===END==="
    )


def completion(*texts: str) -> Completion:
    """The samples of one prompt, each of which came to its end."""
    samples = [Completion(text, FinishReason.STOP, len(text.split())) for text in texts]
    return replace(samples[0], others=tuple(samples[1:]))


def text_of(prompt: Prompt) -> str:
    """The messages of a prompt as one text."""
    return "\n".join(message.text for message in prompt.messages)


@dataclass
class ScriptedLLM:
    """One subtask's model. `reply` gives the reply to a prompt: a text, several samples, a whole
    completion, or an error that the round raises."""

    subtask: str
    reply: Reply
    rounds: "list[tuple[str, list[Prompt]]]"
    context: int | None = 8192

    def count(self, text: str) -> int:
        return len(text.split())

    def count_prompt(self, prompt: Prompt) -> int:
        return sum(self.count(message.text) for message in prompt.messages)

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        self.rounds.append((self.subtask, list(prompts)))
        if deadline.expired:
            return [Completion("", FinishReason.DEADLINE, 0) for _ in prompts]
        completions = []
        for prompt in prompts:
            completions.append(self._completion(prompt))
            on_end()
        return completions

    def _completion(self, prompt: Prompt) -> Completion:
        reply = self.reply(prompt)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        if isinstance(reply, str):
            return completion(reply)
        return completion(*reply)


@dataclass
class ScriptedLLMs(LLMs):
    """The engines of a test.

    Attributes:
        replies: by subtask.
        adapters: the adapter of each subtask that has one.
        rounds: each subtask with its prompts, in the order of the rounds.
    """

    replies: Mapping[str, Reply]
    adapters: Mapping[str, str] = field(default_factory=dict)
    rounds: "list[tuple[str, list[Prompt]]]" = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pace = Pace()
        self._scripted = {
            name: ScriptedLLM(name, reply, self.rounds) for name, reply in self.replies.items()
        }

    def of(self, subtask: str) -> tuple[LLM, str | None]:
        assert subtask in self._scripted, f"the test has no reply for {subtask}"
        return self._scripted[subtask], self.adapters.get(subtask)

    @property
    def order(self) -> list[str]:
        """The subtasks in the order of their rounds."""
        return [subtask for subtask, _ in self.rounds]

    def asked(self, subtask: str) -> list[str]:
        """The prompts of a subtask, each as one text."""
        texts = []
        for name, prompts in self.rounds:
            if name == subtask:
                texts += [text_of(prompt) for prompt in prompts]
        return texts


@dataclass
class OneEngine(ScriptedLLMs):
    """One engine for all subtasks, each by an adapter of its own name: a round is one call."""

    def of(self, subtask: str) -> tuple[LLM, str | None]:
        return self._engine, subtask

    def __post_init__(self) -> None:
        super().__post_init__()
        self._engine = ScriptedLLM("all", self._reply, self.rounds)

    def _reply(self, prompt: Prompt) -> Said:
        assert prompt.adapter is not None
        return self.replies[prompt.adapter](prompt)
