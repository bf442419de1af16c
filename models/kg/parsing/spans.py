"""The spans of a question: KG entities, times, numbers, operators; they may overlap."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from models.kg.english.companies import find_companies
from models.kg.english.names import (
    ARTISTS,
    ENTITIES,
    FILM_PEOPLE,
    MOVIES,
    SONGS,
    Mention,
    NameFinder,
    NameSearch,
)
from models.kg.english.teams import Sport, find_leagues, find_teams
from models.kg.execution.fetch.open import facts
from models.kg.lexicon.matching import Positions
from models.kg.parsing.sentence import ORDINAL_WORDS, Sentence, indices
from utils.text import FUNCTION_WORDS, find_run, words

SEARCHES: dict[str, NameSearch] = {
    "movie": MOVIES,
    "person": FILM_PEOPLE,
    "musician": ARTISTS,
    "song": SONGS,
    "thing": ENTITIES,
}
SUMMARY = "summary_text"
WHOLE_NAME = 0.95  # the least score of a name that is neither misspelled nor said only in part
_TEAMS = {Sport.SOCCER: "soccer team", Sport.NBA: "nba team"}
_MAY_BE_CUES = ("movie", "song", "thing")  # types whose names may be cue words
_FIRST = re.compile(r"\.\s(?=[A-Z])")  # the end of the first sentence
_MOST_DESCRIBED = 3  # pages that are read for a description
_LONGEST_SERIES = 5  # words
_DESCRIBED = 0.95  # the score of an entity that is described, not named


@dataclass(frozen=True, slots=True)
class Thing:
    """A KG entity, by its own name, as named in the question, and where.

    `doubtful`: its name consists of cue words; `score`: the similarity of the names.
    """

    type: str
    name: str
    said: str
    used: Positions
    doubtful: bool = False
    score: float = 1.0

    @property
    def label(self) -> str:
        """Its name in answers: as in the question, if that is its name."""
        return self.said if self.score == 1.0 else self.name


@dataclass
class Spans(Sentence):
    """The spans of one question, including KG entities; each search is made once.

    Raises:
        ApiError: a search of the KG failed.
        DeadlineExceeded: there was no time for one.
    """

    names: NameFinder

    @cached_property
    def things(self) -> list[Thing]:
        found: list[Thing] = []
        for kind, search in SEARCHES.items():
            if not self._asks_of(kind):
                continue
            mentions = self.names.standing(self.asked, search, cues=self.lexicon.cues(kind))
            if kind in _MAY_BE_CUES or not mentions:
                every = self.names.standing(self.asked, search)
                mentions += [mention for mention in every if mention not in mentions]
            found += [self._thing(kind, mention) for mention in mentions]
        found += self._described(frozenset().union(*(t.used for t in found if t.type == "thing")))
        found += self._companies()
        for sport, kind in _TEAMS.items():
            for team in find_teams(self.asked, sport, self.lexicon.cues(kind)):
                used = indices(team.span.first, team.span.last)
                found.append(Thing(kind, team.name, self.asked.spelled(team.span), used))
        for year, used in self.years:
            found.append(Thing("year", str(year), str(year), used))
            found.append(Thing("grammy year", str(year), str(year), self.with_ceremony(used)))
        if self._asks_of("number"):
            found += [Thing("number", str(n), str(n), used) for n, used in self.numbers]
        found += self._series()
        return list(dict.fromkeys(found))

    @cached_property
    def leagues(self) -> list[tuple[str, Positions]]:
        found = [each for each in find_leagues(self.asked) if each.name]
        return [(each.name, indices(each.span.first, each.span.last)) for each in found]

    def alone(self, kind: str, used: Positions) -> bool:
        """Whether no further thing of a type is named in full beside the words `used`."""
        alike = (t for t in self.things if t.type == kind and t.score >= WHOLE_NAME)
        return all(t.doubtful or t.used & used for t in alike)

    def page(self, name: str) -> dict[str, Any]:
        """The facts of an open-domain entity."""
        (page,) = self.names.call_many([("/open/get_entity", name)])
        return facts(page, name)

    def entity(self, text: str, of: str) -> str | None:
        """The open-domain entity that a value of the entity `of` names: "Austin", of Texas, may be
        "Austin, Texas"."""
        found, names = self.names.search(ENTITIES, text), (words(text), words(f"{text} {of}"))
        return next((name for name in found if words(name) in names), None)

    def _asks_of(self, kind: str) -> bool:
        """Whether the question names a relation of this type's domain; only then it is searched."""
        return kind == "thing" or not self._domains.isdisjoint(self.lexicon.domains_of(kind))

    @cached_property
    def _domains(self) -> frozenset[str]:
        """The domains of the relations that the question names."""
        match, found = self.match, set[str]()
        for relation in self.lexicon.relations:
            domain = relation.id.partition(".")[0]
            phrases = self.lexicon.anchors(relation)
            if domain not in found and match.find(phrases):
                found.add(domain)
        return frozenset(found)

    def _described(self, taken: Positions) -> list[Thing]:
        """Entities described by the first sentence of their pages: "the capital of Ohio"."""
        free, found = self.lexicon.cues("thing"), list[Thing]()
        for of in (i for i, word in enumerate(self.words) if word == "of" and i):
            last = of + 1
            while last < len(self.words) and (self.words[last] not in free or last == of + 1):
                last += 1
            used = indices(of - 1, last)
            wanted = {self.stems[i] for i in used & self.content}
            if used & taken or len(wanted) < 2:
                continue
            said = self.said(used)
            for name in self.names.search(ENTITIES, said)[:_MOST_DESCRIBED]:
                start = _FIRST.split(str(self.page(name).get(SUMMARY, "")), 1)[0]
                if wanted <= set(map(self.lexicon.stemmer.stem, words(start))):
                    found.append(Thing("thing", name, said, used, score=_DESCRIBED))
        return found

    def _companies(self) -> list[Thing]:
        if not self._asks_of("company"):
            return []
        rest = self.asked.without(time.span for time, _ in self.times)
        at = {id(word): i for i, word in enumerate(self.asked.words)}
        cues, ordinary = self.lexicon.cues("company"), self.lexicon.not_names
        found = []
        for each in find_companies(rest, self.names, cues, ordinary):
            span = rest.words[each.span.first : each.span.last]
            used = frozenset(at[id(word)] for word in span)
            found.append(Thing("company", each.name, each.label, used, each.doubtful, each.score))
        return found

    def _series(self) -> list[Thing]:
        """The words before "franchise" or "movies", if they are in several titles."""
        asked, found = self.lexicon.question, list[Thing]()
        several = bool(self.ordinals or set(asked["each"]) & set(self.words))
        free = FUNCTION_WORDS.union(self.lexicon.cues("movie"), ORDINAL_WORDS)
        for last in (min(used) for used in self.match.find(self.lexicon.types["series"])):
            if self.words[last] in asked["one"] and not several:
                continue
            for first in range(max(0, last - _LONGEST_SERIES), last):
                name = self.words[first:last]
                if name[0] in FUNCTION_WORDS or free.issuperset(name):
                    continue
                said, joined = " ".join(name), "".join(name)  # the KG's search knows "spiderman"
                titles = {t for n in (said, joined) for t in self.names.search(MOVIES, n)}
                if sum(find_run(name, words(title)) >= 0 for title in titles) > 1:
                    found.append(Thing("series", said, said, indices(first, last)))
                    break
        return found

    def _thing(self, kind: str, mention: Mention) -> Thing:
        used = indices(mention.span.first, mention.span.last)
        free = FUNCTION_WORDS | self.lexicon.cues(kind)
        doubtful = all(self.words[i] in free for i in used)
        said = self.asked.spelled(mention.span)
        return Thing(kind, mention.name, said, used, doubtful, mention.score)
