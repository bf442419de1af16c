"""The planner's tables as records: machines, models, systems, and changes of a system."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from models.web.settings import PRESETS, WebSettings
from utils.errors import SettingsError
from utils.typed import read_record


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine; the head of hardware.toml explains the fields."""

    name: str
    says: str
    cards: int
    value_bytes: int
    memory_gib: float
    tflops: float
    bandwidth_gbs: float
    compute: float
    memory: float
    link_gbs: float
    link_us: float
    workspace_gib: float

    def seconds(self, flops: float, read_bytes: float = 0.0) -> float:
        """Time of work on one card: arithmetic or reading memory, whichever is slower."""
        arithmetic = flops / (self.tflops * 1e12 * self.compute)
        reading = read_bytes / (self.bandwidth_gbs * 1e9 * self.memory)
        return max(arithmetic, reading)


@dataclass(frozen=True, slots=True)
class ModelSizes:
    """The sizes of a model; the head of models.toml explains the fields."""

    name: str
    parameters: int
    matrices: int
    layers: int
    hidden: int
    widest: int
    output: int = 0
    cache_values: int = 0
    lora: int = 0

    def buffers(self, tokens: int) -> int:
        """Values in a layer's working memory: input, output, queries, keys, values, the widest."""
        return tokens * (5 * self.hidden + 2 * self.widest)

    def flops(self, tokens: int, length: int) -> float:
        """Operations to read `tokens` in sequences of `length`: two per weight, and attention.

        Attention compares a token with half of a causal sequence on average, with all of it in an
        encoder, twice (scores, then values).
        """
        seen = length / 2 if self.cache_values else length
        return tokens * (2.0 * self.matrices + 4.0 * self.layers * self.hidden * seen)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the LLM over a batch; the head of systems.toml explains the fields."""

    name: str
    prompt: int
    shared: int
    completion: int
    tasks: tuple[int, ...]
    samples: int = 1
    after_web: bool = False


@dataclass(frozen=True, slots=True)
class SystemSteps:
    """What a system loads and asks. `weight_bits`: 16, or fewer if its weights are quantised."""

    name: str
    says: str
    web: WebSettings
    rounds: tuple[Round, ...] = ()
    llm: str | None = None
    memory: float = 0.7
    context: int = 8192
    adapters: int = 0
    rank: int = 8
    weight_bits: int = 16
    first_share: float = 1.0

    def changed(self, change: str) -> "SystemSteps":
        """The system after a row of changes.toml; a model that is not used stays unused."""
        row = read("changes")[change]
        web = {k: v for k, v in row.get("web", {}).items() if getattr(self.web, k) is not None}
        made = read_record(WebSettings, web, change, self.web)
        return read_record(SystemSteps, {**row, "web": made}, change, self)


def hardware(name: str) -> Hardware:
    """The machine of that name. Raises SettingsError."""
    return read_record(Hardware, _row("hardware", name), "hardware.toml")


def model(setting: str | None) -> ModelSizes | None:
    """The model of a setting such as `flag:BAAI/bge-m3`, if it names one. Raises SettingsError."""
    if not setting or setting in ("lexical", "bi"):
        return None
    name = re.split("[:/]", setting)[-1].lower()
    return read_record(ModelSizes, _row("models", name), "models.toml")


def system(name: str) -> SystemSteps:
    """The system of that name, over its preset of the web path. Raises SettingsError."""
    web = PRESETS.get(name, PRESETS["default"])
    return read_record(SystemSteps, {"web": web, **_row("systems", name)}, "systems.toml")


@cache
def read(table: str) -> dict[str, Any]:
    """A table of this folder."""
    return tomllib.loads(Path(__file__).with_name(f"{table}.toml").read_text(encoding="utf-8"))


def _row(table: str, name: str) -> dict[str, Any]:
    rows = read(table)
    if name not in rows:
        raise SettingsError(f"{table}.toml has no {name!r}; it has: {', '.join(rows)}")
    return {"name": name, **rows[name]}
