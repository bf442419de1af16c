"""Pages whose titles the question names in parts: an edition of an event ("the World Series in
2004"), and a page with more about a thing ("Queen discography")."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from models.english.question import runs
from models.kg.lexicon.positions import Positions, positions_of
from utils.text import ARTICLES, FUNCTION_WORDS, words


@dataclass(frozen=True, slots=True)
class Title:
    """A page's title, and the words of the question that name it."""

    name: str
    positions: Positions


def editions_in(
    names: Sequence[str],
    question: Sequence[str],
    year: int,
    *,
    endings: Collection[str],
    idle_words: Collection[str],
) -> Iterator[Title]:
    """The titles that are a year and words of the question in their order ("which NBA team won the
    finals in 2015"), and perhaps one of the `endings`; only those with the most words of the
    question.

    A single one of the `idle_words` names no event.
    """
    titles: dict[str, Positions] = {}
    for name in names:
        core = _behind_year(words(name), year)
        if not core:
            continue
        positions = _places_in_order(core, question)
        if not positions and core[-1:] and core[-1] in endings:
            core = core[:-1]
            positions = _places_in_order(core, question)
        tells = len(core) > 1 or not set(core) <= set(idle_words)
        if positions and tells:
            titles[name] = positions
    most = max(map(len, titles.values()), default=0)
    for name, positions in titles.items():
        if len(positions) == most:
            yield Title(name, positions)


def _behind_year(title: list[str], year: int) -> list[str]:
    """The words of a title behind its year, or behind the two years of a season that ends in it
    ("2022-23"); none if it begins with neither."""
    season = [str(year - 1), f"{year % 100:02}"]
    if title[:2] == season:
        return title[2:]
    return title[1:] if title[:1] == [str(year)] else []


def pages_about(names: Sequence[str], question: Sequence[str], pattern: str) -> Iterator[Title]:
    """The titles of a pattern ("{} discography") with words of the question in its place; only
    those with the most words."""
    before, _, after = pattern.partition("{}")
    opening = words(before)
    ending = words(after)
    titles: dict[str, Positions] = {}
    for name in names:
        title = words(name)
        size = len(title) - len(opening) - len(ending)
        core = title[len(opening) : len(opening) + size]
        if size < 1 or title != [*opening, *core, *ending] or FUNCTION_WORDS.issuperset(core):
            continue
        positions = _place_of(core, question)
        if positions:
            titles[name] = positions
    most = max(map(len, titles.values()), default=0)
    for name, positions in titles.items():
        if len(positions) == most:
            yield Title(name, positions)


def _place_of(core: Sequence[str], question: Sequence[str]) -> Positions:
    """Where some words stand in the question, with or without an article before them."""
    without_article = list(core[1:]) if core and core[0] in ARTICLES else list(core)
    for span in runs(without_article, question):
        return positions_of(span.first, span.end)
    return Positions()


def _places_in_order(core: Sequence[str], question: Sequence[str]) -> Positions:
    """Where some words stand in the question: best side by side, else in the same order."""
    together = _place_of(core, question)
    if together:
        return together
    places: list[int] = []
    start = 0
    for word in core:
        if word not in question[start:]:
            return Positions()
        places.append(question.index(word, start))
        start = places[-1] + 1
    return Positions(places)
