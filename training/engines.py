"""The engines of settings.toml for commands that ask them; their replies are kept on disk."""

from collections.abc import Sequence
from pathlib import Path

from models.llm.cache import Calls, RememberingLLMs
from models.llm.factory import LLMs
from models.settings import Settings
from utils.errors import SettingsError


def spec_of(settings: Settings, subtask: str) -> str:
    """What tells a subtask's engine from others."""
    chosen = settings.subtasks.get(subtask)
    llm = settings.llms.get(chosen.llm if chosen else "default")
    return "" if llm is None else f"{llm.spec} {dict(llm.adapters)}"


def remembering(settings: Settings, file: Path, subtasks: Sequence[str]) -> RememberingLLMs:
    """The engines of settings, asked nothing twice: what they said is kept in `file`.

    Raises:
        SettingsError: there is no engine.
    """
    if not settings.llms:
        raise SettingsError("this needs an LLM: give `llm` in settings.toml, or CRAG_LLM")
    names = {subtask: spec_of(settings, subtask) for subtask in subtasks}
    llms = LLMs(settings.llms, settings.subtasks, api_key=settings.llm_api_key)
    return RememberingLLMs(llms, names, Calls(file))
