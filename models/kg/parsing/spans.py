"""The spans of a question: KG entities, times, numbers, operators; they may overlap."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from models.kg.execution.fetch.open import facts
from models.kg.lexicon.positions import Positions, positions_of, union_of
from models.kg.lexicon.types import (
    COMPANY,
    GRAMMY_YEAR,
    MOVIE,
    MUSICIAN,
    NBA_TEAM,
    NUMBER,
    OPEN_ENTITY,
    PERSON,
    SERIES,
    SOCCER_TEAM,
    SONG,
    YEAR,
    ThingType,
)
from models.kg.names.companies import find_companies
from models.kg.names.finder import (
    ARTISTS,
    ENTITIES,
    FILM_PEOPLE,
    MOVIES,
    SONGS,
    Mention,
    NameFinder,
    NameSearch,
)
from models.kg.names.teams import Sport, find_leagues, find_teams
from models.kg.parsing.text_spans import ORDINAL_WORDS, TextSpans
from models.kg.parsing.titles import editions_in, pages_about
from utils.text import FUNCTION_WORDS, find_run, words

SEARCHES: dict[ThingType, NameSearch] = {
    MOVIE: MOVIES,
    PERSON: FILM_PEOPLE,
    MUSICIAN: ARTISTS,
    SONG: SONGS,
    OPEN_ENTITY: ENTITIES,
}
SUMMARY = "summary_text"
WHOLE_NAME = 0.95  # the least score of a name that is neither misspelled nor given only in part
_TEAMS = {Sport.SOCCER: SOCCER_TEAM, Sport.NBA: NBA_TEAM}
_END_OF_SENTENCE = re.compile(r"\.\s(?=[A-Z])")
_MOST_DESCRIBED = 3  # pages that are read for a description
_LONGEST_SERIES = 5  # words
_DESCRIBED = 0.95  # the score of an entity that is described, not named
_SEASON = "season"
_MONTH_AFTER_SEASONS = 7  # sports seasons end by June, and are named after that year


@dataclass(frozen=True, slots=True)
class Thing:
    """A KG entity, year or number that the question names.

    Attributes:
        name: the KG's own name.
        mention: as the question names it.
        positions: the words that name it.
        doubtful: these words are cue words, which may mean something else.
        score: the similarity of the two names, 1 for the same.
        partial: these words are only a part of the name.
    """

    type: ThingType
    name: str
    mention: str
    positions: Positions
    doubtful: bool = False
    score: float = 1.0
    partial: bool = False

    @property
    def label(self) -> str:
        """Its name in answers: as in the question, if that is its name."""
        return self.mention if self.score == 1.0 else self.name


@dataclass
class Spans(TextSpans):
    """The spans of one question, including KG entities; each search is made once.

    Raises:
        ApiError: a search of the KG failed.
        DeadlineExceeded: there was no time for one.
    """

    names: NameFinder

    @cached_property
    def things(self) -> list[Thing]:
        """Everything that the question may be about."""
        things: list[Thing] = []
        for kind in SEARCHES:
            if self._concerns_domain_of(kind):
                things += self._named_entities(kind)
        things += self._described_entities(
            union_of(thing.positions for thing in things if thing.type == OPEN_ENTITY)
        )
        things += self._titled_in_parts()
        things += self._companies()
        things += self._teams()
        for year, positions in self.years:
            things.append(Thing(YEAR, str(year), str(year), positions))
            with_ceremony = self.with_ceremony(positions)
            things.append(Thing(GRAMMY_YEAR, str(year), str(year), with_ceremony))
        if self._concerns_domain_of(NUMBER):
            for number, positions in self.numbers:
                things.append(Thing(NUMBER, str(number), str(number), positions))
            for place in self.match.find(self.lexicon.question_words.top_rank):
                things.append(Thing(NUMBER, "1", self.text_of(place), place))
        titles = [thing.positions for thing in things if thing.type == MOVIE]
        things += self._series()
        things += self._series_of_titles(titles)
        return list(dict.fromkeys(things))

    @cached_property
    def leagues(self) -> list[tuple[str, Positions]]:
        """The soccer leagues of the KG that the question names."""
        return [
            (mention.name, positions_of(mention.span.first, mention.span.end))
            for mention in find_leagues(self.question)
            if mention.name
        ]

    def names_no_other(self, kind: ThingType, positions: Positions) -> bool:
        """Whether no further thing of a type is named in full beside the words `positions`."""
        for thing in self.things:
            if thing.type == kind and thing.score >= WHOLE_NAME:
                if not thing.doubtful and not thing.positions.meets(positions):
                    return False
        return True

    def facts_of(self, name: str) -> dict[str, Any]:
        """The facts of an open-domain entity."""
        (page,) = self.names.call_many([("/open/get_entity", name)])
        return facts(page, name)

    def entity(self, text: str, of: str) -> str | None:
        """The open-domain entity that a value of the entity `of` names: "Austin", of Texas, may be
        "Austin, Texas"."""
        wanted = (words(text), words(f"{text} {of}"))
        for name in self.names.search(ENTITIES, text):
            if words(name) in wanted:
                return name
        return None

    def _concerns_domain_of(self, kind: ThingType) -> bool:
        """Whether the question names a relation of this type's domain; only then it is searched."""
        return kind == OPEN_ENTITY or not self._domains.isdisjoint(self.lexicon.domains_of(kind))

    @cached_property
    def _domains(self) -> frozenset[str]:
        """The domains of the relations that the question names."""
        domains: set[str] = set()
        for relation in self.lexicon.relations:
            phrases = self.lexicon.phrases_naming(relation)
            if relation.domain not in domains and self.match.find(phrases):
                domains.add(relation.domain)
        return frozenset(domains)

    def _named_entities(self, kind: ThingType) -> list[Thing]:
        """The entities of a type that the API's search finds in the question."""
        search = SEARCHES[kind]
        mentions = self.names.mentions_in(self.question, search, cues=self.lexicon.cues(kind))
        if kind.may_be_cue_words or not mentions:
            with_cue_words = self.names.mentions_in(self.question, search)
            mentions += [mention for mention in with_cue_words if mention not in mentions]
        return [self._thing(kind, mention) for mention in mentions]

    def _thing(self, kind: ThingType, mention: Mention) -> Thing:
        positions = positions_of(mention.span.first, mention.span.end)
        idle_words = self.lexicon.idle_words(kind)
        doubtful = all(self.words[i] in idle_words for i in positions)
        text = self.question.spelled(mention.span)
        return Thing(kind, mention.name, text, positions, doubtful, mention.score, mention.partial)

    def _described_entities(self, taken: Positions) -> Iterator[Thing]:
        """Entities described by the first sentence of their pages: "the capital of Ohio"."""
        for of_position, word in enumerate(self.words):
            if word != "of" or of_position == 0:
                continue
            end = self._end_of_description(of_position)
            positions = positions_of(of_position - 1, end)
            stems = {self.stems[i] for i in positions & self.content}
            if positions.meets(taken) or len(stems) < 2:
                continue
            text = self.text_of(positions)
            for name in self.names.search(ENTITIES, text)[:_MOST_DESCRIBED]:
                if stems <= self._stems_of_first_sentence(name):
                    yield Thing(OPEN_ENTITY, name, text, positions, score=_DESCRIBED)

    def _end_of_description(self, of_position: int) -> int:
        """The end of the name behind "of": before the next cue word, but not the first word."""
        cue_words = self.lexicon.cues(OPEN_ENTITY)
        start = of_position + 1
        end = start
        while end < len(self.words) and (end == start or self.words[end] not in cue_words):
            end += 1
        return end

    def _stems_of_first_sentence(self, name: str) -> set[str]:
        summary = str(self.facts_of(name).get(SUMMARY, ""))
        sentence = _END_OF_SENTENCE.split(summary, maxsplit=1)[0]
        return set(map(self.lexicon.stemmer.stem, words(sentence)))

    def _titled_in_parts(self) -> Iterator[Thing]:
        """The editions of events in the years of the question, and pages with more about a thing,
        if it asks for what stands there."""
        idle_words = self.lexicon.idle_words(OPEN_ENTITY)
        for year, positions in self._edition_years():
            names = self.names.search(ENTITIES, f"{year} {self._text_of_content}")
            if _SEASON in self.words:
                season = f"{year - 1}-{year % 100:02} {self._text_of_content}"
                names += self.names.search(ENTITIES, season)
            for title in editions_in(
                names,
                self.words,
                year,
                endings=self.lexicon.edition_endings,
                idle_words=idle_words,
            ):
                yield self._titled(title.name, title.positions | positions)
        for page in self.lexicon.pages:
            if self.match.find(page.phrases):
                query = page.title.replace("{}", self._text_of_content)
                names = self.names.search(ENTITIES, query)
                for title in pages_about(names, self.words, page.title):
                    yield self._titled(title.name, title.positions)

    def _titled(self, name: str, positions: Positions) -> Thing:
        return Thing(OPEN_ENTITY, name, self.text_of(positions), positions, score=_DESCRIBED)

    @cached_property
    def _text_of_content(self) -> str:
        return self.text_of(self.content - self.time_words)

    def _edition_years(self) -> Iterator[tuple[int, Positions]]:
        """The years of the question, as written or relative to its own time: "last year"."""
        yield from self.years
        written = union_of(positions for _, positions in self.years)
        for time, positions in self.times:
            if time.year is not None and not positions.meets(written):
                yield time.year, positions
        now = self.question.asked_at
        for place in self.match.find(self.lexicon.question_words.last_season):
            if now is not None:
                has_ended_this_year = now.month >= _MONTH_AFTER_SEASONS
                yield (now.year if has_ended_this_year else now.year - 1), place

    def _companies(self) -> list[Thing]:
        if not self._concerns_domain_of(COMPANY):
            return []
        rest = self.question.without(time.span for time, _ in self.times)
        position_of_word = {id(word): i for i, word in enumerate(self.question.words)}
        cues = self.lexicon.cues(COMPANY)
        companies: list[Thing] = []
        for company in find_companies(
            rest, self.names, cues, self.lexicon.not_names, self.lexicon.is_english
        ):
            span = rest.words[company.span.first : company.span.end]
            positions = Positions(position_of_word[id(word)] for word in span)
            companies.append(
                Thing(
                    COMPANY,
                    company.name,
                    company.mention,
                    positions,
                    company.doubtful,
                    company.score,
                    company.partial,
                )
            )
        return companies

    def _teams(self) -> Iterator[Thing]:
        for sport, kind in _TEAMS.items():
            for team in find_teams(self.question, sport, self.lexicon.cues(kind)):
                positions = positions_of(team.span.first, team.span.end)
                yield Thing(kind, team.name, self.question.spelled(team.span), positions)

    def _series(self) -> list[Thing]:
        """The words before "franchise" or "movies", if they are in several titles."""
        cues = self.lexicon.question_words
        names_several = bool(self.ordinals) or not set(cues.each_work).isdisjoint(self.words)
        series: list[Thing] = []
        for place in self.match.find(self.lexicon.types[SERIES]):
            end = place.first
            if self.words[end] in cues.single_work and not names_several:
                continue
            start = self._start_of_series(end)
            if start is not None:
                positions = positions_of(start, end)
                name = self.text_of(positions)
                series.append(Thing(SERIES, name, name, positions))
        return series

    def _series_of_titles(self, titles: list[Positions]) -> Iterator[Thing]:
        """The titles that are in several titles, if the question is about series: "which has more
        sequels, Rocky or Rambo?"."""
        if not any(
            self.words[place.first] not in self._words_for_films
            for place in self.match.find(self.lexicon.types[SERIES])
        ):
            return
        for positions in dict.fromkeys(titles):
            name = [self.words[i] for i in sorted(positions)]
            if self._is_in_several_titles(name):
                yield Thing(SERIES, " ".join(name), " ".join(name), positions)

    @cached_property
    def _words_for_films(self) -> frozenset[str]:
        """The words for one film, and their plurals."""
        one = self.lexicon.question_words.single_work
        return frozenset(one).union(f"{word}s" for word in one)

    def _start_of_series(self, end: int) -> int | None:
        """Where the longest name of a series begins that ends before `end`; None without any."""
        idle_words = self.lexicon.idle_words(MOVIE).union(ORDINAL_WORDS)
        for start in range(max(0, end - _LONGEST_SERIES), end):
            name = self.words[start:end]
            if name[0] in FUNCTION_WORDS or idle_words.issuperset(name):
                continue
            if self._is_in_several_titles(name):
                return start
        return None

    def _is_in_several_titles(self, name: list[str]) -> bool:
        titles: set[str] = set()
        for query in (" ".join(name), "".join(name)):  # the KG's search knows "spiderman"
            titles.update(self.names.search(MOVIES, query))
        containing = [title for title in titles if find_run(name, words(title)) >= 0]
        return len(containing) > 1
