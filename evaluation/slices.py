"""The same figures, group by group."""

from collections import defaultdict
from collections.abc import Sequence

from evaluation.dataset import SLICES, UNKNOWN
from evaluation.score import Metrics, Result, measure

Groups = dict[str, Metrics]


def group_of(result: Result, name: str) -> str:
    """The group of the slice `name` that a result is in."""
    return result.slices.get(name) or UNKNOWN


def grouped(results: Sequence[Result], name: str) -> Groups:
    """The figures of each group, the largest group first, groups of one size by name."""
    members: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        members[group_of(result, name)].append(result)
    order = sorted(members, key=lambda group: (-len(members[group]), group))
    return {group: measure(members[group]) for group in order}


def sliced(results: Sequence[Result]) -> dict[str, Groups]:
    """One table per slice; a slice of which nothing is known is left out, but for the first."""
    names = dict.fromkeys((*SLICES, *(name for result in results for name in result.slices)))
    tables = {name: grouped(results, name) for name in names}
    return {
        name: groups
        for name, groups in tables.items()
        if name == SLICES[0] or list(groups) != [UNKNOWN]
    }
