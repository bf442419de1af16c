"""Creates a system by name from settings. A system is a module or folder of this folder, or a
module of somebody else's package, by its name with dots."""

import logging
from collections.abc import Collection
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from models.llm.llms import LLMs
from models.settings import Place, Settings, places, rooted_path
from models.systems.protocol import System, SystemSpec
from models.web.settings import WebSettings, web_settings
from utils.errors import SettingsError
from utils.typed import nearest

_NO_SYSTEMS = ("make_system", "protocol")  # modules of this folder
SYSTEMS = tuple(
    module.name
    for module in iter_modules([str(Path(__file__).parent)])
    if module.name not in _NO_SYSTEMS
)
DEFAULT_WEB = "default"  # as a preset
_NEAR = 0.8  # of the letters of a subtask's name

logger = logging.getLogger(__name__)


def spec_of(system: str) -> SystemSpec:
    """What the module of a system declares as `SYSTEM`.

    Raises:
        SettingsError: there is no such system.
    """
    if system in SYSTEMS:
        name = f"models.systems.{system}"
    elif "." in system and all(map(str.isidentifier, system.split("."))):
        name = system
    else:
        hint = nearest(system, SYSTEMS)
        raise SettingsError(
            f"no system is called {system!r}{hint}; there are: {', '.join(SYSTEMS)}, and any "
            "module that declares one, by its name with dots"
        )
    try:
        spec = getattr(import_module(name), "SYSTEM", None)
    except ModuleNotFoundError as error:
        raise SettingsError(f"system {system!r}: {error}") from error
    if not isinstance(spec, SystemSpec):
        raise SettingsError(f"system {system!r}: its module has no SYSTEM = SystemSpec(…)")
    return spec


def make_system(settings: Settings, llms: LLMs | None = None) -> System:
    """The system that `settings.system` names.

    Args:
        settings: of the system, its KG, pages and engines.
        llms: engines that are loaded already; None: those of `settings` are loaded.

    Raises:
        SettingsError: there is no system of that name, or a subtask in the settings is misspelt.
    """
    spec = spec_of(settings.system)
    check_subtasks(settings, spec.subtasks)
    return spec.build(completed(settings), llms)


def completed(settings: Settings) -> Settings:
    """The settings as a system's `build` reads them: the table `web` with all fields of its web
    path, and the paths among its options absolute, where they exist.

    Raises:
        SettingsError: there is no such system or preset, or a value of the web path is invalid.
    """
    options = dict(settings.options)
    for name in spec_of(settings.system).path_options:
        if options.get(name):
            options[name] = rooted_path(str(options[name]), settings.folder)
    return replace(settings, web=asdict(web_of(settings)), options=options)


def all_places(settings: Settings) -> list[Place]:
    """The files and folders that the settings name, and the options of their system.

    Raises:
        SettingsError: there is no such system.
    """
    named = places(settings)
    for name in spec_of(settings.system).path_options:
        if settings.options.get(name):
            named.append(Place(f"options.{name}", str(settings.options[name])))
    return named


def web_of(settings: Settings) -> WebSettings:
    """The web path of the settings: that of their system, or the one that `web.preset` names, with
    the fields of the table `web`.

    Raises:
        SettingsError: there is no such system or preset, or a value is invalid.
    """
    default = spec_of(settings.system).web
    table = dict(settings.web)
    preset = table.pop("preset", None)
    if preset is not None:
        default = web_preset(str(preset))
    return web_settings(table, default)


def web_preset(name: str) -> WebSettings:
    """The web path of a system, or the default one.

    Raises:
        SettingsError: there is no such system.
    """
    if name == DEFAULT_WEB:
        return WebSettings()
    try:
        return spec_of(name).web
    except SettingsError as error:
        raise SettingsError(f"web.preset: {error}, or {DEFAULT_WEB!r}") from error


def web_presets() -> dict[str, WebSettings]:
    """The web paths that systems have, by the system's name, and the default one."""
    presets = {DEFAULT_WEB: WebSettings()}
    for system in SYSTEMS:
        preset = spec_of(system).web
        if preset != presets[DEFAULT_WEB]:
            presets[system] = preset
    return presets


def check_subtasks(settings: Settings, subtasks: Collection[str]) -> None:
    """Check the names in the table `subtasks` of settings, which several systems and commands may
    share: one that is unknown is logged.

    Args:
        subtasks: those for which an LLM may be asked.

    Raises:
        SettingsError: an unknown name is like one of these, or like one of a system.
    """
    if settings.subtasks.keys() <= set(subtasks):
        return
    known = {*subtasks}.union(*map(subtasks_of, SYSTEMS))
    for name in settings.subtasks.keys() - known:
        hint = nearest(name, subtasks, _NEAR) or nearest(name, known, _NEAR)
        if hint:
            raise SettingsError(f"subtasks: none is called {name!r}{hint}")
        logger.warning("subtasks.%s is not used; there are: %s", name, ", ".join(sorted(known)))


def check_llm_is_used(system: str, llm: str | None) -> None:
    """Refuse an LLM that a command gives to a system that asks none.

    Raises:
        SettingsError: it is one, or there is no such system.
    """
    if llm and not subtasks_of(system):
        raise SettingsError(
            f"--llm: the system {system} uses no LLM; give --system too, `crag systems` lists them"
        )


def subtasks_of(system: str) -> tuple[str, ...]:
    """The subtasks for which a system may use an LLM, for any options; none without an LLM.

    Raises:
        SettingsError: there is no such system.
    """
    return spec_of(system).subtasks
