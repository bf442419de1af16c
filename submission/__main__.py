"""Check a submission, tag it, and say what to push: `python -m submission --help`."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import echo

from models.records import Task
from submission.checks import CHECKS
from submission.checks.settings import write_track
from submission.git import git
from submission.local_run import Allowed, local_run
from submission.requirements import FILE, Resolved, resolve, write_requirements
from submission.tree import Finding, Say, Tree
from utils.cli import run
from utils.errors import SettingsError

ROOT = Path(__file__).resolve().parent.parent

app = typer.Typer(add_completion=False, help=__doc__)
Track = Annotated[int, typer.Argument(min=1, max=len(Task))]
Root = Annotated[Path, typer.Option(help="the checkout")]


@app.command()
def submit(
    track: Track,
    version: Annotated[str, typer.Argument(help="such as v0.1")],
    root: Root = ROOT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="change nothing")] = False,
    no_run: Annotated[bool, typer.Option("--no-run", help="check files only; make no tag")] = False,
    no_resolve: Annotated[bool, typer.Option("--no-resolve", help="do not ask uv")] = False,
    remote: Annotated[str, typer.Option(help="the git remote to push to")] = "aicrowd",
    seconds_per_question: Annotated[float, typer.Option(help="of the local run")] = 30.0,
) -> int:
    """Run every check and the local run, then make the tag; the exit status is 1 if one fails."""
    tree = Tree(root.resolve(), Task(track), version)
    found = preflight(tree, None if no_run else Allowed(seconds_per_question), echo)
    if not found and not no_resolve:
        status, says = resolve(tree.root, FILE)
        if status is Resolved.CONFLICT:
            found = [Finding("requirements", f"the pinned versions exclude each other: {says}")]
        else:
            echo(f"resolve: {f'skipped: {says}' if status else 'ok'}")
    for entry in found:
        echo(f"[{entry.check}] {entry.says}")
    if found or no_run:
        echo(f"{len(found)} problems: no tag was made" if found else "no tag without a local run")
        return 1
    if dry_run:
        echo(f"would make the tag {tree.tag}; nothing was changed")
    else:
        text = f"Track {track}, {version}"
        git(tree.root, "tag", "--annotate", tree.tag, "--message", text)
        echo(f"made the tag {tree.tag}")
    branch = f"git lfs push {remote} HEAD && git push {remote} HEAD"
    echo(f"push: {branch} && git push {remote} {tree.tag}")
    return 0


@app.command()
def track(track: Track, root: Root = ROOT) -> None:
    """Set the challenge of a track in aicrowd.json."""
    echo(f"aicrowd.json: {write_track(root / 'aicrowd.json', Task(track))}; commit it")


@app.command()
def requirements(
    root: Root = ROOT,
    upgrade: Annotated[bool, typer.Option("--upgrade", help="ignore today's pins")] = False,
) -> None:
    """Write requirements.txt: what uv resolves of pyproject.toml for the image."""
    count = write_requirements(root.resolve(), upgrade=upgrade)
    echo(f"{FILE}: {count} packages; commit it")


def preflight(
    tree: Tree, allowed: Allowed | None = None, say: Say = lambda _: None
) -> list[Finding]:
    """What would get the submission rejected; `say` takes one line per check.

    The model is run if `allowed` is given and no check of the files fails. Raises GitError outside
    a git repository.
    """
    found: list[Finding] = []
    for name, check in CHECKS.items():
        try:
            here = [Finding(name, says) for says in check(tree)]
        except (SettingsError, OSError, ValueError, KeyError) as error:
            here = [Finding(name, f"a file cannot be read: {type(error).__name__}: {error}")]
        say(f"{name}: {len(here)} problems" if here else f"{name}: ok")
        found += here
    if allowed and found:
        say("local run: skipped until the problems above are fixed")
    elif allowed:
        found = list(local_run(tree, allowed, say))
        say(f"local run: {len(found)} problems" if found else "local run: ok")
    return found


main = partial(run, app, name="python -m submission")

if __name__ == "__main__":
    sys.exit(main())
