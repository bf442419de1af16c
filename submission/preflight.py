"""The preflight: every check over a tree, and the local run where the files are in order."""

from collections.abc import Callable
from dataclasses import dataclass

from submission.checks import CHECKS
from submission.local_run import Allowed, local_run
from submission.tree import Tree


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that would have the submission rejected."""

    check: str
    says: str


def preflight(
    tree: Tree,
    allowed: Allowed | None = None,
    *,
    run: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> list[Finding]:
    """What was found, nothing where all is well.

    Args:
        tree: the checkout.
        allowed: how long the local run may take.
        run: whether there is a local run; it is left out too where the files are not in order.
        say: takes a line a check.

    Raises:
        CragError: the checkout is no git repository, or its table of weights cannot be read.
    """
    found: list[Finding] = []
    for name, check in CHECKS.items():
        here = [Finding(name, says) for says in check(tree)]
        say(f"{name}: {len(here)} found" if here else f"{name}: well")
        found += here
    if run and found:
        say("local run: left out until the above is mended")
    elif run:
        ran = local_run(tree, allowed or Allowed(), say)
        found = [Finding(check, says) for check, says in ran]
        say(f"local run: {len(found)} found" if found else "local run: well")
    return found
