"""Every setting, read once: settings.toml < environment (`CRAG_*`) < overrides by the caller.

Paths in the settings are made absolute, and the files there are verified before they are loaded.
"""

import logging
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, AllowInfNan, Field, NonNegativeFloat, PositiveFloat

from models.llm.config import LLMSettings, SubtaskSettings, check_llms, read_table
from models.llm.gguf_model import PACKAGED
from models.records import MAX_BATCH, Task
from utils.errors import SettingsError
from utils.model_files import WeightsError, model_problems
from utils.typed import nearest, read_record

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_KG = f"file:{ROOT / 'example_data' / 'kg'}"  # as an api_url
DEFAULT_FILE = ROOT / "settings.toml"  # read if it exists

ChangePath = Callable[[str, str], str]  # a setting's name and its path -> the new path


def _api_url(url: str) -> str:
    """The URL of a KG, if it is one; pydantic puts the message into its error."""
    if not url.startswith(("http://", "https://", "file:")):
        raise ValueError("it must begin with http:// or https://, or with file: for a KG on disk")
    return url


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Every field can be set in settings.toml or in `CRAG_<FIELD>`, but the tables (`llms`,
    `subtasks`, `web`, `options`) only in settings.toml or by `--set TABLE.KEY=VALUE`.

    Attributes:
        system: which system answers; `crag systems` lists them; or a module with dots.
        task: 1, 2 or 3; None: from aicrowd.json, else from the API and the number of pages.
        api_url: base URL of the KG API (environment: CRAG_MOCK_API_URL), or `file:PATH`, a KG that
            is read in this process (utils/crag_api.py); None: no KG.
        batch_size: questions per call, 1-16.
        tokenizer: a `tokenizer.json`, or a folder that contains one, for the limit of 75 tokens;
            None: an upper estimate (utils/tokens.py).
        seconds_per_question: the contest's time limit, in seconds.
        margin_s: seconds of a batch's time that are reserved for work outside the system.
        retry_share: share of a batch's time reserved for retrying unfinished questions one by one.
        judge_api_key: bearer token for an LLM judge's endpoint.
        llm: the spec of the engine called `default`; it replaces that of a table [llms.default].
        llms: the engines by name (models/llm/config.py).
        subtasks: which engine and adapter each subtask uses.
        llm_api_key: bearer token for OpenAI-compatible engines.
        web: the web path (models/web/settings.py): `preset` (default: the system's own), and fields
            that override the preset's.
        options: the system's own options; each system documents them in its file.
        confidence: the file of `crag training confidence`, whose model replaces an answer of
            low probability by "i don't know"; None: every answer is given.
        public_data: the SQLite file made by `crag public-data build`; None: none.
        folder: where relative paths in `options` begin, which only the system knows
            (`models/systems/make_system.py`): the folder of the settings file.
    """

    system: str = "offline"
    task: Task | None = None
    api_url: Annotated[str, AfterValidator(_api_url)] | None = None
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
    folder: Path = ROOT

    def __post_init__(self) -> None:
        if self.margin_s >= self.seconds_per_question:
            raise SettingsError("margin_s must be under seconds_per_question")
        if self.llm is not None:
            default = self.llms.get("default")
            default = LLMSettings(self.llm) if default is None else replace(default, spec=self.llm)
            object.__setattr__(self, "llms", {**self.llms, "default": default})
        check_llms(self.llms, self.subtasks)


_TABLES = ("llms", "subtasks", "web", "options")  # environment variables cannot set tables
_NEAR = 0.85  # of the letters of a variable's name: "CRAG_" alone is half of a short one

logger = logging.getLogger(__name__)
_FIELDS_BY_ENV_NAME = {
    f"CRAG_{entry.name.upper()}": entry.name
    for entry in fields(Settings)
    if entry.name not in (*_TABLES, "api_url", "folder")
}
_FIELDS_BY_ENV_NAME["CRAG_MOCK_API_URL"] = "api_url"
_TABLES_OF_RECORDS: Mapping[str, type[Any]] = {"llms": LLMSettings, "subtasks": SubtaskSettings}


def load_settings(
    file: Path | None = DEFAULT_FILE,
    env: Mapping[str, str] | None = None,
    *,
    changes: Sequence[str] = (),
    **overrides: Any,
) -> Settings:
    """The settings from `file`, then `env`, then `changes`, then `overrides`.

    Paths in `file` are relative to its folder, those of variables and arguments to the working
    directory.

    Args:
        file: the settings in TOML; it must exist unless it is the default one. None: no file.
        env: environment variables; None: those of the process.
        changes: each "KEY=VALUE", the key with dots ("web.preset=default"), the value in TOML
            syntax or as plain text.
        overrides: values by field; None: not given.

    Raises:
        SettingsError: there is no such file, a key or variable is unknown, or a value is invalid.
    """
    env = os.environ if env is None else env
    if file is None or (file == DEFAULT_FILE and not file.exists()):
        file_table = {}
    else:
        file_table = _read_toml(file)
    folder = ROOT if file is None else file.parent
    changed_fields: dict[str, Any] = {}
    for change in changes:
        key = change.partition("=")[0]
        # Keys with dots change tables, before the file's records are made of them.
        _put_change(file_table if "." in key else changed_fields, change)
    arguments = {name: value for name, value in overrides.items() if value is not None}
    llm = arguments.get("llm") or changed_fields.get("llm") or env.get("CRAG_LLM")
    _set_default_spec(file_table, llm or file_table.get("llm"))
    where = "the settings" if changes or file is None else str(file)
    settings = rooted(_apply(Settings(folder=folder), file_table, where), folder)
    settings = _apply(settings, _fields_in(env), "the environment", texts=True)
    settings = _apply(settings, changed_fields, "--set")
    return _apply(settings, arguments, "the arguments")


def read_settings(file: Path) -> Settings:
    """The settings in `file`, with paths unchanged.

    Raises:
        SettingsError: there is no such file, a key is unknown, or a value is invalid.
    """
    return _apply(Settings(), _read_toml(file), str(file))


def _fields_in(env: Mapping[str, str]) -> dict[str, str]:
    """The values of the fields that environment variables set; an empty variable sets nothing.

    Raises:
        SettingsError: a name is like that of a setting; of others a warning is logged.
    """
    for env_name in env:
        if env_name.startswith("CRAG_") and env_name not in _FIELDS_BY_ENV_NAME:
            hint = nearest(env_name, _FIELDS_BY_ENV_NAME, at_least=_NEAR)
            if hint:
                raise SettingsError(f"no setting is called {env_name}{hint}")
            logger.warning("no setting is called %s: it is ignored", env_name)
    values = {}
    for env_name, name in _FIELDS_BY_ENV_NAME.items():
        if env.get(env_name):
            values[name] = env[env_name]
    return values


def _set_default_spec(table: dict[str, Any], llm: Any) -> None:
    """Set the spec of [llms.default] to `llm`, if there is such a table without a spec."""
    if not llm:
        return
    match table:
        case {"llms": {"default": dict(default)}}:
            default.setdefault("spec", llm)


def _put_change(table: dict[str, Any], change: str) -> None:
    """Put the value of a "KEY=VALUE" into a table of settings."""
    key, sign, text = change.partition("=")
    path = key.strip().split(".")
    if not sign or not all(path):
        before_value = re.split("[=:]", change)[0]  # the value may be a secret
        raise SettingsError(f"--set needs KEY=VALUE, not {before_value!r}")
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text.strip()
    for name in path[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise SettingsError(f"{key}: {name} is no table")
    table[path[-1]] = value


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"there is no file {file}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{file} cannot be read as TOML: {error}") from error


def _apply(
    settings: Settings, values: Mapping[str, Any], where: str, *, texts: bool = False
) -> Settings:
    """The settings with `values` by field; `where` names their source in errors."""
    values = dict(values)
    for name, kind in _TABLES_OF_RECORDS.items():
        if name in values:
            values[name] = read_table(values[name], kind, name)
    return read_record(Settings, values, where, settings, texts=texts)


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder that a setting names.

    Attributes:
        what: the setting.
        path: its path, or a name on the hub.
    """

    what: str
    path: str


def places(settings: Settings) -> list[Place]:
    """The files and folders that the settings name, beside those in `options`."""
    named_places: list[Place] = []

    def record(what: str, path: str) -> str:
        named_places.append(Place(what, path))
        return path

    map_places(settings, record)
    return named_places


def map_places(settings: Settings, change: ChangePath) -> Settings:
    """The settings with each path replaced by `change(what, path)`."""

    def changed_file(name: str) -> Path | None:
        path: Path | None = getattr(settings, name)
        if path is None:
            return None
        return Path(change(name, str(path)))

    llms = {name: _map_llm(name, llm, change) for name, llm in settings.llms.items()}
    return replace(
        settings,
        llm=llms["default"].spec if settings.llm else None,
        llms=llms,
        web=_map_web(settings.web, change),
        tokenizer=changed_file("tokenizer"),
        confidence=changed_file("confidence"),
        public_data=changed_file("public_data"),
    )


def rooted(settings: Settings, root: Path) -> Settings:
    """The settings with each path that exists relative to `root` made absolute.

    Then they do not depend on the working directory, which the user or the evaluator chooses.
    """

    return map_places(settings, lambda _, path: rooted_path(path, root))


def rooted_path(path: str, root: Path) -> str:
    """A path made absolute if it exists relative to `root`; else it may be a name on the hub."""
    in_root = root / path
    return str(in_root) if os.path.exists(in_root) else path


def verify_places(named: Iterable[Place]) -> None:
    """Check sizes and headers of all model files before anything is loaded, but no checksums.

    A path that does not exist may be a name on the hub, so its loader checks it.

    Raises:
        WeightsError: a file of a model is missing, truncated, or an LFS pointer.
    """
    for place in named:
        path = Path(place.path).absolute()
        if not os.path.exists(path):  # Path.exists raises if it is too long
            continue
        problems = [problem.says for problem in model_problems(path)]
        if problems:
            raise WeightsError(f"{place.what}: {'; '.join(problems)}")


def _map_llm(name: str, llm: LLMSettings, change: ChangePath) -> LLMSettings:
    if llm.tokenizer:
        llm = replace(llm, tokenizer=change(f"llms.{name}.tokenizer", llm.tokenizer))
    if llm.kind == "openai":
        return llm
    spec = llm.spec
    if llm.place not in PACKAGED:  # the name of a model that a package carries is no path
        spec = f"{llm.kind}:{change(f'llms.{name}', llm.place)}"
    adapters = {
        adapter: change(f"llms.{name}.adapters.{adapter}", path)
        for adapter, path in llm.adapters.items()
    }
    return replace(llm, spec=spec, adapters=adapters)


def _map_web(table: Mapping[str, Any], change: ChangePath) -> dict[str, Any]:
    changed = dict(table)
    embedder = table.get("embedder")
    if embedder:
        changed["embedder"] = change("web.embedder", str(embedder))
    kind, _, model = str(table.get("reranker") or "").partition(":")
    if model:
        changed["reranker"] = f"{kind}:{change('web.reranker', model)}"
    return changed


def command_settings(
    file: Path,
    *,
    changes: Sequence[str] = (),
    api: str | None = None,
    example: bool = False,
    system: str | None = None,
    llm: str | None = None,
) -> Settings:
    """The settings of a command with the options `--settings`, `--set`, `--api`, `--example`,
    `--system` and `--llm`.

    Raises:
        SettingsError: options exclude each other, or see `load_settings`.
    """
    api_url = api_option(api, example=example)
    return load_settings(file, changes=changes, api_url=api_url, system=system, llm=llm)


def api_option(api: str | None, *, example: bool) -> str | None:
    """The KG that `--example` or `--api` names; None: neither is given.

    Raises:
        SettingsError: both are given.
    """
    if example and api:
        raise SettingsError("--example and --api exclude each other")
    return EXAMPLE_KG if example else api
