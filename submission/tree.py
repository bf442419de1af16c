"""The checkout that is submitted: its files, its settings, its weights."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from models.records import Task
from models.settings import Place, Settings, read_settings
from models.systems.make_system import all_places, web_of
from submission.weights.table import WeightsTable, inside, read_table
from utils.errors import SettingsError
from utils.model_files import Problem, model_problems


class Finding(NamedTuple):
    """Something that would get the submission rejected, and the check that found it."""

    check: str
    says: str


@dataclass(frozen=True)
class Tree:
    """A checkout at `root`, submitted to `track` under the name `version` by a push to `remote`."""

    root: Path
    track: Task
    version: str
    remote: str = "aicrowd"

    @property
    def tag(self) -> str:
        """The name of the tag that submits it."""
        return f"submission-{self.version}-track{self.track.value}"

    def read_settings(self) -> Settings:
        """The settings as the evaluator reads them.

        Raises:
            SettingsError: they cannot be read.
        """
        file = self.root / "settings.toml"
        settings = read_settings(file) if file.exists() else Settings()
        web_of(settings)
        return settings

    @cached_property
    def settings(self) -> Settings:
        """The settings; the defaults if they cannot be read, which one check reports."""
        try:
            return self.read_settings()
        except SettingsError:
            return Settings()

    @cached_property
    def aicrowd(self) -> dict[str, Any]:
        """aicrowd.json; empty if it is missing or no JSON object."""
        try:
            content = json.loads(self.read("aicrowd.json"))
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    @cached_property
    def table(self) -> WeightsTable:
        """The checkout's own table of weights."""
        return read_table(self.root)

    def read(self, name: str) -> str:
        """A text file of the checkout; empty if it is missing."""
        file = self.root / name
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    @cached_property
    def used(self) -> list[Place]:
        """All that the settings and their web path load from disk."""
        web = web_of(self.settings)
        models = {"embedder": web.embedder, "reranker": web.reranker}
        return all_places(replace(self.settings, web=models))

    @property
    def weights(self) -> list[Place]:
        """Those of `used` that lie, or should lie, among the weights."""
        return [place for place in self.used if inside(Path(place.path))]

    @cached_property
    def problems(self) -> list[tuple[Place, Problem]]:
        """What is wrong with these weights, by the table or by what each file states of itself."""
        problems = []
        for place in self.weights:
            problems += [(place, problem) for problem in self._problems_at(place.path)]
        return problems

    def _problems_at(self, path: str) -> Iterator[Problem]:
        row = self.table.at(Path(path))
        if row is not None and (row.pin or row.files):
            return row.problems(self.root)
        return model_problems(self.root / path)
