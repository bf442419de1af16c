"""The films and people that a question names, and the words that are left of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from models.kg.english.movie.words import CUES, FILM, PERSON
from models.kg.english.names import FILM_PEOPLE, MOVIES, Mention, Names, Search
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked, Span
from utils.text import words

_YEAR = re.compile(r"(?:19|20)\d\d")
_MOST = 8  # ways to see a question that are tried


@dataclass(frozen=True, slots=True)
class Thing:
    """A film or a person. `text` stands for it in a program: a name between quotes, or a call.

    `exact`: the question has the name word for word.
    """

    text: str
    name: str = ""
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """One way to see a question: `rest` has XFILM and XPERSON in the place of each name."""

    asked: Asked
    rest: Asked
    films: tuple[Thing, ...] = ()
    people: tuple[Thing, ...] = ()

    @property
    def plain(self) -> str:
        return self.rest.plain

    @property
    def years(self) -> list[int]:
        """The years that stand in the rest, each as often as it does."""
        return [int(w.text) for w in self.rest.words if _YEAR.fullmatch(w.text)]

    @property
    def year_words(self) -> frozenset[str]:
        return frozenset(map(str, self.years))


@dataclass(frozen=True, slots=True)
class _Sighting:
    mark: str
    mention: Mention

    @property
    def span(self) -> Span:
        return self.mention.span


def views(asked: Asked, names: Names) -> Iterator[Seen]:
    """The ways to see a question, the likeliest first.

    Of names that overlap the longest wins. Then each film alone, since a title may be made of words
    that are no name here, then names that are only nearly alike, then no names at all.
    """
    exact = _sightings(asked, names, MOVIES, FILM) + _sightings(asked, names, FILM_PEOPLE, PERSON)
    near = _nearly(asked, names, MOVIES, FILM) + _nearly(asked, names, FILM_PEOPLE, PERSON)
    done: list[tuple[_Sighting, ...]] = []
    for chosen in chain(_choices(exact), _choices(near + exact)):
        if chosen not in done and not _drops_a_choice(asked, exact, chosen):
            done.append(chosen)
            yield _seen(asked, chosen)
            if len(done) == _MOST:
                return


def _drops_a_choice(asked: Asked, every: list[_Sighting], chosen: tuple[_Sighting, ...]) -> bool:
    """Whether a name is left out that stands in a choice or comparison: "A or B", "than B"."""
    for each in every:
        if any(each.span.meets(other.span) for other in chosen):
            continue
        near = [
            asked.words[i].text
            for i in (each.span.first - 1, each.span.last)
            if 0 <= i < len(asked.words)
        ]
        if {"or", "than", "and", "vs", "versus"} & set(near):
            return True
    return False


def _choices(sightings: list[_Sighting]) -> Iterator[tuple[_Sighting, ...]]:
    yield _apart(sightings, PERSON)
    yield _apart(sightings, FILM)
    people = [s for s in sightings if s.mark == PERSON]
    films = [s for s in sightings if s.mark == FILM]
    if len(films) > 1:
        for film in sorted(films, key=lambda s: -len(s.span)):
            yield _apart([film, *people], FILM)
        for film in sorted(films, key=lambda s: -len(s.span)):
            yield (film,)
    yield _apart(people, PERSON)
    yield _apart(films, FILM)
    if all(len(s.span) == 1 for s in sightings):
        yield ()


def _apart(sightings: list[_Sighting], first: str) -> tuple[_Sighting, ...]:
    """The longest that do not overlap, in the order of the question; of two equal ones `first`."""
    kept: list[_Sighting] = []
    for each in sorted(sightings, key=lambda s: (-len(s.span), s.mark != first, s.span.first)):
        if not any(each.span.meets(other.span) for other in kept):
            kept.append(each)
    return tuple(sorted(kept, key=lambda s: s.span.first))


def _sightings(asked: Asked, names: Names, search: Search, mark: str) -> list[_Sighting]:
    return [_Sighting(mark, m) for m in names.standing(asked, search, cues=CUES)]


def _nearly(asked: Asked, names: Names, search: Search, mark: str) -> list[_Sighting]:
    found = names.alike(asked, search, cues=CUES)
    spans = [m.span for m in found]
    return [
        _Sighting(mark, m)
        for m in found
        if spans.count(m.span) == 1 or len({tuple(words(o.name)) for o in found}) == 1
    ]


def _seen(asked: Asked, chosen: tuple[_Sighting, ...]) -> Seen:
    rest = asked
    for each in reversed(chosen):
        rest = rest.without([each.span], each.mark)
    of = {
        mark: tuple(
            Thing(quoted(s.mention.name), s.mention.name, _is_exact(asked, s))
            for s in chosen
            if s.mark == mark
        )
        for mark in (FILM, PERSON)
    }
    return Seen(asked, rest, of[FILM], of[PERSON])


def _is_exact(asked: Asked, sighting: _Sighting) -> bool:
    span = sighting.span
    said = [word.text for word in asked.words[span.first : span.last]]
    little = ("a", "an", "the", "and")
    return [w for w in said if w not in little] == [
        w for w in words(sighting.mention.name) if w not in little
    ]
