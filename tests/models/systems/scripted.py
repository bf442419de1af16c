"""An LLM that says what a test tells it to, and remembers what it was asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.llm.factory import LLMs
from models.llm.protocol import LLM, Completion, FinishReason, Prompt
from models.load_shedding import Pace
from utils.deadline import Deadline

Said = str | Completion | Sequence[str] | Exception
Reply = Callable[[Prompt], Said]


def completion(text: str, logprobs: Sequence[float] = ()) -> Completion:
    """A completion that came to its end."""
    return Completion(text, FinishReason.STOP, len(text.split()), tuple(logprobs))


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
            return replace(said, adapter=prompt.adapter)
        first, *others = [said] if isinstance(said, str) else said
        made = completion(first)
        return replace(made, adapter=prompt.adapter, others=tuple(map(completion, others)))


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
