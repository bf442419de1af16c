"""Every system by its name, built from settings."""

from collections.abc import Callable

from models.settings import Settings
from models.systems.protocol import System
from utils.errors import SettingsError


def _offline(settings: Settings) -> System:
    from models.systems.offline import build

    return build(settings)


def _db3(settings: Settings) -> System:
    from models.systems.db3 import build

    return build(settings)


def _electricsheep(settings: Settings) -> System:
    from models.systems.electricsheep import build

    return build(settings)


def _bumblebee7(settings: Settings) -> System:
    from models.systems.bumblebee7 import build

    return build(settings)


def _dragonrangers(settings: Settings) -> System:
    from models.systems.dragonrangers import build

    return build(settings)


SYSTEMS: dict[str, Callable[[Settings], System]] = {
    "offline": _offline,
    "db3": _db3,
    "bumblebee7": _bumblebee7,
    "dragonrangers": _dragonrangers,
    "electricsheep": _electricsheep,
}


def make_system(settings: Settings) -> System:
    """The system that `settings.system` names.

    Raises:
        SettingsError: no system has that name.
    """
    if settings.system not in SYSTEMS:
        known = ", ".join(SYSTEMS)
        raise SettingsError(f"no system is called {settings.system!r}; there are: {known}")
    return SYSTEMS[settings.system](settings)
