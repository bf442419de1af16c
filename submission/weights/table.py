"""The table of weights: table.toml says what lies where, pins.json which bytes it is."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from utils.errors import SettingsError
from utils.model_files import Problem, file_problem, model_problems

ROOT = Path(__file__).resolve().parent.parent.parent
# Relative to the root. Every folder of the table lies in `WEIGHTS`.
TABLE = Path("submission/weights/table.toml")
PINS = Path("submission/weights/pins.json")
WEIGHTS = Path("models/weights")


def inside(path: Path) -> bool:
    """Whether a path relative to the root lies among the weights."""
    return path.parts[: len(WEIGHTS.parts)] == WEIGHTS.parts and ".." not in path.parts


def _among_weights(folder: Path) -> Path:
    if not inside(folder):
        raise ValueError(f"folder must lie in {WEIGHTS}, is {folder}")
    return folder


class FilePin(BaseModel, frozen=True, extra="forbid"):
    """The bytes of a file."""

    size: int
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Pin(BaseModel, frozen=True, extra="forbid"):
    """The bytes of a model: the commit on the hub (empty: it is our own) and every file."""

    revision: str = Field(default="", pattern="^([0-9a-f]{40})?$")
    files: dict[str, FilePin] = Field(min_length=1)


class ModelRow(BaseModel, frozen=True, extra="forbid"):
    """A row of the table; the head of table.toml explains the fields."""

    name: str
    folder: Annotated[Path, AfterValidator(_among_weights)]
    repo: str = ""
    files: tuple[str, ...] = ()
    optional: bool = False
    pin: Pin | None = None

    def problems(self, root: Path) -> Iterator[Problem]:
        """What is wrong with its files below `root`."""
        folder = root / self.folder
        pins = self.pin.files if self.pin else dict.fromkeys(self.files)
        if not pins:
            yield from model_problems(folder)
        for path, pin in pins.items():
            known = (pin.size, pin.sha256) if pin else ()
            if problem := file_problem(folder / path, *known):
                yield problem


class WeightsTable(BaseModel, frozen=True, extra="forbid"):
    """The models by name, and which of them each system loads."""

    models: dict[str, ModelRow]
    systems: dict[str, tuple[str, ...]]

    def of_system(self, system: str) -> list[ModelRow]:
        """The models of `system`. Raises SettingsError."""
        if system not in self.systems:
            known = ", ".join(self.systems)
            raise SettingsError(f"the table of weights has no system {system!r}; it has: {known}")
        return [self.model(name) for name in self.systems[system]]

    def model(self, name: str) -> ModelRow:
        """The model of that name. Raises SettingsError."""
        if name not in self.models:
            known = ", ".join(self.models)
            raise SettingsError(f"the table of weights has no model {name!r}; it has: {known}")
        return self.models[name]

    def at(self, path: Path) -> ModelRow | None:
        """The model whose folder `path`, relative to the root, is or lies in."""
        rows = self.models.values()
        return next((m for m in rows if m.folder in (path, *path.parents)), None)


_PINS = TypeAdapter(dict[str, Pin])


def read_table(root: Path = ROOT) -> WeightsTable:
    """The table of the checkout at `root`, with its pins. Raises SettingsError."""
    try:
        content = tomllib.loads((root / TABLE).read_text(encoding="utf-8"))
        pins = read_pins(root)
        rows = content.get("models", {}).items()
        models = {name: {**row, "name": name, "pin": pins.get(name)} for name, row in rows}
        table = WeightsTable.model_validate(content | {"models": models})
    except (OSError, ValueError, TypeError) as error:
        raise SettingsError(f"{root / TABLE} is no table of weights: {error}") from error
    for system in table.systems:
        table.of_system(system)
    return table


def read_pins(root: Path) -> dict[str, Pin]:
    """The pins of the checkout at `root`, by model. Raises SettingsError."""
    try:
        return _PINS.validate_json((root / PINS).read_bytes())
    except (OSError, ValidationError) as error:
        raise SettingsError(f"{root / PINS} cannot be read: {error}") from error


def write_pins(pins: dict[str, Pin], root: Path) -> None:
    (root / PINS).write_bytes(_PINS.dump_json(pins, indent=2) + b"\n")
