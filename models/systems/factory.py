"""Creates a system by name from settings. A system is a module or folder of this folder."""

from importlib import import_module

from models.llm.factory import LLMs
from models.settings import Settings
from models.systems.protocol import System
from utils.errors import SettingsError

SYSTEMS = ("offline", "db3", "bumblebee7", "dragonrangers", "electricsheep")


def make_system(settings: Settings, llms: LLMs | None = None) -> System:
    """The system that `settings.system` names, built by its module's `build(settings, llms)`.

    Args:
        settings: of the system, its KG, pages and engines.
        llms: engines that are loaded already; None: those of `settings` are loaded.

    Raises:
        SettingsError: there is no system of that name.
    """
    if settings.system not in SYSTEMS:
        known = ", ".join(SYSTEMS)
        raise SettingsError(f"no system is called {settings.system!r}; there are: {known}")
    module = import_module(f"models.systems.{settings.system}")
    system: System = module.build(settings, llms)
    return system


def check_llm_is_used(system: str, llm: str | None) -> None:
    """Refuse an LLM that a command gives to a system that asks none.

    Raises:
        SettingsError: it is one.
    """
    if llm and system in SYSTEMS and not subtasks_of(system):
        raise SettingsError(
            f"--llm: the system {system} uses no LLM; give --system too, `crag systems` lists them"
        )


def subtasks_of(system: str) -> tuple[str, ...]:
    """The subtasks for which a system may use an LLM, for any options; none without an LLM."""
    module = import_module(f"models.systems.{system}")
    return tuple(getattr(module, "SUBTASKS", ()))
