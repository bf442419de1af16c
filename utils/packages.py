"""Optional packages, imported when they are used and not before."""

import importlib
from functools import partial
from typing import Any

from utils.errors import MissingPackageError


def package(name: str, install: str = "") -> Any:
    """The package or submodule of that dotted name, untyped, since type checks run without it.

    Args:
        name: such as "vllm.sampling_params".
        install: what `pip install` needs; empty: the package's own name.

    Raises:
        MissingPackageError: it is not installed; the message has the command that installs it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        distribution = install or name.partition(".")[0].replace("_", "-")
        raise MissingPackageError(f"this needs `pip install {distribution}` ({error})") from error


# The same, for packages that only training needs.
training_package = partial(package, install="-e '.[train]'")
