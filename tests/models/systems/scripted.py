"""An LLM that says what a test tells it to, and remembers what it was asked."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from models.batch import read_query_time
from models.llm.factory import LLMs
from models.llm.protocol import LLM, Completion, FinishReason, Prompt
from models.load_shedding import Pace
from models.records import Page, Question, Task
from models.runtime.ledger import Ledger, QuestionOutcome
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
    ledger = Ledger(len(questions))
    system.answer(questions, deadline, ledger)
    outcomes = ledger.close()
    assert all(outcome.final for outcome in outcomes)
    return outcomes


def never(prompt: Prompt) -> str:
    """The reply of a subtask that must not be asked."""
    raise AssertionError(f"asked without need: {prompt}")


def saying(reply: Reply | Said) -> Reply:
    """A reply to every prompt, unless it is a reply of its own to each."""
    return reply if callable(reply) else lambda prompt: reply


def paths(*answers: str) -> Reply:
    """dragonrangers' step 1: a reasoning path for each answer."""
    said = [f"First, a fact. Second, another one. The answer is {answer}." for answer in answers]
    return lambda prompt: said


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
    first, *others = (Completion(text, FinishReason.STOP, len(text.split())) for text in texts)
    return replace(first, others=tuple(others))


@dataclass
class ScriptedLLM:
    """One subtask's model. `reply` is what it says to a prompt: a text, several samples, a whole
    completion, or an error that the round raises."""

    subtask: str
    reply: Reply
    rounds: "list[tuple[str, list[Prompt]]]"
    context: int | None = 8192

    def count(self, text: str) -> int:
        return len(text.split())

    def count_prompt(self, prompt: Prompt) -> int:
        return sum(self.count(message.text) for message in prompt.messages)

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        self.rounds.append((self.subtask, list(prompts)))
        if deadline.expired:
            return [Completion("", FinishReason.DEADLINE, 0) for _ in prompts]
        return [self._completion(prompt) for prompt in prompts]

    def _completion(self, prompt: Prompt) -> Completion:
        said = self.reply(prompt)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Completion):
            return said
        return completion(said) if isinstance(said, str) else completion(*said)


@dataclass
class ScriptedLLMs(LLMs):
    """The engines of a test: a reply a subtask, and the adapter that each subtask uses.

    Attributes:
        rounds: (subtask, its prompts) in the order in which they were asked.
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
        assert subtask in self._scripted, f"nobody said what {subtask} answers"
        return self._scripted[subtask], self.adapters.get(subtask)

    @property
    def order(self) -> list[str]:
        """The subtasks in the order of their rounds."""
        return [subtask for subtask, _ in self.rounds]

    def asked(self, subtask: str) -> list[str]:
        """The prompts of a subtask, each as one text."""
        return [
            "\n".join(message.text for message in prompt.messages)
            for name, prompts in self.rounds
            if name == subtask
            for prompt in prompts
        ]


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
