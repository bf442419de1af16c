"""Imports packages that only some settings need."""

import importlib
from typing import Any

from utils.errors import MissingPackageError


def need(module: str, package: str) -> Any:
    """The module of that name, untyped, since type checks run without it.

    Raises:
        MissingPackageError: it is not installed; the message has the install command.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackageError(f"{module} is needed: `pip install {package}`") from error
