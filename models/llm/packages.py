"""Optional packages, imported when an engine is built and not before."""

import importlib
from typing import Any

from utils.errors import MissingPackageError

_NEEDS = {"peft": "peft accelerate"}  # what to install, where it is more than the package itself


def package(name: str) -> Any:
    """The package or submodule of that dotted name. Raises MissingPackageError with the line that
    installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        root = name.partition(".")[0]
        raise MissingPackageError(
            f"this engine needs `pip install {_NEEDS.get(root, root)}` ({error}); requirements.txt "
            "names the versions"
        ) from error
