"""aicrowd.json by itself, and against the track and the settings."""

from collections.abc import Iterator

from models.task import CHALLENGES
from submission.tracks import REQUIRED, challenge_of
from submission.tree import Tree


def aicrowd_json(tree: Tree) -> Iterator[str]:
    """Whether it is there and has what the evaluator reads."""
    content = tree.aicrowd
    if content is None:
        yield "aicrowd.json is not there or is no JSON object"
        return
    for name, kind in REQUIRED.items():
        if not isinstance(content.get(name), kind):
            yield f"aicrowd.json: {name} must be a {kind.__name__}, is {content.get(name)!r}"
    if content.get("authors") == []:
        yield "aicrowd.json: authors is empty"
    if isinstance(content.get("challenge_id"), str) and content["challenge_id"] not in CHALLENGES:
        known = ", ".join(CHALLENGES)
        yield f"aicrowd.json: no challenge is called {content['challenge_id']!r}; {known}"


def track(tree: Tree) -> Iterator[str]:
    """Whether track, aicrowd.json and settings say the same."""
    content, settings = tree.aicrowd, tree.settings
    number = tree.track.value
    wanted = challenge_of(tree.track)
    said = content.get("challenge_id") if content else None
    if said in CHALLENGES and said != wanted:
        yield (
            f"aicrowd.json is for track {CHALLENGES[said].value}, not {number}: "
            f"`make track TRACK={number}` and commit it"
        )
    if settings is None:
        return
    if settings.task is not None and settings.task is not tree.track:
        yield f"settings.toml says task = {settings.task.value}, the track is {number}"
    engines = [name for name, llm in settings.llms.items() if llm.kind in ("vllm", "hf")]
    if content and content.get("gpu") is False and engines:
        yield f"aicrowd.json asks for no GPU, but settings.toml runs {engines[0]!r} on one"
