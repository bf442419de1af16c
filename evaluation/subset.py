"""A part of a dataset: by group, by id, by a stratified sample, or one shard of several."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from evaluation.dataset import SLICES, Example
from utils.errors import InputError, SettingsError
from utils.typed import nearest


@dataclass(frozen=True, slots=True)
class Subset:
    """Which questions of a dataset are asked; without arguments all are.

    Attributes:
        where: the groups that count, by slice, as `{"domain": ["movie", "music"]}`.
        ids: the questions that count; None: any.
        sample: that many of them, each domain and question type in proportion; None: all.
        seed: of the sample.
        limit: the first so many of what is left.
        shard: (i, n): of every n questions that are left, the one with number i, from 0.
    """

    where: dict[str, list[str]]
    ids: frozenset[str] | None = None
    sample: int | None = None
    seed: int = 0
    limit: int | None = None
    shard: tuple[int, int] = (0, 1)

    @property
    def selects(self) -> bool:
        """Whether anything but the limit leaves questions out."""
        return bool(self.where or self.ids is not None or self.sample or self.shard[1] > 1)

    def of(self, read: Callable[[], Iterator[Example]]) -> Iterator[Example]:
        """The questions of the subset, in the order of the dataset.

        Args:
            read: reads the dataset from its start; a sample reads it once more.

        Raises:
            InputError: ids that are not in the dataset (once it has been read), or no question.
        """
        chosen = self._sampled(read()) if self.sample else None
        index, shards = self.shard
        matching = self._matching(read())
        kept = (e for e in matching if chosen is None or e.id in chosen)
        return islice(islice(kept, self.limit), index, None, shards)

    def _matching(self, examples: Iterator[Example]) -> Iterator[Example]:
        unseen = set(self.ids or ())
        found = 0
        for example in examples:
            unseen.discard(example.id)
            if self.ids is not None and example.id not in self.ids:
                continue
            if all(example.slices[name] in groups for name, groups in self.where.items()):
                found += 1
                yield example
        if unseen:
            some = ", ".join(sorted(unseen)[:5])
            raise InputError(f"--ids: {len(unseen)} ids are not in the dataset: {some} ...")
        if self.where and not found:
            raise InputError(f"--where: no question has {self.where}")

    def _sampled(self, examples: Iterator[Example]) -> Collection[str]:
        """Ids: each stratum's share is rounded so that the shares add up (largest remainder)."""
        strata: dict[tuple[str, str], list[str]] = defaultdict(list)
        for example in self._matching(examples):
            strata[example.domain, example.question_type].append(example.id)
        total = sum(map(len, strata.values()))
        wanted = min(self.sample or 0, total)
        shares = {name: wanted * len(ids) / total for name, ids in sorted(strata.items())}
        sizes = Counter({name: int(share) for name, share in shares.items()})
        by_remainder = sorted(shares, key=lambda name: sizes[name] - shares[name])
        sizes.update(by_remainder[: wanted - sizes.total()])
        draw = random.Random(self.seed)
        return {i for name in shares for i in draw.sample(strata[name], sizes[name])}


def read_where(text: str) -> dict[str, list[str]]:
    """The groups in "domain=movie,domain=music,question_type=set". Raises SettingsError."""
    where: dict[str, list[str]] = defaultdict(list)
    for part in filter(None, text.split(",")):
        name, sign, group = (piece.strip() for piece in part.partition("="))
        name = {"type": "question_type", "dynamism": "static_or_dynamic"}.get(name, name)
        if not sign or name not in SLICES:
            raise SettingsError(f"--where {part}: SLICE=GROUP is wanted{nearest(name, SLICES)}")
        where[name].append(group)
    return dict(where)


def read_shard(text: str) -> tuple[int, int]:
    """(0, 4) of "1/4". Raises SettingsError."""
    number, _, shards = text.partition("/")
    if not (number.isdigit() and shards.isdigit() and 1 <= int(number) <= int(shards)):
        raise SettingsError(f"--shard {text}: I/N is wanted, with I from 1 to N")
    return int(number) - 1, int(shards)


def read_ids(file: Path) -> frozenset[str]:
    """The ids in a file, one per line. Raises InputError."""
    try:
        lines: Sequence[str] = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids {file}: cannot be read: {error}") from error
    return frozenset(line.strip() for line in lines if line.strip())
