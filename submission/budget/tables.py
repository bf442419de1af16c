"""The planner's tables as records: machines, models, systems, and changes of a system."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from models.web.settings import PRESETS, WebSettings, web_settings
from utils.errors import SettingsError
from utils.typed import read_record


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine; the head of hardware.toml explains the fields."""

    name: str
    says: str
    gpus: int
    memory_gib: float
    tflops: float
    bandwidth_gbs: float
    compute: float
    memory: float
    link_gbs: float
    link_us: float
    workspace_gib: float
    core_speed: float

    @property
    def cards(self) -> int:
        """Devices that share a model; the CPU counts as one."""
        return max(self.gpus, 1)

    @property
    def value_bytes(self) -> int:
        """Bytes of a weight: half precision on a GPU, single on a CPU."""
        return 2 if self.gpus else 4

    def seconds(self, flops: float, read_bytes: float = 0.0, *, cards: int | None = None) -> float:
        """Time of work spread over `cards`: arithmetic or reading memory, whichever is slower."""
        arithmetic = flops / (self.tflops * 1e12 * self.compute)
        reading = read_bytes / (self.bandwidth_gbs * 1e9 * self.memory)
        return max(arithmetic, reading) / (cards or self.cards)


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

    def flops(self, tokens: int, length: float) -> float:
        """Operations to read `tokens` in sequences of `length`: the matrices and attention.

        Two operations per weight and token. Attention compares a token with half of a causal
        sequence on average, with all of it in an encoder, twice (scores, then values).
        """
        seen = length / 2 if self.cache_values else length
        return tokens * (2.0 * self.matrices + 4.0 * self.layers * self.hidden * seen)


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the LLM over a batch; the head of systems.toml explains the fields."""

    name: str
    prompt: int
    completion: int
    tasks: tuple[int, ...]
    shared: int = 0
    samples: int = 1
    after_web: bool = False


@dataclass(frozen=True, slots=True)
class SystemSteps:
    """What a system loads and asks. `weight_bits`: 16, or fewer if its weights are quantised."""

    name: str
    says: str
    rounds: tuple[Round, ...] = ()
    llm: str | None = None
    memory: float = 0.7
    context: int = 8192
    adapters: int = 0
    rank: int = 8
    weight_bits: int = 16
    first_share: float = 1.0
    web: WebSettings = PRESETS["default"]

    def changed(self, change: str) -> "SystemSteps":
        """The system after a row of changes.toml; a model that is not used stays unused."""
        values = row("changes", change)
        web = values.pop("web", {})
        used = {name: value for name, value in web.items() if getattr(self.web, name) is not None}
        made = read_record(WebSettings, used, change, self.web)
        return read_record(SystemSteps, {"web": made, **values}, change, self)


def hardware(name: str) -> Hardware:
    """The machine of that name. Raises SettingsError."""
    return read_record(Hardware, {"name": name, **row("hardware", name)}, "hardware.toml")


def model(setting: str) -> ModelSizes:
    """The model of a setting such as `flag:BAAI/bge-reranker-v2-m3`. Raises SettingsError."""
    name = re.split("[:/]", setting)[-1].lower()
    return read_record(ModelSizes, {"name": name, **row("models", name)}, "models.toml")


def system(name: str) -> SystemSteps:
    """The system of that name, over its preset of the web path. Raises SettingsError."""
    values = {"name": name, **row("systems", name)}
    values["web"] = web_settings(values.get("web", {}), name if name in PRESETS else "default")
    return read_record(SystemSteps, values, "systems.toml")


@cache
def read(table: str) -> Mapping[str, Any]:
    """A table of this folder."""
    return tomllib.loads(Path(__file__).with_name(f"{table}.toml").read_text(encoding="utf-8"))


def row(table: str, name: str) -> dict[str, Any]:
    """A copy of a table's row. Raises SettingsError."""
    rows = read(table)
    if name not in rows:
        raise SettingsError(f"{table}.toml has no {name!r}; it has: {', '.join(rows)}")
    return dict(rows[name])
