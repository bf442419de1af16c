"""Sets of words of a question, by their positions."""

from collections.abc import Iterable


class Positions(frozenset[int]):
    """The positions of some words of a question, counted from 0."""

    __slots__ = ()

    @property
    def first(self) -> int:
        """The position of the first word.

        Raises:
            ValueError: the set is empty.
        """
        return min(self)

    @property
    def last(self) -> int:
        """The position of the last word.

        Raises:
            ValueError: the set is empty.
        """
        return max(self)

    def follows(self, other: "Positions", within: int) -> bool:
        """Whether the set begins behind the end of `other`, at most `within` words further: 1 for
        the next word."""
        return 0 < self.first - other.last <= within

    def meets(self, other: frozenset[int]) -> bool:
        """Whether the sets share a word."""
        return not self.isdisjoint(other)

    def union(self, *others: Iterable[int]) -> "Positions":  # type: ignore[override]
        return Positions(frozenset.union(self, *others))

    def __or__(self, other: frozenset[int]) -> "Positions":  # type: ignore[override]
        return Positions(frozenset.__or__(self, other))

    def __and__(self, other: frozenset[int]) -> "Positions":  # type: ignore[override]
        return Positions(frozenset.__and__(self, other))

    def __sub__(self, other: frozenset[int]) -> "Positions":  # type: ignore[override]
        return Positions(frozenset.__sub__(self, other))


NO_WORDS = Positions()


def positions_of(first: int, end: int) -> Positions:
    """The positions from `first` to before `end`."""
    return Positions(range(first, end))


def union_of(groups: Iterable[Iterable[int]]) -> Positions:
    """The words of all groups together."""
    return NO_WORDS.union(*groups)
