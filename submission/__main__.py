"""Preflight, tag, and what to push: `python -m submission --help`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from models.records import Task
from submission.git import add_tag
from submission.local_run import Allowed
from submission.preflight import Finding, preflight
from submission.resolve import resolve
from submission.tracks import write_track
from submission.tree import Tree
from utils.errors import CragError

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status: 0 well, 1 something would be rejected."""
    args = _parser().parse_args(arguments)
    try:
        done: int = args.run(args)
        return done
    except CragError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _submit(args: argparse.Namespace) -> int:
    tree = Tree(args.root.resolve(), Task(args.track), args.version)
    allowed = Allowed(args.seconds_per_question)
    found = preflight(tree, allowed, run=not args.no_run, say=_say)
    if not found and not args.no_resolve:
        outcome = resolve(tree.root)
        _say(f"resolve: {'' if outcome.reached else 'left out: '}{outcome.says}")
        if outcome.conflict:
            found = [Finding("requirements", "no versions go together, see above")]
    for entry in found:
        _say(f"[{entry.check}] {entry.says}")
    if found:
        return _rejected(len(found))
    if args.no_run:
        _say("no tag without a local run")
        return 1
    if args.dry_run:
        _say(f"would make the tag {tree.tag}; nothing was changed")
    else:
        add_tag(tree.root, tree.tag, f"Track {tree.track.value}, {tree.version}")
        _say(f"made the tag {tree.tag}")
    where = args.remote
    branch = f"git lfs push {where} HEAD && git push {where} HEAD"
    _say(f"push: {branch} && git push {where} {tree.tag}")
    return 0


def _track(args: argparse.Namespace) -> int:
    made = write_track(args.root / "aicrowd.json", Task(args.track))
    _say(f"aicrowd.json: {made['challenge_id']}; commit it")
    return 0


def _rejected(count: int) -> int:
    _say(f"{count} found: no tag was made")
    return 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("track", type=int, choices=[task.value for task in Task])
    shared.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    parser = argparse.ArgumentParser(prog="python -m submission", description=__doc__)
    commands = parser.add_subparsers(required=True)
    add = commands.add_parser("submit", parents=[shared], help="look at everything, then tag")
    add.add_argument("version", help="as in v0.1")
    add.add_argument("--dry-run", action="store_true", help="show all and change nothing")
    add.add_argument("--no-run", action="store_true", help="files only; makes no tag")
    add.add_argument("--no-resolve", action="store_true", help="pip is not asked for versions")
    add.add_argument("--remote", default="aicrowd", help="the git remote to push to")
    add.add_argument("--seconds-per-question", type=float, default=30.0)
    add.set_defaults(run=_submit)
    add = commands.add_parser("track", parents=[shared], help="make aicrowd.json that of a track")
    add.set_defaults(run=_track)
    return parser


if __name__ == "__main__":
    sys.exit(main())
