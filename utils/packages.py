"""Optional packages, imported when they are used and not before."""

import importlib
from typing import Any

from utils.errors import MissingPackageError


def package(name: str, install: str = "") -> Any:
    """The package or submodule of that dotted name, untyped, since type checks run without it.

    Raises:
        MissingPackageError: it is not installed; the message has the command that installs it:
            `install`, or the package itself.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        own = name.partition(".")[0].replace("_", "-")
        raise MissingPackageError(f"this needs `pip install {install or own}` ({error})") from error
