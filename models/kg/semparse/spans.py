"""What stands in a question: things of the KG, times, numbers, operators; they may overlap."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from models.kg.fetch.open import facts
from models.kg.linking.companies import find_companies
from models.kg.linking.names import (
    ARTISTS,
    ENTITIES,
    FILM_PEOPLE,
    MOVIES,
    SONGS,
    Mention,
    Names,
    Search,
)
from models.kg.linking.question import Asked
from models.kg.linking.teams import Sport, find_leagues, find_teams
from models.kg.semparse.lexicon import Lexicon
from models.kg.semparse.matching import Matcher, Used
from models.kg.semparse.times import Time, find_times
from utils.text import FUNCTION_WORDS, words

SEARCHES: dict[str, Search] = {
    "movie": MOVIES,
    "person": FILM_PEOPLE,
    "musician": ARTISTS,
    "song": SONGS,
    "thing": ENTITIES,
}
_TEAMS = {Sport.SOCCER: "soccer team", Sport.NBA: "nba team"}
_MAY_BE_CUES = ("movie", "song", "thing")  # types whose names may be words by which one asks
_POLAR = frozenset("is was were are did does do has have had can could will would".split())
_REQUEST = re.compile(r"(?:can|could|do|would|will|are) you\b|i'm\b|i am\b|please\b|tell\b|let\b")
_WHETHER = re.compile(r"(?:[a-z']+ ){1,6}(?:if|whether)\b")
_CLAUSE = re.compile(r"[,.;:?!]|\b(?:or is it|wait|say|so|then)\b")
_ASKS = re.compile(r"\b(?:who|whom|whose|what|what's|which|when|where|how)\b")
_SENTENCE = re.compile(r"[.!?;]\s+|\s[-–—]\s")
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NEAR = 4  # words from a ceremony's number to what is awarded
_SMALL = 100  # a number below it may be how many values are asked for


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the KG, by its own name, as the question says it, and where.

    `doubtful`: its name consists of words by which one asks; `score`: how alike the names are;
    `hits`: the records of that name.
    """

    type: str
    name: str
    said: str
    used: Used
    doubtful: bool = False
    score: float = 1.0
    hits: tuple[Any, ...] = field(default=(), compare=False)

    @property
    def label(self) -> str:
        """What an answer calls it: as the question does, if that is its name."""
        return self.said if self.score == 1.0 else self.name


@dataclass
class Spans:
    """What stands in one question; names are looked for once.

    Raises:
        ApiError: a search of the KG failed.
        DeadlineExceeded: there was no time for one.
    """

    asked: Asked
    names: Names
    lexicon: Lexicon

    @cached_property
    def words(self) -> list[str]:
        return [word.text for word in self.asked.words]

    @cached_property
    def stems(self) -> list[str]:
        return [self.lexicon.stemmer.stem(word) for word in self.words]

    @cached_property
    def match(self) -> Matcher:
        return Matcher(self.stems, self.lexicon.stemmer)

    @cached_property
    def content(self) -> Used:
        """The words that mean something."""
        return frozenset(i for i, word in enumerate(self.words) if word not in FUNCTION_WORDS)

    @cached_property
    def operators(self) -> dict[str, list[Used]]:
        """Where each operator stands; those that stand nowhere are left out."""
        found = {name: self.match.find(said) for name, said in self.lexicon.operators.items()}
        return {name: places for name, places in found.items() if places}

    @cached_property
    def times(self) -> list[tuple[Time, Used]]:
        return [(t, _of(t.span.first, t.span.last)) for t in find_times(self.asked)]

    @cached_property
    def numbers(self) -> list[tuple[int, Used]]:
        """Small whole numbers: how many values are asked for."""
        named = self.lexicon.numbers
        return [
            (named.get(word) or int(word), frozenset((i,)))
            for i, word in enumerate(self.words)
            if word in named or (word.isdecimal() and 0 < int(word) < _SMALL)
        ]

    @cached_property
    def ordinals(self) -> list[tuple[int, Used]]:
        """Places in an order: "second"."""
        named = self.lexicon.ordinals
        return [(named[w], frozenset((i,))) for i, w in enumerate(self.words) if w in named]

    @cached_property
    def amounts(self) -> list[tuple[float, Used]]:
        """Numbers as they are written, which may be a bound: "$1.5 billion"."""
        found = []
        for i, word in enumerate(self.asked.words):
            match = _AMOUNT.search(self.asked.text[word.start : word.end])
            named = self.lexicon.numbers.get(word.text, 1 if word.text in ("a", "an") else None)
            behind = self.words[i + 1] if i + 1 < len(self.words) else ""
            if named is not None and behind in self.lexicon.scales:
                found.append((named * self.lexicon.scales[behind], _of(i, i + 2)))
            if match is None or (i and self.asked.words[i - 1].start == word.start):
                continue
            last = i + 1
            while last < len(self.words) and self.asked.words[last].start == word.start:
                last += 1
            scale = self.lexicon.scales.get(self.words[last]) if last < len(self.words) else None
            value = float(match.group().replace(",", "")) * (scale or 1)
            found.append((value, _of(i, last + bool(scale))))
        return found

    @cached_property
    def years(self) -> list[tuple[int, Used]]:
        """Years, as they are written, or as the number of a ceremony: "the 70th Oscars"."""
        found = [(int(w), frozenset((i,))) for i, w in enumerate(self.words) if _YEAR.fullmatch(w)]
        if found:
            return found
        for i, word in enumerate(self.words):
            ordinal = _ORDINAL.fullmatch(word)
            near = self.stems[i + 1 : i + 1 + _NEAR]
            if ordinal is None:
                continue
            for name, first in self.lexicon.ceremonies.items():
                if self.lexicon.stemmer.stem(name) in near:
                    found.append((first + int(ordinal[1]), frozenset((i,))))
                    break
        return found

    @cached_property
    def polar(self) -> bool:
        """Whether the question wants a yes or a no."""
        text = " ".join(self.words)
        if _REQUEST.match(text):
            return bool(_WHETHER.match(text))
        if not self.words or self.words[0] in _POLAR:
            return bool(self.words)
        clauses = [words(clause) for clause in _CLAUSE.split(self.asked.text)]
        return not _ASKS.search(text) and any(c and c[0] in _POLAR for c in clauses)

    @cached_property
    def things(self) -> list[Thing]:
        found: list[Thing] = []
        for kind, search in SEARCHES.items():
            if not self._asks_of(kind):
                continue
            mentions = self.names.standing(self.asked, search, cues=self.lexicon.cues(kind))
            if kind in _MAY_BE_CUES or not mentions:
                mentions += [
                    m for m in self.names.standing(self.asked, search) if m not in mentions
                ]
            found += [self._thing(kind, mention) for mention in mentions]
        found += self._companies()
        for sport, kind in _TEAMS.items():
            for team in find_teams(self.asked, sport, self.lexicon.cues(kind)):
                used = _of(team.span.first, team.span.last)
                found.append(Thing(kind, team.name, self.asked.spelled(team.span), used))
        for year, used in self.years:
            found.append(Thing("year", str(year), str(year), used))
            found.append(Thing("grammy year", str(year), str(year), used | self._number_of(used)))
        if self._asks_of("number"):
            found += [Thing("number", str(n), str(n), used) for n, used in self.numbers]
        found += self._series()
        return list(dict.fromkeys(found))

    @cached_property
    def aside(self) -> Used:
        """The words of sentences that ask nothing: "I just watched it. Who directed it?"."""
        sentences: list[tuple[bool, list[int]]] = []
        start = 0
        for end in [*(m.end() for m in _SENTENCE.finditer(self.asked.text)), len(self.asked.text)]:
            text = self.asked.text[start:end]
            indices = [i for i, w in enumerate(self.asked.words) if start <= w.start < end]
            first = words(text)[:1]
            asks = "?" in text or bool(_ASKS.search(text.lower())) or (first and first[0] in _POLAR)
            if indices:
                sentences.append((bool(asks), indices))
            start = end
        if not any(asks for asks, _ in sentences):
            return frozenset()
        return frozenset(i for asks, indices in sentences if not asks for i in indices)

    @cached_property
    def leagues(self) -> list[tuple[str, Used]]:
        found = find_leagues(self.asked)
        return [(each.name, _of(each.span.first, each.span.last)) for each in found if each.name]

    def page(self, name: str) -> dict[str, Any]:
        """The facts of an entity of the open domain."""
        (page,) = self.names.call_many([("/open/get_entity", name)])
        return facts(page, name)

    def entity(self, text: str) -> str | None:
        """The entity of the open domain that a value names."""
        found = self.names.search(ENTITIES, text)
        return next((name for name, _ in found if words(name) == words(text)), None)

    def said(self, used: Used) -> str:
        return " ".join(self.words[i] for i in sorted(used))

    def _asks_of(self, kind: str) -> bool:
        """Whether a relation of things of this type's domain is named; only then are they looked
        for."""
        return kind == "thing" or not self._domains.isdisjoint(self.lexicon.domains_of(kind))

    @cached_property
    def _domains(self) -> frozenset[str]:
        """The domains of which a relation is named."""
        match, found = self.match, set[str]()
        for relation in self.lexicon.relations:
            domain = relation.id.partition(".")[0]
            phrases = self.lexicon.anchors(relation)
            if domain not in found and (match.find(phrases) or match.find_loosely(phrases)):
                found.add(domain)
        return frozenset(found)

    def _companies(self) -> list[Thing]:
        if not self._asks_of("company"):
            return []
        rest = self.asked.without(time.span for time, _ in self.times)
        at = {id(word): i for i, word in enumerate(self.asked.words)}
        found = []
        for company in find_companies(
            rest, self.names, self.lexicon.cues("company"), self.lexicon.not_names
        ):
            span = rest.words[company.span.first : company.span.last]
            places = frozenset(at[id(word)] for word in span)
            found.append(Thing("company", company.name, company.label, places))
        return found

    def _series(self) -> list[Thing]:
        """The words before "franchise": the name of a series is in the titles of its films."""
        words = {p for r in self.lexicon.of_source.get("series", ()) for p in r.phrases}
        found = []
        for used in self.match.find(words):
            first = last = min(used)
            while first and self._may_name(first - 1):
                first -= 1
            while first < last and self.words[first] in FUNCTION_WORDS:
                first += 1
            if first < last:
                name = self.said(_of(first, last))
                found.append(Thing("series", name, name, _of(first, last)))
        return found

    def _may_name(self, i: int) -> bool:
        word = self.words[i]
        free = word in self.lexicon.cues("movie") or word in self.lexicon.ordinals
        return not free or word in ("the", "of", "and")

    def _thing(self, kind: str, mention: Mention) -> Thing:
        used = _of(mention.span.first, mention.span.last)
        free = FUNCTION_WORDS | self.lexicon.cues(kind)
        doubtful = all(self.words[i] in free for i in used)
        said = self.asked.spelled(mention.span)
        return Thing(kind, mention.name, said, used, doubtful, mention.score, mention.hits)

    def _number_of(self, used: Used) -> Used:
        """ "61st Grammys (2018)": the number of the ceremony says no more than its year."""
        return frozenset(
            i
            for i, word in enumerate(self.words)
            if _ORDINAL.fullmatch(word) and 0 < min(used) - i <= _NEAR
        )


def _of(first: int, last: int) -> Used:
    return frozenset(range(first, last))
