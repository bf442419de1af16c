"""settings.toml: readable, of relative paths, asking nothing of a network."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.settings import Settings
from models.systems.factory import SYSTEMS, subtasks_of
from submission.tree import Tree, inside
from utils.errors import SettingsError
from utils.weights.table import WEIGHTS


def settings(tree: Tree) -> Iterator[str]:
    """Whether they can be read, and name only paths within the checkout."""
    if isinstance(tree.loaded, SettingsError):
        if not _bad_batch_size(tree):
            yield str(tree.loaded)
        return
    if tree.loaded.system not in SYSTEMS:
        yield f"no system is called {tree.loaded.system!r}; there are: {', '.join(SYSTEMS)}"
    for used in tree.used:
        path = Path(used.path)
        if path.is_absolute() or ".." in path.parts:
            yield f"{used.what} = {used.path!r} leads out of the repository; make it relative"
        elif not inside(used.path) and (tree.root / path).exists():
            yield (
                f"{used.what} = {used.path!r} lies outside {WEIGHTS}, which alone goes to LFS and "
                f"is there at the evaluator's: move it there, and into utils/weights/table.toml"
            )
    own = Settings()
    if tree.loaded.seconds_per_question > own.seconds_per_question:
        yield f"seconds_per_question is over the contest's {own.seconds_per_question:g}"
    if not tree.loaded.margin_s:
        yield "margin_s is 0: nothing is kept back for what surrounds the system"
    known = subtasks_of(tree.loaded.system) if tree.loaded.system in SYSTEMS else ()
    for name in tree.loaded.subtasks:
        if name not in known:
            yield f"subtasks.{name}: {tree.loaded.system} has only: {', '.join(known) or 'none'}"


def batch_size(tree: Tree) -> Iterator[str]:
    """Whether settings.toml keeps to the evaluator's 1-16."""
    if _bad_batch_size(tree):
        yield f"settings.toml: batch_size must be 1-16, is {_raw(tree).get('batch_size')!r}"


def network(tree: Tree) -> Iterator[str]:
    """Whether anything named would have to be fetched or asked for at run time."""
    if tree.settings is None:
        return
    if tree.settings.api_url:
        yield f"settings.toml: api_url = {tree.settings.api_url!r}, but the evaluator gives its own"
    for name, llm in tree.settings.llms.items():
        if llm.kind == "openai":
            yield f"llms.{name} = {llm.spec!r} is a server; at the evaluator's there is none"
    for used in tree.used:
        path = Path(used.path)
        if not path.is_absolute() and not inside(used.path) and not (tree.root / path).exists():
            yield (
                f"{used.what} = {used.path!r} is no path in {WEIGHTS}: it would be looked for on "
                f"the hub; `python -m utils.weights list` has the folders"
            )


def _raw(tree: Tree) -> dict[str, Any]:
    try:
        return tomllib.loads(tree.read("settings.toml"))
    except tomllib.TOMLDecodeError:
        return {}


def _bad_batch_size(tree: Tree) -> bool:
    given = _raw(tree).get("batch_size", 16)
    return type(given) is not int or not 1 <= given <= 16
