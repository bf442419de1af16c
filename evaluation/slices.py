"""The same figures, group by group."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from evaluation.dataset import SLICES, UNKNOWN
from evaluation.score import Metrics, Result, measure

Groups = dict[str, Metrics]


def grouped(results: Sequence[Result], group_of: Callable[[Result], str]) -> Groups:
    """The figures of each group, the largest group first, groups of one size by name."""
    members: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        members[group_of(result)].append(result)
    names = sorted(members, key=lambda name: (-len(members[name]), name))
    return {name: measure(members[name]) for name in names}


def by_slice(name: str) -> Callable[[Result], str]:
    """The function that says which group of the slice `name` a result is in."""
    return lambda result: result.slices.get(name) or UNKNOWN


def sliced(results: Sequence[Result]) -> dict[str, Groups]:
    """One table per slice; a slice of which nothing is known is left out, but for the first."""
    tables = {name: grouped(results, by_slice(name)) for name in _names(results)}
    return {
        name: groups
        for name, groups in tables.items()
        if name == SLICES[0] or list(groups) != [UNKNOWN]
    }


def _names(results: Sequence[Result]) -> list[str]:
    """The slices of the dataset, and any more that the results have."""
    return list(dict.fromkeys((*SLICES, *(name for r in results for name in r.slices))))
