"""What is looked at before a submission: the working tree, its settings, its weights."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from models.paths import Place, places
from models.records import Task
from models.settings import Settings, read_settings
from models.web.settings import PRESETS, WebSettings, web_settings
from utils.errors import SettingsError
from utils.weights.check import Trouble, place_troubles
from utils.weights.table import WEIGHTS, Table, read_table

PACKAGES = ("models", "utils", "mock_api", "evaluation", "submission")  # what a submission runs


@dataclass(frozen=True)
class Tree:
    """A checkout at `root`, meant for `track` under the name `version`."""

    root: Path
    track: Task
    version: str

    @property
    def tag(self) -> str:
        return f"submission-{self.version}-track{self.track.value}"

    @cached_property
    def loaded(self) -> Settings | SettingsError:
        """The settings as the evaluator will read them (no variable set), or why they cannot be."""
        try:
            settings = read_settings(self.root / "settings.toml")
            _web(settings)
            return settings
        except SettingsError as error:
            return error

    @property
    def settings(self) -> Settings | None:
        return self.loaded if isinstance(self.loaded, Settings) else None

    @cached_property
    def aicrowd(self) -> dict[str, Any] | None:
        """aicrowd.json; None: it is not there or no JSON object."""
        try:
            content = json.loads((self.root / "aicrowd.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    @cached_property
    def table(self) -> Table:
        """The checkout's own table of weights."""
        return read_table(self.root / "utils" / "weights" / "table.toml")

    def read(self, name: str) -> str:
        """A text file of the checkout; empty where it is not there."""
        file = self.root / name
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    @cached_property
    def used(self) -> list[Place]:
        """All that the settings and their web path name and that must lie in the checkout."""
        if self.settings is None:
            return []
        web = _web(self.settings)
        chosen = {"embedder": web.embedder, "reranker": web.reranker}
        return places(replace(self.settings, web=chosen))

    @cached_property
    def troubles(self) -> list[tuple[Place, Trouble]]:
        """What is wrong with the weights among them; each file is read once."""
        return [
            (used, trouble)
            for used in self.used
            if inside(used.path)
            for trouble in place_troubles(self.root / used.path, self.root, self.table)
        ]

    def runtime_files(self) -> Iterator[Path]:
        """The Python files that run at the evaluator's."""
        yield self.root / "local_evaluation.py"
        for package in PACKAGES:
            yield from sorted((self.root / package).rglob("*.py"))


def inside(path: str) -> bool:
    """Whether it lies, or should, among the weights."""
    parts = Path(path).parts
    return parts[: len(WEIGHTS.parts)] == WEIGHTS.parts and ".." not in parts


def _web(settings: Settings) -> WebSettings:
    default = settings.system if settings.system in PRESETS else "default"
    return web_settings(settings.web, default)
