"""What is looked at before a submission: the working tree, its settings, its weights."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from models.records import Task
from models.settings import Settings, load_settings
from models.web.settings import PRESETS, WebSettings, web_settings
from utils.errors import SettingsError
from utils.weights.table import Table, read_table

PACKAGES = ("models", "utils", "mock_api", "evaluation", "submission")  # what a submission runs


@dataclass(frozen=True, slots=True)
class Used:
    """A model, adapter or file that the settings name: `what` in the settings, `path` as there."""

    what: str
    path: str


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
            settings = load_settings(self.root / "settings.toml", env={})
            if settings.system in PRESETS:
                web_settings(settings.web, settings.system)
            return settings
        except SettingsError as error:
            return error

    @property
    def settings(self) -> Settings | None:
        return self.loaded if isinstance(self.loaded, Settings) else None

    @property
    def web(self) -> WebSettings | None:
        """The web path of a system that has one to set."""
        settings = self.settings
        if settings is None or settings.system not in PRESETS:
            return None
        return web_settings(settings.web, settings.system)

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

    def used(self) -> Iterator[Used]:
        """All that the settings name and that must lie in the checkout."""
        settings, web = self.settings, self.web
        if settings is None:
            return
        for name, llm in settings.llms.items():
            if llm.kind != "openai":
                yield Used(f"llms.{name}", llm.place)
                for adapter, folder in llm.adapters.items():
                    yield Used(f"llms.{name}.adapters.{adapter}", folder)
        if settings.tokenizer:
            yield Used("tokenizer", str(settings.tokenizer))
        if settings.public_data:
            yield Used("public_data", str(settings.public_data))
        if web and web.embedder:
            yield Used("web.embedder", web.embedder)
        if web and web.reranker and ":" in web.reranker:
            yield Used("web.reranker", web.reranker.partition(":")[2])

    def runtime_files(self) -> Iterator[Path]:
        """The Python files that run at the evaluator's."""
        yield self.root / "local_evaluation.py"
        for package in PACKAGES:
            yield from sorted((self.root / package).rglob("*.py"))
