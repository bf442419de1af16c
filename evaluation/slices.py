"""The same figures, group by group."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from evaluation.dataset import UNKNOWN
from evaluation.score import Metrics, Result, measure

SLICES = ("domain", "question_type", "static_or_dynamic")

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


def sliced(results: Sequence[Result], names: Sequence[str] = SLICES) -> dict[str, Groups]:
    """One table a slice."""
    return {name: grouped(results, by_slice(name)) for name in names}
