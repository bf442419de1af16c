"""The table of weights: what lies where, and which bytes it is.

The models of a web path follow from its preset, all others from table.toml; the bytes are in
pins.json.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from models.systems.make_system import spec_of, web_presets
from models.web.settings import WebSettings
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
    """A model; the head of table.toml explains the fields."""

    name: str
    folder: Annotated[Path, AfterValidator(_among_weights)]
    repo: str = ""
    files: tuple[str, ...] = ()
    optional: bool = False
    pin: Pin | None = None

    def problems(self, root: Path) -> Iterator[Problem]:
        """What is wrong with its files below `root`."""
        folder = root / self.folder
        if self.pin is not None:
            for path, pin in self.pin.files.items():
                problem = file_problem(folder / path, pin.size, pin.sha256)
                if problem is not None:
                    yield problem
        elif self.files:
            for path in self.files:
                problem = file_problem(folder / path)
                if problem is not None:
                    yield problem
        else:
            yield from model_problems(folder)


class WeightsTable(BaseModel, frozen=True, extra="forbid"):
    """The models by name."""

    models: dict[str, ModelRow]

    def of_system(self, system: str) -> list[ModelRow]:
        """The models of `system` and of its web path.

        Raises:
            SettingsError: there is no such system, or no row for one of its models.
        """
        spec = spec_of(system)
        models = [self.model(name) for name in spec.weights]
        for name, repo in _hub_models(spec.web).items():
            models.append(self.models.get(name) or ModelRow(name=name, **_row_of_hub(repo)))
        return models

    def model(self, name: str) -> ModelRow:
        """The model of that name.

        Raises:
            SettingsError: there is none.
        """
        if name not in self.models:
            known = ", ".join(self.models)
            raise SettingsError(f"the table of weights has no model {name!r}; it has: {known}")
        return self.models[name]

    def at(self, path: Path) -> ModelRow | None:
        """The model whose folder `path`, relative to the root, is or lies in."""
        for model in self.models.values():
            if model.folder in (path, *path.parents):
                return model
        return None


def read_table(root: Path = ROOT) -> WeightsTable:
    """The table of the checkout at `root`, with its pins.

    Raises:
        SettingsError: a file cannot be read.
    """
    pins = read_pins(root)
    try:
        content = tomllib.loads((root / TABLE).read_text(encoding="utf-8"))
        rows: dict[str, dict[str, Any]] = {}
        for web in web_presets().values():
            for name, repo in _hub_models(web).items():
                rows[name] = _row_of_hub(repo)
        rows |= content.get("models", {})
        models = {name: {**row, "name": name, "pin": pins.get(name)} for name, row in rows.items()}
        return WeightsTable.model_validate(content | {"models": models})
    except (OSError, ValueError, TypeError) as error:
        raise SettingsError(f"{root / TABLE} is no table of weights: {error}") from error


def _row_of_hub(repo: str) -> dict[str, Any]:
    """The row of a model of a web path, which the table need not have."""
    return {"repo": repo, "folder": WEIGHTS / repo.rpartition("/")[2]}


def _hub_models(web: WebSettings) -> dict[str, str]:
    """The repositories of the embedder and the reranker, by the names that the table gives them."""
    settings = [setting for setting in (web.embedder, web.reranker) if setting]
    repos = [setting.rpartition(":")[2] for setting in settings]
    return {repo.rpartition("/")[2].lower(): repo for repo in repos if "/" in repo}


_PINS = TypeAdapter(dict[str, Pin])


def read_pins(root: Path) -> dict[str, Pin]:
    """The pins of the checkout at `root`, by model.

    Raises:
        SettingsError: the file is missing or malformed.
    """
    try:
        return _PINS.validate_json((root / PINS).read_bytes())
    except (OSError, ValidationError) as error:
        raise SettingsError(f"{root / PINS} cannot be read: {error}") from error


def write_pins(pins: dict[str, Pin], root: Path) -> None:
    """Write the pins of the checkout at `root`."""
    (root / PINS).write_bytes(_PINS.dump_json(pins, indent=2) + b"\n")
