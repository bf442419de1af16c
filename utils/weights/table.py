"""The table of weights, read and written: models by name, and the models of each system."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from utils.errors import SettingsError

TABLE = Path(__file__).with_name("table.toml")
WEIGHTS = Path("models/weights")  # relative to the root; every folder of the table lies in it


@dataclass(frozen=True, slots=True)
class File:
    """One file of a model: `size` in bytes and `sha256` in hex; None: not pinned yet."""

    path: str
    size: int | None = None
    sha256: str | None = None

    @property
    def pinned(self) -> bool:
        return self.size is not None and self.sha256 is not None


@dataclass(frozen=True, slots=True)
class Model:
    """A row of the table; see the head of table.toml for what the fields mean."""

    name: str
    repo: str
    revision: str
    folder: Path
    files: tuple[File, ...]
    gated: bool = False
    optional: bool = False

    @property
    def pinned(self) -> bool:
        """Whether the revision (of what comes from the hub) and every file are known."""
        known = bool(self.files) and all(file.pinned for file in self.files)
        return known and bool(self.revision or not self.repo)

    @property
    def size(self) -> int | None:
        """Bytes of all files; None: one is not known."""
        sizes = [file.size for file in self.files]
        known = [size for size in sizes if size is not None]
        return sum(known) if known and len(known) == len(sizes) else None


@dataclass(frozen=True)
class Table:
    """The models by name, and which of them each system loads."""

    models: Mapping[str, Model]
    systems: Mapping[str, tuple[str, ...]]
    head: str = field(default="", repr=False)

    def of_system(self, system: str) -> list[Model]:
        """The models of `system`. Raises SettingsError where there is none of that name."""
        if system not in self.systems:
            known = ", ".join(self.systems)
            raise SettingsError(f"no system is called {system!r}; there are: {known}")
        return [self.model(name) for name in self.systems[system]]

    def model(self, name: str) -> Model:
        """The model of that name. Raises SettingsError."""
        if name not in self.models:
            known = ", ".join(self.models)
            raise SettingsError(f"no model is called {name!r}; there are: {known}")
        return self.models[name]

    def at(self, path: Path) -> Model | None:
        """The model whose folder `path`, relative to the root, is or lies in."""
        rows = self.models.values()
        return next((m for m in rows if m.folder == path or m.folder in path.parents), None)


def read_table(file: Path = TABLE) -> Table:
    """The table in `file`. Raises SettingsError where it cannot be read or a row does not fit."""
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
        models = {name: _model(name, row) for name, row in content["models"].items()}
        systems = {name: tuple(row) for name, row in content["systems"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"{file} is no table of weights: {error!r}") from error
    for system, names in systems.items():
        unknown = [name for name in names if name not in models]
        if unknown:
            raise SettingsError(f"{file}: the system {system} names no model {unknown[0]!r}")
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return Table(models, systems, "".join(lines[:first]))


def write_table(table: Table, file: Path = TABLE) -> None:
    """Write `table` to `file`, its comments at the head kept."""
    parts = [table.head, "\n[systems]\n"]
    parts += [f"{name} = {_list(models)}\n" for name, models in table.systems.items()]
    for name, model in table.models.items():
        parts.append(f"\n[models.{_key(name)}]\n")
        parts.append(f'repo = "{model.repo}"\nrevision = "{model.revision}"\n')
        parts.append(f'folder = "{model.folder.as_posix()}"\n')
        parts += ["gated = true\n"] if model.gated else []
        parts += ["optional = true\n"] if model.optional else []
        parts.append(_files(model.files))
    file.write_text("".join(parts), encoding="utf-8")


def _model(name: str, row: Mapping[str, Any]) -> Model:
    folder = Path(row["folder"])
    if folder.is_absolute() or ".." in folder.parts or WEIGHTS not in folder.parents:
        raise ValueError(f"{name}: folder must lie in {WEIGHTS}, is {folder}")
    files = tuple(File(**entry) for entry in row["files"])
    for entry in files:
        if Path(entry.path).is_absolute() or ".." in Path(entry.path).parts:
            raise ValueError(f"{name}: {entry.path} does not lie in its folder")
    return Model(
        name,
        repo=str(row["repo"]),
        revision=str(row["revision"]),
        folder=folder,
        files=files,
        gated=bool(row.get("gated", False)),
        optional=bool(row.get("optional", False)),
    )


def _files(files: tuple[File, ...]) -> str:
    if not files:
        return "files = []\n"
    lines = []
    for entry in files:
        size = "" if entry.size is None else f", size = {entry.size}"
        checksum = "" if entry.sha256 is None else f', sha256 = "{entry.sha256}"'
        lines.append(f'    {{ path = "{entry.path}"{size}{checksum} }},\n')
    return f"files = [\n{''.join(lines)}]\n"


def _list(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _key(name: str) -> str:
    return f'"{name}"' if "." in name else name
