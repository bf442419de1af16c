"""Packages that only training needs, imported when it begins and not before."""

import importlib
from typing import Any

from utils.errors import MissingPackageError


def package(name: str) -> Any:
    """The package (or its submodule) of that dotted name.

    Raises:
        MissingPackageError: it is not installed; the message names the file that lists it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"training needs `pip install -r requirements-train.txt` ({error})"
        ) from error
