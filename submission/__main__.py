"""Check a submission, tag it, and print what to push: `crag submission --help`."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import echo

from models.records import Task
from submission.checks import CHECKS
from submission.checks.settings import write_track
from submission.git import git
from submission.local_run import RunLimits, local_run
from submission.requirements import FILE, Resolution, resolve, write_requirements
from submission.tree import Finding, Tree
from utils.cli import new_app, run
from utils.errors import SettingsError

ROOT = Path(__file__).resolve().parent.parent

app = new_app("Check a submission, tag it, and print what to push.", shows_help=True)
TrackArgument = Annotated[int, typer.Argument(min=1, max=len(Task))]
CheckoutOption = Annotated[Path, typer.Option("--root", help="the checkout")]


@app.command()
def submit(
    track: TrackArgument,
    version: Annotated[str, typer.Argument(help="such as v0.1")],
    root: CheckoutOption = ROOT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="change nothing")] = False,
    no_run: Annotated[bool, typer.Option("--no-run", help="check files only; make no tag")] = False,
    no_resolve: Annotated[bool, typer.Option("--no-resolve", help="do not ask uv")] = False,
    remote: Annotated[str, typer.Option(help="the git remote to push to")] = "aicrowd",
    seconds_per_question: Annotated[float, typer.Option(help="of the local run")] = 30.0,
) -> int:
    """Run every check and the local run, then make the tag.

    The exit status is 1 if one fails.
    """
    tree = Tree(root.resolve(), Task(track), version, remote)
    limits = None if no_run else RunLimits(seconds_per_question)
    findings = preflight(tree, limits, echo)
    if not findings and not no_resolve:
        findings = check_resolution(tree)
    for finding in findings:
        echo(f"[{finding.check}] {finding.says}")
    if findings:
        echo(f"{_counted(findings)}: no tag was made")
        return 1
    if no_run:
        echo("no tag without a local run")
        return 1
    if dry_run:
        echo(f"would make the tag {tree.tag}; nothing was changed")
    else:
        message = f"Track {track}, {version}"
        git(tree.root, "tag", "--annotate", tree.tag, "--message", message)
        echo(f"made the tag {tree.tag}")
    branch = f"git lfs push {remote} HEAD && git push {remote} HEAD"
    echo(f"push: {branch} && git push {remote} {tree.tag}")
    return 0


@app.command()
def track(track: TrackArgument, root: CheckoutOption = ROOT) -> None:
    """Set the challenge of a track in aicrowd.json."""
    echo(f"aicrowd.json: {write_track(root / 'aicrowd.json', Task(track))}; commit it")


@app.command()
def requirements(
    root: CheckoutOption = ROOT,
    upgrade: Annotated[bool, typer.Option("--upgrade", help="ignore today's pins")] = False,
) -> None:
    """Write requirements.txt.

    It has what uv resolves of pyproject.toml for the image.
    """
    count = write_requirements(root.resolve(), upgrade=upgrade)
    echo(f"{FILE}: {count} packages; commit it")


def preflight(
    tree: Tree,
    limits: RunLimits | None = None,
    print_line: Callable[[str], None] = lambda _: None,
) -> list[Finding]:
    """What would get the submission rejected, by its files and by a run of its model.

    Args:
        tree: the checkout.
        limits: those of the local run; None: the model is not run. It is not run either if a check
            of the files fails.
        print_line: receives one line per check.

    Raises:
        GitError: the checkout is not a git repository.
    """
    findings: list[Finding] = []
    for name in CHECKS:
        problems = run_check(name, tree)
        print_line(outcome_line(name, problems))
        findings += problems
    if limits is None:
        return findings
    if findings:
        print_line("local run: skipped until the problems above are fixed")
        return findings
    problems = list(local_run(tree, limits, print_line))
    print_line(outcome_line("local run", problems))
    return problems


def run_check(name: str, tree: Tree) -> list[Finding]:
    """What the check of that name finds; a file that it cannot read is a finding."""
    try:
        return [Finding(name, problem) for problem in CHECKS[name](tree)]
    except (SettingsError, OSError, ValueError, KeyError) as error:
        return [Finding(name, f"a file cannot be read: {type(error).__name__}: {error}")]


def outcome_line(name: str, problems: list[Finding]) -> str:
    """One line on a check and the number of its problems."""
    return f"{name}: {_counted(problems)}" if problems else f"{name}: ok"


def _counted(problems: list[Finding]) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"


def check_resolution(tree: Tree) -> list[Finding]:
    """Whether uv finds the pinned versions compatible; where it cannot tell, a line says so."""
    outcome, message = resolve(tree.root, FILE)
    if outcome is Resolution.CONFLICT:
        problem = f"the pinned versions exclude each other: {message}"
        return [Finding("requirements", problem)]
    if outcome is Resolution.UNKNOWN:
        echo(f"resolve: skipped: {message}")
    else:
        echo("resolve: ok")
    return []


main = partial(run, app, name="crag submission")

if __name__ == "__main__":
    sys.exit(main())
