"""The planner's tables as records: machines, systems, costs, shapes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from utils.budget.count import Shape, shape_of
from utils.errors import SettingsError

FOLDER = Path(__file__).parent
GIB = 1 << 30

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine; see the head of hardware.toml."""

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
        """What models are spread over; the CPU counts as one."""
        return max(self.gpus, 1)

    @property
    def memory_bytes(self) -> int:
        """Of one card."""
        return int(self.memory_gib * GIB)

    @property
    def flops(self) -> float:
        """Operations a second that one card reaches."""
        return self.tflops * 1e12 * self.compute

    @property
    def bandwidth(self) -> float:
        """Bytes a second that one card reads."""
        return self.bandwidth_gbs * 1e9 * self.memory


@dataclass(frozen=True, slots=True)
class Web:
    """A web path; the names are those of models/web/settings.py."""

    extractor: str
    chunking: str
    prefilter: str
    pages_kept: int
    lexical_cut: int
    recall_k: int
    max_length: int
    embedder: str | None = None
    reranker: str | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the LLM over a batch; see the head of systems.toml."""

    name: str
    prompt: int
    completion: int
    tasks: tuple[int, ...]
    shared: int = 0
    asked: float = 1.0
    samples: int = 1
    after_web: bool = False


@dataclass(frozen=True, slots=True)
class System:
    """What a system asks for. `weight_bits`: 16, or fewer where its weights are quantised."""

    name: str
    says: str
    web: Web
    rounds: tuple[Round, ...]
    llm: str | None = None
    memory: float = 0.7
    context: int = 8192
    adapters: int = 0
    rank: int = 8
    weight_bits: int = 16
    first_share: float = 1.0

    def asked(self, task: int) -> list[Round]:
        return [entry for entry in self.rounds if task in entry.tasks]


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def hardware(name: str) -> Hardware:
    """The machine of that name. Raises SettingsError."""
    return Hardware(name=name, **_row(_read("hardware"), name, "hardware"))


def system(name: str) -> System:
    """The system of that name. Raises SettingsError."""
    row = dict(_row(_read("systems"), name, "system"))
    web = _record(Web, row.pop("web"), name)
    rounds = tuple(
        _record(Round, {**entry, "tasks": tuple(entry["tasks"])}, name)
        for entry in row.pop("rounds")
    )
    return _record(System, {**row, "name": name, "web": web, "rounds": rounds}, name)


def shape(name: str) -> Shape:
    """The shape of the model of that name. Raises SettingsError."""
    return shape_of(_row(_read("models"), name, "model"))


def costs() -> Mapping[str, Mapping[str, float]]:
    """costs.toml."""
    return _read("costs")


def names(table: str) -> list[str]:
    """The rows of a table."""
    return list(_read(table))


def _row(table: Mapping[str, Any], name: str, what: str) -> Mapping[str, Any]:
    if name not in table:
        raise SettingsError(f"no {what} is called {name!r}; there are: {', '.join(table)}")
    row: Mapping[str, Any] = table[name]
    return row


def _record(kind: type[T], row: Mapping[str, Any], where: str) -> T:
    known = {entry.name for entry in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(row.keys() - known)
    if unknown:
        raise SettingsError(f"{where}: nothing is called {unknown[0]!r}")
    return kind(**row)
