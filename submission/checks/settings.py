"""aicrowd.json and settings.toml: readable, consistent, relative paths, no network."""

import json
from collections.abc import Iterator
from pathlib import Path

from models.records import Task
from models.settings import Settings
from models.systems.make_system import subtasks_of
from models.task import CHALLENGES
from submission.tree import Tree
from submission.weights.table import WEIGHTS, inside
from utils.errors import SettingsError

# The fields of aicrowd.json that the evaluator reads.
REQUIRED = {
    "challenge_id": str,
    "authors": list,
    "description": str,
    "license": str,
    "gpu": bool,
}


def challenge_of(track: Task) -> str:
    """The challenge_id of `track`."""
    return next(challenge for challenge, task in CHALLENGES.items() if task is track)


def write_track(file: Path, track: Task) -> str:
    """Set the challenge_id of `track` in aicrowd.json and return it.

    Raises:
        SettingsError: the file cannot be read.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        changed = {**content, "challenge_id": challenge_of(track)}
    except (OSError, ValueError, TypeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from error
    file.write_text(json.dumps(changed, indent=2) + "\n", encoding="utf-8")
    return challenge_of(track)


def aicrowd_json(tree: Tree) -> Iterator[str]:
    """An aicrowd.json that is no JSON object, or fields that are missing or wrong."""
    if not (tree.root / "aicrowd.json").is_file():
        yield "there is no aicrowd.json"
        return
    try:
        text = tree.read("aicrowd.json")
    except ValueError as error:
        yield f"aicrowd.json is not UTF-8: {error}"
        return
    if text.startswith("\ufeff"):
        yield "aicrowd.json begins with a byte order mark: save it as UTF-8 without one (BOM)"
        return
    try:
        if not isinstance(json.loads(text), dict):
            yield "aicrowd.json must be a JSON object"
            return
    except ValueError as error:
        yield f"aicrowd.json is not JSON: {error}"
        return
    for name, type_of_field in REQUIRED.items():
        value = tree.aicrowd.get(name)
        if not isinstance(value, type_of_field):
            yield f"aicrowd.json: {name} must be a {type_of_field.__name__}, is {value!r}"
    if tree.aicrowd.get("authors") == []:
        yield "aicrowd.json: authors is empty"
    if tree.aicrowd.get("challenge_id") not in CHALLENGES:
        yield f"aicrowd.json: challenge_id must be one of {', '.join(CHALLENGES)}"


def track(tree: Tree) -> Iterator[str]:
    """Contradictions between track, aicrowd.json and settings.toml."""
    number = tree.track.value
    challenge = CHALLENGES.get(tree.aicrowd.get("challenge_id", ""), tree.track)
    if challenge is not tree.track:
        yield (
            f"aicrowd.json is for track {challenge.value}, not {number}: "
            f"`make track TRACK={number}` and commit it"
        )
    if tree.settings.task not in (None, tree.track):
        yield f"settings.toml says task = {tree.settings.task}, the track is {number}"
    engines = [name for name, llm in tree.settings.llms.items() if llm.kind in ("vllm", "hf")]
    if tree.aicrowd.get("gpu") is False and engines:
        yield f"aicrowd.json asks for no GPU, but settings.toml runs {engines[0]!r} on one"


def settings(tree: Tree) -> Iterator[str]:
    """Settings that cannot be used, and paths that lead out of the weights.

    Raises:
        SettingsError: they cannot be read.
    """
    loaded = tree.read_settings()
    known = subtasks_of(loaded.system)
    for place in tree.used:
        path = Path(place.path)
        if path.is_absolute() or ".." in path.parts:
            yield f"{place.what} = {place.path!r} leads out of the repository; make it relative"
        elif not inside(path) and (tree.root / path).exists():
            yield (
                f"{place.what} = {place.path!r} lies outside {WEIGHTS}; only that folder goes to "
                f"LFS and to the evaluator: move it there, and add it to "
                f"submission/weights/table.toml"
            )
    most = Settings().seconds_per_question
    if loaded.seconds_per_question > most:
        yield f"seconds_per_question is over the contest's {most:g}"
    if not loaded.margin_s:
        yield "margin_s is 0: nothing is kept back for the work around the system"
    for name in loaded.subtasks:
        if name not in known:
            yield f"subtasks.{name}: {loaded.system} has only: {', '.join(known) or 'none'}"


def network(tree: Tree) -> Iterator[str]:
    """Whatever would have to be fetched or asked for at run time."""
    if tree.settings.api_url:
        yield f"settings.toml: api_url = {tree.settings.api_url!r}, but the evaluator gives its own"
    for name, llm in tree.settings.llms.items():
        if llm.kind == "openai":
            yield f"llms.{name} = {llm.spec!r} is a server; the evaluator has none"
    for place in tree.used:
        path = Path(place.path)
        is_name = not path.is_absolute() and not inside(path)
        if is_name and not (tree.root / path).exists():
            yield (
                f"{place.what} = {place.path!r} is no path in {WEIGHTS}: it would be looked up on "
                f"the hub; `crag weights list` shows the folders"
            )
