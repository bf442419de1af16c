"""How what artists have put out becomes a short answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.music.answers_dates import first_text
from models.kg.english.music.answers_members import folded
from models.kg.execute import Outcome
from utils.text import find_run, words


@dataclass(frozen=True, slots=True)
class Titles:
    """The names of the rows, in their order: `most` of them at most, the one if `single`."""

    most: int | None = None
    single: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = _with_dates(outcomes[-1])[: self.most]
        names = [str(row["name"]) for row in rows]
        if not names or (self.single and len({tuple(words(name)) for name in names}) > 1):
            return None
        return ", ".join(names)


@dataclass(frozen=True, slots=True)
class Album:
    """The one album among the works of a time, in a sentence where `artist` and `when` are said.

    The KG does not tell songs from albums. A remix or a take is no album, nor is what was remixed,
    nor, if anything else is left, what `songs`, a question that names some, has. Of several the one
    is an album that came out in other editions as well; so must the only one, where no songs tell
    that there is an album at all.
    """

    artist: str = ""
    when: str = ""
    songs: str = ""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        titles = [str(row["name"]) for row in _with_dates(outcomes[-1])]
        remixed = {_core(title) for title in titles if _TAKE.search(title)}
        editions = {_core(title) for title in titles if _EDITION.search(title)}
        whole = {
            tuple(words(title)): title
            for title in titles
            if not (_TAKE.search(title) or _EDITION.search(title) or _core(title) in remixed)
        }
        others = {
            key: title for key, title in whole.items() if find_run(list(key), words(self.songs)) < 0
        }
        left = others or whole
        if len(left) > 1 or not self.songs:
            left = {key: title for key, title in left.items() if _core(title) in editions}
        if len(left) != 1:
            return None
        (title,) = left.values()
        if not self.artist:
            return title
        return f'{self.artist} released the album "{title}" in {self.when}'


# How titles tell a version of a song, and one of an album.
_TAKE = re.compile(
    r"(?i)mix(?:es|ed)?\b|\b(?:live|acoustic|instrumental|demo|edit|medley|sessions?|karaoke"
    r"|a cappella|cover|version)\b"
)
_EDITION = re.compile(
    r"(?i)[(\[:–-].*\b(?:deluxe|edition|expanded|bonus|anniversary|remaster(?:ed)?|reissue)\b"
)


def _core(title: str) -> tuple[str, ...]:
    """A title without what is told of its version."""
    return tuple(words(re.split(r" *[(\[:]| [–-] ", title, maxsplit=1)[0] or title))


@dataclass(frozen=True, slots=True)
class Dated:
    """The names of the rows with their dates, or the dates alone, in the rows' order."""

    most: int
    names: bool = True
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = _with_dates(outcomes[-1])[: self.most]
        said = []
        for row in rows:
            date = str(row["release_date"])
            date = date[:4] if self.year else date
            said.append(f"{row['name']} ({date})" if self.names else date)
        return ", ".join(said) or None


def _with_dates(outcome: Outcome) -> list[dict[str, Any]]:
    return [row for row in outcome.rows if row.get("release_date")]


@dataclass(frozen=True, slots=True)
class Number:
    """How many rows there are; none is no answer, for the KG does not hold everything."""

    yes_no: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        count = len(outcomes[-1].rows)
        if not count:
            return None
        return "yes" if self.yes_no else str(count)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many rows there are in all statements; `apart`: how many more in one of two."""

    apart: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = [len(outcome.rows) for outcome in outcomes]
        if not all(counts):
            return None
        return str(abs(counts[0] - counts[1]) if self.apart else sum(counts))


@dataclass(frozen=True, slots=True)
class MoreRows:
    """Which of `names` has the most rows, one each statement; all must have some."""

    names: tuple[str, ...]
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = [len(outcome.rows) for outcome in outcomes]
        wanted = min(counts) if self.least else max(counts)
        if not all(counts) or counts.count(wanted) != 1:
            return None
        return self.names[counts.index(wanted)]


@dataclass(frozen=True, slots=True)
class ByArtist:
    """A song's value of `key`, where it is the artist's: many songs share a name.

    Its author tells, or, where that is not known, that it stands among the artist's works, which
    the first statement gives.
    """

    key: str
    artist: str
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        works = folded(outcomes[0].values)
        wanted = " ".join(words(self.artist))
        for row in outcomes[-1].rows:
            author = " ".join(words(str(row.get("author") or "")))
            listed = not author and tuple(words(row["name"])) in works
            theirs = listed or f" {wanted} " in f" {author} "
            if row.get(self.key) and theirs:
                return str(row[self.key])[:4] if self.year else str(row[self.key])
        return None


# Who a song is by where it is by nobody in particular.
NOBODY = frozenset(
    ("various artists", "various", "unknown", "unknown artist", "no artist", "traditional")
)


def is_nobody(author: str) -> bool:
    return " ".join(words(author)) in NOBODY


@dataclass(frozen=True, slots=True)
class Author:
    """Who a song is by; nobody in particular is no answer."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        author = first_text(outcomes[-1])
        return None if author is None or is_nobody(author) else author


@dataclass(frozen=True, slots=True)
class Sings:
    """ "yes", where a song's author is `artist`, who may stand among several. Another author proves
    nothing, for songs are covered and share their names."""

    artist: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        author = first_text(outcomes[-1])
        if author is None:
            return None
        wanted = " ".join(words(self.artist))
        return "yes" if f" {wanted} " in f" {' '.join(words(author))} " else None
