"""Every setting, read once: settings.toml < environment (`CRAG_*`) < overrides by the caller.

Paths in the settings are made absolute, and the files there are verified before they are loaded.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AllowInfNan, Field, NonNegativeFloat, PositiveFloat

from models.llm.config import LLMSettings, SubtaskSettings, check, read_table
from models.records import Task
from utils.errors import SettingsError
from utils.model_files import WeightsError, model_problems
from utils.typed import nearest, read_record

ROOT = Path(__file__).resolve().parent.parent
MAX_BATCH = 16  # the evaluator's bound on get_batch_size()

Change = Callable[[str, str], str]
_OPTIONS = ("attributes", "attributes_embedder", "calibration")  # of the systems' own options


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run. Every field can be set in settings.toml or in `CRAG_<FIELD>`; the
    tables (`llms`, `subtasks`, `web`, `options`) in settings.toml or by `--set TABLE.KEY=VALUE`.

    Attributes:
        system: which system answers; models/systems/factory.py lists them.
        task: 1, 2 or 3; None: from aicrowd.json, else chosen by API and number of pages.
        api_url: base URL of the KG API (environment: CRAG_MOCK_API_URL); None: no KG.
        batch_size: questions per call, 1-16.
        tokenizer: a `tokenizer.json`, or a folder that contains one, for the limit of 75 tokens;
            None: an upper estimate (utils/tokens.py).
        seconds_per_question: the contest's time limit, in seconds.
        margin_s: seconds of a batch's time reserved for work outside the system.
        retry_share: share of a batch's time reserved for retrying unfinished questions one by one.
        judge_api_key: bearer token for an LLM judge's endpoint.
        llm: the spec of the engine called `default`; if there is also a table [llms.default], its
            spec.
        llms: the engines by name (models/llm/config.py).
        subtasks: which engine and adapter each subtask uses.
        llm_api_key: bearer token for OpenAI-compatible engines.
        web: the web path (models/web/settings.py): `preset`, else the system's own, and fields that
            override it.
        options: the system's own options; each system documents them in its file.
        confidence: the file of `python -m training confidence`; an answer whose probability is too
            low becomes "i don't know"; None: every answer is given.
        public_data: the SQLite file made by `python -m models.public_data build`; None: none.
    """

    system: str = "offline"
    task: Task | None = None
    api_url: Annotated[str, Field(pattern="^https?://")] | None = None
    batch_size: Annotated[int, Field(ge=1, le=MAX_BATCH)] = MAX_BATCH
    tokenizer: Path | None = None
    seconds_per_question: Annotated[PositiveFloat, AllowInfNan(False)] = 30.0
    margin_s: NonNegativeFloat = 2.0
    retry_share: Annotated[float, Field(ge=0, lt=1)] = 0.2
    judge_api_key: str | None = field(default=None, repr=False)
    llm: str | None = None
    llms: Mapping[str, LLMSettings] = field(default_factory=dict)
    subtasks: Mapping[str, SubtaskSettings] = field(default_factory=dict)
    llm_api_key: str | None = field(default=None, repr=False)
    web: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    confidence: Path | None = None
    public_data: Path | None = None

    def __post_init__(self) -> None:
        if self.margin_s >= self.seconds_per_question:
            raise SettingsError("margin_s must be under seconds_per_question")
        if self.llm is not None:
            given = self.llms.get("default")
            default = replace(given, spec=self.llm) if given else LLMSettings(self.llm)
            object.__setattr__(self, "llms", {**self.llms, "default": default})
        check(self.llms, self.subtasks)


_TABLES = ("llms", "subtasks", "web", "options")  # tables cannot be set by environment variables
_ENV_NAMES = {
    entry.name: f"CRAG_{entry.name.upper()}"
    for entry in fields(Settings)
    if entry.name not in _TABLES
} | {"api_url": "CRAG_MOCK_API_URL"}
_NESTED = {"llms": LLMSettings, "subtasks": SubtaskSettings}  # tables of records


def load_settings(
    file: Path = ROOT / "settings.toml",
    env: Mapping[str, str] | None = None,
    *,
    changes: Sequence[str] = (),
    **overrides: Any,
) -> Settings:
    """The settings from `file` (if it exists), then `env`, then `changes`, then `overrides`; None
    means "not given".

    Paths in `file` are relative to its folder, those of variables and arguments to the working
    directory.

    Args:
        changes: each "key=value", the key with dots ("web.preset=default"), the value in TOML
            syntax or as plain text.

    Raises:
        SettingsError: an unknown key or variable, or an invalid value.
    """
    env = os.environ if env is None else env
    table, late = _read_toml(file), dict[str, Any]()
    for change in changes:
        _change(table if "." in change.partition("=")[0] else late, change)
    given = {name: value for name, value in overrides.items() if value is not None}
    _give_spec(table, given.get("llm") or late.get("llm") or env.get("CRAG_LLM"))
    where = "the settings" if changes else str(file)
    settings = rooted(_apply(Settings(), table, where), file.parent)
    by_env_name = {env_name: name for name, env_name in _ENV_NAMES.items()}
    for env_name in env:
        if env_name.startswith("CRAG_") and env_name not in by_env_name:
            raise SettingsError(f"no setting is called {env_name}{nearest(env_name, by_env_name)}")
    found = {name: env[env_name] for env_name, name in by_env_name.items() if env.get(env_name)}
    settings = _apply(settings, found, "the environment", texts=True)
    return _apply(_apply(settings, late, "--set"), given, "the arguments")


def read_settings(file: Path) -> Settings:
    """The settings in `file`, with paths unchanged. Raises SettingsError as above."""
    return _apply(Settings(), _read_toml(file), str(file))


def _give_spec(table: dict[str, Any], llm: Any) -> None:
    """Copy `llm` into [llms.default] of a table of settings, if that has no `spec`."""
    llm = llm or table.get("llm")
    match table:
        case {"llms": {"default": dict(default)}} if llm:
            default.setdefault("spec", llm)


def _change(table: dict[str, Any], change: str) -> None:
    """Put a "key=value" into a table of settings."""
    key, sign, text = change.partition("=")
    *path, last = key.strip().split(".")
    if not sign or not all((*path, last)):
        raise SettingsError(
            f"a change of settings is key=value, not {re.split('[=:]', change)[0]!r}"
        )
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text.strip()
    for name in path:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise SettingsError(f"{key}: {name} is no table")
    table[last] = value


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{file} cannot be read as TOML: {error}") from error


def _apply(
    settings: Settings, values: Mapping[str, Any], where: str, *, texts: bool = False
) -> Settings:
    nested: dict[str, Any] = {
        name: read_table(values[name], kind, name)
        for name, kind in _NESTED.items()
        if name in values
    }
    return read_record(Settings, {**values, **nested}, where, settings, texts=texts)


@dataclass(frozen=True, slots=True)
class Place:
    """The setting `what`, and its path (or name on the hub)."""

    what: str
    path: str


def places(settings: Settings) -> list[Place]:
    """All files and folders that the settings name."""
    found: list[Place] = []

    def note(what: str, path: str) -> str:
        found.append(Place(what, path))
        return path

    map_places(settings, note)
    return found


def map_places(settings: Settings, change: Change) -> Settings:
    """The settings with each path replaced by `change(what, path)`."""

    def file(name: str) -> Path | None:
        path: Path | None = getattr(settings, name)
        return Path(change(name, str(path))) if path else None

    llms = {name: _llm(name, llm, change) for name, llm in settings.llms.items()}
    named = {name: str(settings.options.get(name) or "") for name in _OPTIONS}
    options = {name: change(f"options.{name}", path) for name, path in named.items() if path}
    return replace(
        settings,
        llm=llms["default"].spec if settings.llm else None,
        llms=llms,
        web={**settings.web, **_web(settings.web, change)},
        options={**settings.options, **options},
        tokenizer=file("tokenizer"),
        confidence=file("confidence"),
        public_data=file("public_data"),
    )


def rooted(settings: Settings, root: Path) -> Settings:
    """The settings with each path that exists relative to `root` made absolute.

    The working directory is chosen by the user or the evaluator.
    """

    def absolute(_: str, path: str) -> str:
        return str(root / path) if (root / path).exists() else path

    return map_places(settings, absolute)


def verify_places(settings: Settings) -> None:
    """Check sizes and headers of all model files before anything is loaded; no checksums.

    A path that does not exist is left to its loader; it may be a name on the hub.

    Raises:
        WeightsError: a file of a model is missing, truncated, or an LFS pointer.
    """
    for place in places(settings):
        path = Path(place.path).absolute()
        problems = list(model_problems(path)) if path.exists() else []
        if problems:
            raise WeightsError(f"{place.what}: {'; '.join(found.says for found in problems)}")


def _llm(name: str, llm: LLMSettings, change: Change) -> LLMSettings:
    if llm.tokenizer:
        llm = replace(llm, tokenizer=change(f"llms.{name}.tokenizer", llm.tokenizer))
    if llm.kind == "openai":
        return llm
    spec = f"{llm.kind}:{change(f'llms.{name}', llm.place)}"
    adapters = {a: change(f"llms.{name}.adapters.{a}", p) for a, p in llm.adapters.items()}
    return replace(llm, spec=spec, adapters=adapters)


def _web(table: Mapping[str, Any], change: Change) -> dict[str, str]:
    embedder, reranker = (str(table.get(name) or "") for name in ("embedder", "reranker"))
    made = {"embedder": change("web.embedder", embedder)} if embedder else {}
    kind, _, model = reranker.partition(":")
    if model:
        made["reranker"] = f"{kind}:{change('web.reranker', model)}"
    return made
