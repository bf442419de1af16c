"""Optional packages, imported when an engine is built and not before."""

import importlib
from typing import Any

from utils.errors import MissingPackageError

_LINES = {
    "vllm": "vllm",
    "torch": "torch",
    "transformers": "transformers",
    "peft": "peft accelerate",
    "bitsandbytes": "bitsandbytes",
    "llguidance": "llguidance",
    "tokenizers": "tokenizers",
}


def package(name: str) -> Any:
    """The package or submodule of that dotted name. Raises MissingPackageError with the line that
    installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        line = _LINES[name.partition(".")[0]]
        raise MissingPackageError(
            f"this engine needs `pip install {line}` ({error}); requirements.txt names the versions"
        ) from error
