"""The lexicon: English wordings of the schema's functions and keys, from the files beside it.

A relation is a call and the key that it reads: it maps things of one type to values of another. Its
types, parameters and units come from the schema (`models/kg/schema/table/`); the lexicon adds
phrases and the conditions that they imply.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

from models.english.calendar_words import MONTH_NAMES, WEEKDAY_NAMES
from models.kg.lexicon.files import AdjectiveRow, Phrases, read_domains, read_general
from models.kg.lexicon.matching import GAP, Stemmer
from models.kg.lexicon.named_functions import FOLDER, functions
from models.kg.lexicon.relations import Relation, relations_of
from models.kg.lexicon.types import OPEN_ENTITY, ThingType
from utils.text import FUNCTION_WORDS, words

_SHORTEST_MISSPELT = 5  # letters
_LETTERS = re.compile(rf"[^\W\d_]{{{_SHORTEST_MISSPELT},}}")


class Lexicon:
    """All files of a folder.

    Raises:
        SettingsError: a file has an unknown or misspelt field.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.general = read_general(folder)
        self.domains = read_domains(folder)
        self.stemmer = Stemmer(self.general.irregular)
        self.operators = self.general.operators
        self.question_words = self.general.question
        self.filler = self.general.filler.words
        self.lacking = frozenset(self.general.lacking.words)
        self.vetoing_words = self.lacking.union(self.general.blocking.words)
        self.not_names = frozenset(self.domains["finance"].not_names.words.split())
        self.page_context = self.domains["open"].context["thing"]
        self.date_facts = self.domains["open"].dates
        self.pages = self.domains["open"].page
        self.things_of_facts = self.domains["open"].things_of_facts
        self.facts_of_people = self.domains["open"].facts_of_people
        self.champion_words = self.domains["open"].champion_words
        self.honour_words = self.domains["open"].honour_words
        self.edition_endings = frozenset(self.domains["open"].edition_endings)
        self.facts = {fact.name: fact.phrases for fact in self.domains["open"].fact}
        self.types = self._words_of_types()
        self.values: dict[str, Mapping[str, Phrases]] = {}
        self.filters: dict[str, Mapping[str, Phrases]] = {}
        self.adjectives: list[AdjectiveRow] = []
        self.relations: list[Relation] = []
        for file in self.domains.values():
            self.values |= file.values
            self.filters |= file.filters
            self.adjectives += file.adjective
            self.relations += relations_of(file, functions().rows, self.types)
        self.relations_of_type: dict[ThingType, list[Relation]] = {}
        for relation in self.relations:
            self.relations_of_type.setdefault(relation.source, []).append(relation)
        self._lower_is_more: list[str] = []
        self._signed: list[str] = []
        for file in self.domains.values():
            self._lower_is_more += file.lower_is_more
            self._signed += file.signed
        self._anchors: dict[str, Phrases] = {}
        self._adjectives: dict[str, list[AdjectiveRow]] = {}

    def _words_of_types(self) -> dict[str, Phrases]:
        """The words for each type of thing or value; of two files, the last by name counts."""
        words_of_types: dict[str, Phrases] = {}
        tables = {name: file.types for name, file in self.domains.items()}
        tables["general"] = self.general.types
        for name in sorted(tables):
            words_of_types |= tables[name]
        return words_of_types

    @cached_property
    def phrases(self) -> list[str]:
        """All phrases of the lexicon."""
        phrases: list[str] = []
        for relation in self.relations:
            phrases += relation.wording.phrases
        for group in (*self.facts.values(), *self.operators.values()):
            phrases += group
        for adjective in self.adjectives:
            phrases += adjective.phrases
        return list(dict.fromkeys(phrases))

    @cached_property
    def filter_phrases(self) -> Phrases:
        """The phrases of all values that can filter rows."""
        phrases: list[str] = []
        for table in self.filters.values():
            for of_value in table.values():
                phrases += of_value
        return tuple(phrases)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of any phrase, and function words."""
        phrases = [*self.phrases, *self.filler]
        for of_type in self.types.values():
            phrases += of_type
        for relation in self.relations:
            phrases += relation.wording.context
        return FUNCTION_WORDS | _words_of(phrases)

    def corrected(self, text: str) -> str:
        """The text without misspellings of the lexicon's words."""
        return _LETTERS.sub(lambda match: self._spelled(match[0]), text)

    @lru_cache(maxsize=4096)  # noqa: B019 - one lexicon a process
    def _spelled(self, word: str) -> str:
        """The word of the lexicon that differs in one letter, or in the order of two, if the word
        is not English and there is only one; else the word itself."""
        near = process.extract(word.lower(), self._spellings, scorer=OSA.distance, score_cutoff=1)
        spellings = {self.stemmer.stem(spelling): spelling for spelling, _, _ in near}
        if len(spellings) != 1 or word.lower() in self.vocabulary or word in self._english:
            return word
        return spellings.popitem()[1]

    def is_english(self, word: str) -> bool:
        """Whether the dictionary has a word."""
        return word in self._english

    @lru_cache(maxsize=4096)  # noqa: B019 - one lexicon a process
    def near_spellings(self, word: str) -> str:
        """The texts that differ from a word in one letter, or in the order of two; none for a word
        that the lexicon knows, or a short one."""
        if len(word) < _SHORTEST_MISSPELT or self.knows(word):
            return ""
        return " ".join(sorted(self._english.edit_distance_1(word)))

    def knows(self, word: str) -> bool:
        """Whether a word is in the dictionary or the lexicon, or is not all letters."""
        return not word.isalpha() or word in self._english or word in self.vocabulary

    @cached_property
    def _english(self) -> SpellChecker:
        return SpellChecker()

    @cached_property
    def _spellings(self) -> list[str]:
        known = self.vocabulary.union(MONTH_NAMES, WEEKDAY_NAMES, self.question_words.time_words)
        return sorted(word for word in known if len(word) >= _SHORTEST_MISSPELT)

    def adjectives_of(self, relation: Relation) -> list[AdjectiveRow]:
        """The comparing words of a relation's key."""
        if relation.id not in self._adjectives:
            names = relation.key_names
            rows = [row for row in self.adjectives if not names.isdisjoint(row.keys)]
            self._adjectives[relation.id] = rows
        return self._adjectives[relation.id]

    def lower_is_more(self, relation: Relation) -> bool:
        """Whether "more" means a lower value: a brighter star has a lower magnitude."""
        return relation.reads_one_of(self._lower_is_more)

    def signed(self, relation: Relation) -> bool:
        """Whether its values may be negative."""
        return relation.reads_one_of(self._signed)

    def phrases_naming(self, relation: Relation) -> Phrases:
        """The phrases that name a relation, including those that compare by it."""
        if relation.id not in self._anchors:
            phrases = list(relation.wording.phrases)
            for adjective in self.adjectives_of(relation):
                phrases += adjective.phrases
            self._anchors[relation.id] = tuple(phrases)
        return self._anchors[relation.id]

    def domains_of(self, source: ThingType) -> frozenset[str]:
        """The domains with relations of things of a type."""
        return frozenset(relation.domain for relation in self.relations_of_type.get(source, ()))

    @lru_cache(maxsize=32)  # noqa: B019 - one lexicon a process
    def cues(self, source: ThingType) -> frozenset[str]:
        """The cue words of questions about things of a type."""
        domains = self.domains_of(source)
        phrases = list(self.filler)
        for of_operator in self.operators.values():
            phrases += of_operator
        for relation in self.relations:
            if relation.domain in domains:
                phrases += relation.wording.phrases
                phrases += relation.wording.context
                phrases += self.types[relation.source]
        if source == OPEN_ENTITY:
            phrases += self.types[OPEN_ENTITY]
            for of_fact in self.facts.values():
                phrases += of_fact
        for adjective in self.adjectives:
            phrases += adjective.phrases
        return _words_of(phrases)

    @lru_cache(maxsize=32)  # noqa: B019 - one lexicon a process
    def idle_words(self, source: ThingType) -> frozenset[str]:
        """The cue words of questions about things of a type, and function words: what may stand
        beside a name without being part of one."""
        return FUNCTION_WORDS | self.cues(source)


def _words_of(phrases: Iterable[str]) -> frozenset[str]:
    """The folded words of phrases, without gaps."""
    found: set[str] = set()
    for phrase in set(phrases):
        found.update(words(phrase.replace(GAP, " ")))
    return frozenset(found)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The project's own lexicon."""
    return Lexicon()
