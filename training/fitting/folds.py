"""Folds for cross-validation: questions that belong together are held out together."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from utils.errors import InputError

FOLDS = 5

FoldNumbers = NDArray[np.int64]


def folds_of(groups: Sequence[str], folds: int, salt: str = "") -> FoldNumbers:
    """The fold of each question: int64[questions], from 0 to `folds` - 1.

    The groups, ordered by the hash of their names, are dealt out in turn. So neither the order of
    the questions nor what else they hold decides, and folds have equal numbers of groups.

    Args:
        groups: the group of each question, such as its id or its wording. A group stays together.
        salt: another salt gives other folds.

    Raises:
        InputError: there are fewer groups than folds, or fewer than two folds.
    """
    names = set(groups)
    if not 2 <= folds <= len(names):
        raise InputError(f"{len(names)} questions cannot be checked in {folds} folds")

    def digest(name: str) -> bytes:
        return hashlib.sha256(f"{salt}{name}".encode()).digest()

    ordered = sorted(names, key=digest)
    fold_by_name = {name: place % folds for place, name in enumerate(ordered)}
    return np.array([fold_by_name[name] for name in groups], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold of several, by the hash of a group's name: what is held out."""

    number: int
    count: int

    @classmethod
    def of(cls, text: str) -> "Fold":
        """The fold that a command's argument names, such as "0/3".

        Raises:
            InputError: it is no such text.

        >>> Fold.of("2/5")
        Fold(number=2, count=5)
        """
        number, _, count = text.partition("/")
        if not number.isdecimal() or not count.isdecimal() or int(number) >= int(count):
            raise InputError(f"a fold is K/N, such as 0/3, not {text!r}")
        return cls(int(number), int(count))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def holds(self, group: str) -> bool:
        """Whether questions of a group are held out.

        The group's name alone decides, so that several files agree.
        """
        digest = hashlib.sha256(group.encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.number
