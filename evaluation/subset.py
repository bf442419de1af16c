"""A part of a dataset: by group, by id, by a stratified sample, or one shard of several."""

import logging
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from evaluation.dataset import SLICES, Example, read_examples
from evaluation.streams import ReadNotes, count_rows
from utils.errors import InputError, SettingsError

_LISTED_IDS = 5  # in an error

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Subset:
    """Which questions of a dataset are answered; without arguments all are.

    Attributes:
        where: the groups that count, by slice, as `{"domain": ["movie", "music"]}`.
        ids: the questions that count; None: any.
        sample: that many of them, each domain and question type in proportion; None: all.
        seed: of the sample.
        limit: the first so many of what remains.
        shard: (i, n): of every n questions that remain, the one with number i, from 0.
    """

    where: dict[str, list[str]]
    ids: frozenset[str] | None = None
    sample: int | None = None
    seed: int = 0
    limit: int | None = None
    shard: tuple[int, int] = (0, 1)

    @property
    def most(self) -> int | None:
        """An upper bound on the number of its questions, or None."""
        bounds = [bound for bound in (self.sample, self.limit) if bound]
        if not bounds:
            return None
        index, shards = self.shard
        return len(range(index, min(bounds), shards))

    def read(self, dataset: Path, notes: ReadNotes, *, skip_bad: bool) -> Iterator[Example]:
        """The questions of the subset, in the order of the dataset, as `read_examples` gives them.

        `notes` get their number, if it is known. The dataset is read twice if the subset has more
        than a limit or a shard.

        Raises:
            InputError: an id that is not in the dataset, or no question is left.
        """
        examples = read_examples(dataset, skip_bad=skip_bad, notes=notes)
        count = None if skip_bad else count_rows(dataset)  # of bad rows, nobody knows the number
        if self.where or self.ids is not None or self.sample:
            chosen = self._chosen_ids(read_examples(dataset, skip_bad=skip_bad))
            examples = (example for example in examples if example.id in chosen)
            count = len(chosen)
        index, shards = self.shard
        if count is not None:
            if self.limit is not None:
                count = min(count, self.limit)
            notes.rows_in_all = len(range(index, count, shards))
        return islice(islice(examples, self.limit), index, None, shards)

    def _chosen_ids(self, examples: Iterator[Example]) -> Collection[str]:
        """The ids that match, all of them or a sample.

        Raises:
            InputError: an id that is not in the dataset, or no question matches.
        """
        strata: dict[tuple[str, str], list[str]] = defaultdict(list)
        absent = set(self.ids or ())
        groups: dict[str, Counter[str]] = {name: Counter() for name in self.where}
        for example in examples:
            absent.discard(example.id)
            for name, counts in groups.items():
                counts[example.slices[name]] += 1
            if self._matches(example):
                strata[example.domain, example.question_type].append(example.id)
        if absent:
            some = ", ".join(sorted(absent)[:_LISTED_IDS])
            raise InputError(f"--ids: {len(absent)} ids are not in the dataset: {some}")
        if not strata:
            raise InputError(f"no question is left: {_groups_in_words(groups)}")
        generator = random.Random(self.seed)
        ordered: list[str] = []
        for _, ids in sorted(strata.items()):
            ordered += generator.sample(ids, len(ids))
        if self.sample is not None and self.sample > len(ordered):
            logger.warning("--sample %d: there are %d questions", self.sample, len(ordered))
        wanted = min(self.sample or len(ordered), len(ordered))
        # Places at equal distances, so that each stratum has its share.
        return {ordered[place * len(ordered) // wanted] for place in range(wanted)}

    def _matches(self, example: Example) -> bool:
        """Whether the question is one of `ids` and in the groups of `where`."""
        if self.ids is not None and example.id not in self.ids:
            return False
        slices = example.slices
        return all(slices[name] in groups for name, groups in self.where.items())


def _groups_in_words(groups: Mapping[str, Counter[str]]) -> str:
    """The groups that slices of a dataset have, with their sizes."""
    slices = []
    for name, counts in groups.items():
        sizes = ", ".join(f"{group} ({count})" for group, count in counts.most_common())
        slices.append(f"{name} has {sizes}" if sizes else "the dataset is empty")
    return "; ".join(slices) or "see --ids and --sample"


def read_where(text: str) -> dict[str, list[str]]:
    """The groups in "domain=movie,domain=music,question_type=set", by slice.

    Raises:
        SettingsError: a part is no SLICE=GROUP, or names an unknown slice.
    """
    where: dict[str, list[str]] = defaultdict(list)
    for part in text.split(","):
        if not part:
            continue
        name, sign, group = (piece.strip() for piece in part.partition("="))
        if not sign or name not in SLICES:
            known = ", ".join(SLICES)
            raise SettingsError(f"--where {part}: SLICE=GROUP is wanted, SLICE one of {known}")
        where[name].append(group)
    return dict(where)


def read_shard(text: str) -> tuple[int, int]:
    """The index, from 0, and the number of shards: (0, 4) of "1/4".

    Raises:
        SettingsError: it is no I/N with I from 1 to N.
    """
    number, _, shards = text.partition("/")
    if number.isdecimal() and shards.isdecimal() and 1 <= int(number) <= int(shards):
        return int(number) - 1, int(shards)
    raise SettingsError(f"--shard {text}: I/N is wanted, with I from 1 to N")


def read_ids(file: Path) -> frozenset[str]:
    """The ids in a file, one per line.

    Raises:
        InputError: there is no such file.
    """
    if not file.is_file():
        raise InputError(f"--ids: there is no file {file}")
    lines = file.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    return frozenset(line.strip() for line in lines if line.strip())
