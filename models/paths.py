"""What settings name that lies on disk: models, adapters, files; made absolute, and verified."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utils.model_files import WeightsError, model_problems

if TYPE_CHECKING:
    from models.llm.config import LLMSettings
    from models.settings import Settings

Change = Callable[[str, str], str]
_OPTIONS = ("attributes", "attributes_embedder", "calibration")  # of the systems' own


@dataclass(frozen=True, slots=True)
class Place:
    """`what` in the settings, and the path (or a hub's name) that stands there."""

    what: str
    path: str


def places(settings: "Settings") -> list[Place]:
    """All that the settings name and that is loaded from disk."""
    found: list[Place] = []

    def note(what: str, path: str) -> str:
        found.append(Place(what, path))
        return path

    map_places(settings, note)
    return found


def map_places(settings: "Settings", change: Change) -> "Settings":
    """The settings with `change(what, path)` in the place of each path."""

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


def rooted(settings: "Settings", root: Path) -> "Settings":
    """The settings with each path that leads somewhere from `root` made absolute.

    A program's working directory is the user's, or the evaluator's, to choose.
    """

    def absolute(_: str, path: str) -> str:
        return str(root / path) if (root / path).exists() else path

    return map_places(settings, absolute)


def verify_places(settings: "Settings") -> None:
    """Check what the settings name before anything is loaded: sizes and headers, no checksums.

    A path that does not exist is left to what loads it; it may be a name on the hub.

    Raises:
        WeightsError: a file of a model is missing, truncated, or an LFS pointer.
    """
    for place in places(settings):
        path = Path(place.path).absolute()
        problems = list(model_problems(path)) if path.exists() else []
        if problems:
            raise WeightsError(f"{place.what}: {'; '.join(found.says for found in problems)}")


def _llm(name: str, llm: "LLMSettings", change: Change) -> "LLMSettings":
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
