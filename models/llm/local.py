"""The common part of engines in this process: tokenizer, adapters, one caller at a time."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from models.llm.adapters import Adapter, base_context, find_model, read_adapter
from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.constraints import check_prompts
from models.llm.protocol import Completion, FinishReason, OnEnd, Prompt, ignore_end, joined
from utils.deadline import Deadline


def load_parts(settings: LLMSettings) -> tuple[Path, Chat, list[Adapter]]:
    """A model's folder, its tokenizer and its adapters, checked before an engine is imported.

    Raises:
        ModelMissing: the model or an adapter does not exist.
        AdapterIncompatible: an adapter does not fit the model.
        MissingPackageError: transformers is not installed.
    """
    folder = find_model(settings.place)
    adapters = [read_adapter(name, path, folder) for name, path in settings.adapters.items()]
    chat = Chat.load(folder, settings.context or base_context(folder))
    return folder, chat, adapters


class LocalLLM(ABC):
    """An engine in this process, whose state only one call at a time may change."""

    def __init__(self, chat: Chat, adapters: Collection[str]) -> None:
        """An engine with a tokenizer and the names of its adapters."""
        self._chat = chat
        self._adapters = frozenset(adapters)
        self._lock = threading.Lock()

    @property
    def context(self) -> int:
        """Maximum tokens of a prompt with its completion."""
        return self._chat.context

    def count(self, text: str) -> int:
        """Tokens in `text`, by the model's own tokenizer."""
        return self._chat.count(text)

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt as the model reads it."""
        return len(self._chat.ids(prompt))

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        """One completion per prompt, in order; see the protocol.

        An abandoned call holds the engine until its own deadline. Other calls wait for it until
        their own deadlines at most.
        """
        check_prompts(prompts, self._adapters)
        ids = self._chat.checked_ids(prompts)
        cut_off = Completion("", FinishReason.DEADLINE, 0)
        samples_of_prompts = [[cut_off] * prompt.n for prompt in prompts]
        if self._lock.acquire(timeout=min(deadline.remaining(), threading.TIMEOUT_MAX)):
            try:
                if prompts and not deadline.expired:
                    samples_of_prompts = self._complete(prompts, ids, deadline, on_end)
            finally:
                self._lock.release()
        return [
            replace(joined(samples), prompt_tokens=len(prompt_ids))
            for samples, prompt_ids in zip(samples_of_prompts, ids, strict=True)
        ]

    @abstractmethod
    def _complete(
        self,
        prompts: Sequence[Prompt],
        ids: Sequence[list[int]],
        deadline: Deadline,
        on_end: OnEnd,
    ) -> list[list[Completion]]:
        """The samples of each prompt, whose token ids are `ids`; unfinished at the deadline."""
