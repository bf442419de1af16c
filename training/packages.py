"""Packages that only training needs, imported when training starts."""

import importlib
from typing import Any

from utils.errors import MissingPackageError


def package(name: str) -> Any:
    """The package (or its submodule) of that dotted name.

    Raises:
        MissingPackageError: it is not installed; the message has the line that installs it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"training needs `pip install -e '.[train]'` ({error})"
        ) from error
