"""Builds engines from settings, and selects the engine of a subtask."""

import threading
from collections.abc import Callable, Iterable, Mapping

from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.protocol import LLM
from models.llm.replies import CleanLLM
from models.load_shedding import Pace
from utils.errors import SettingsError


def make_llm(settings: LLMSettings, *, api_key: str | None = None) -> LLM:
    """The engine that `settings.spec` names, loaded; `api_key` is for a server.

    Raises:
        LLMError: the model or an adapter is missing or does not fit.
        MissingPackageError: a package of the engine is not installed.
    """
    if settings.kind == "vllm":
        from models.llm.vllm import VllmLLM

        return VllmLLM.load(settings)
    if settings.kind == "hf":
        from models.llm.hf import TransformersLLM

        return TransformersLLM.load(settings)
    if settings.kind == "llamacpp":
        from models.llm.llamacpp import LlamaCppLLM

        return LlamaCppLLM.load(settings)
    from models.llm.openai import OpenAILLM

    return OpenAILLM.load(settings, api_key)


class LLMs:
    """The engines of a run; each is loaded once, when a subtask first needs it, and then wrapped.

    Attributes:
        pace: the measured speed of the subtasks' work.
    """

    def __init__(
        self,
        llms: Mapping[str, LLMSettings],
        subtasks: Mapping[str, SubtaskSettings],
        *,
        api_key: str | None = None,
        wrap: Callable[[LLM, LLMSettings], LLM] = lambda llm, _: llm,
    ) -> None:
        """Engines by name and the subtasks that use them; none is loaded yet.

        Args:
            llms: the settings of the engines, by name.
            subtasks: the engine and adapter of each subtask.
            api_key: the bearer token for servers.
            wrap: returns what replaces a loaded engine, such as a cache in front of it.
        """
        self._llms = llms
        self._subtasks = subtasks
        self._api_key = api_key
        self._wrap = wrap
        self._loaded: dict[str, LLM] = {}
        self.pace = Pace()
        self._lock = threading.Lock()

    def load(self, subtasks: Iterable[str]) -> None:
        """Load the engines of `subtasks`, so that the first question does not wait for them."""
        for subtask in subtasks:
            self.of(subtask)

    def of(self, subtask: str) -> tuple[LLM, str | None]:
        """The engine of `subtask` and the adapter that its prompts name.

        A subtask that settings do not mention uses the base model of the engine `default`.

        Raises:
            SettingsError: there is no such engine.
        """
        choice = self._subtasks.get(subtask, SubtaskSettings())
        name = choice.llm
        if name not in self._llms:
            raise SettingsError(
                f"the subtask {subtask} needs an LLM called {name!r}: give `llm` (or "
                f"CRAG_LLM), or [llms.{name}] in settings.toml"
            )
        with self._lock:
            if name not in self._loaded:
                settings = self._llms[name]
                engine = make_llm(settings, api_key=self._api_key)
                clean = CleanLLM(engine, name, settings.think_tokens, settings.prices)
                self._loaded[name] = self._wrap(clean, settings)
            return self._loaded[name], choice.adapter
