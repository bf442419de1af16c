"""The lexicon: English wordings of the schema's functions and keys, from `lexicon/*.toml`.

A relation is a call and the key that it reads: it maps things of one type to values of another. Its
types, parameters and units come from the schema (`models/kg/schema/table/`); the lexicon adds
phrases and the conditions that they imply.
"""

import re
import tomllib
from calendar import day_name, month_name
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

from models.kg.lexicon.matching import GAP, Stemmer
from models.kg.lexicon.named_functions import FOLDER, functions
from models.kg.lexicon.relations import Relation, Row, relations_of
from models.records import Domain
from utils.text import FUNCTION_WORDS, words

_SHORTEST_MISSPELT = 5  # letters
_LETTERS = re.compile(rf"[^\W\d_]{{{_SHORTEST_MISSPELT},}}")


@dataclass(frozen=True, slots=True)
class Adjective:
    """Comparing words and the key that they compare: "older" means the minimum date of birth."""

    phrases: tuple[str, ...]
    keys: tuple[str, ...]
    operator: str


def _reads(relation: Relation, keys: Iterable[str]) -> bool:
    own = relation.id.partition(":")[0].partition("=")[0]
    return any(own == key or own.endswith(f".{key}") for key in keys)


class Lexicon:
    """All tables of a folder of TOML files."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.files = {
            file.stem: tomllib.loads(file.read_text(encoding="utf-8"))
            for file in sorted(folder.glob("*.toml"))
        }
        self.general = general = self.files["general"]
        self.stemmer = Stemmer(general["irregular"])
        self.operators: Mapping[str, list[str]] = general["operators"]
        self.types: dict[str, list[str]] = {}
        for file in self.files.values():
            self.types |= file.get("types", {})
        self.question: Mapping[str, list[str]] = general["question"]
        self.filler: list[str] = general["filler"]["words"]
        self.lacking = frozenset(general["lacking"]["words"])
        self.blocking = self.lacking.union(general["blocking"]["words"])
        self.not_names = frozenset(self.files["finance"]["not_names"]["words"].split())
        files = [file for file in self.files.values() if "domain" in file]
        self.values: dict[str, Row] = {}
        self.adjectives: list[Adjective] = []
        self._listed: dict[str, list[str]] = {"lower_is_more": [], "signed": []}
        self.relations: list[Relation] = []
        for file in files:
            self.values |= file.get("values", {})
            for name, keys in self._listed.items():
                keys += file.get(name, ())
            self.adjectives += [
                Adjective(tuple(a["phrases"]), tuple(a["keys"]), a["operator"])
                for a in file.get("adjective", ())
            ]
            domain = Domain(file["domain"])
            self.relations += relations_of(domain, file, functions().rows, self.types)
        self._anchors: dict[str, tuple[str, ...]] = {}
        self._adjectives: dict[str, list[Adjective]] = {}
        self.facts: dict[str, tuple[str, ...]] = {
            fact["name"]: tuple(fact["phrases"]) for fact in self.files["open"]["fact"]
        }
        self.of_source: dict[str, list[Relation]] = {}
        for relation in self.relations:
            self.of_source.setdefault(relation.source, []).append(relation)

    @cached_property
    def phrases(self) -> list[str]:
        """All phrases of the lexicon."""
        found = [phrase for relation in self.relations for phrase in relation.phrases]
        found += [phrase for each in self.facts.values() for phrase in each]
        found += [phrase for each in self.operators.values() for phrase in each]
        found += [phrase for adjective in self.adjectives for phrase in adjective.phrases]
        return list(dict.fromkeys(found))

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """The phrases of all values that can filter rows."""
        tables = (t for file in self.files.values() for t in file.get("filters", {}).values())
        return tuple(p for table in tables for said in table.values() for p in said)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of any phrase, and function words."""
        texts = [*self.phrases, *self.filler, *(w for each in self.types.values() for w in each)]
        texts += (phrase for relation in self.relations for phrase in relation.context)
        found = (word for text in texts for word in words(text.replace(GAP, " ")))
        return FUNCTION_WORDS.union(found)

    def corrected(self, text: str) -> str:
        """The text without misspellings of the lexicon's words."""
        return _LETTERS.sub(lambda match: self._spelled(match[0]), text)

    @lru_cache(maxsize=4096)  # noqa: B019 - one lexicon a process
    def _spelled(self, word: str) -> str:
        """The word of the lexicon that differs in one letter, or in the order of two, if the word
        is not English and there is only one; else the word itself."""
        if word in self._english:
            return word
        near = process.extract(word.lower(), self._spellings, scorer=OSA.distance, score_cutoff=1)
        stems = {self.stemmer.stem(found): found for found, _, _ in near}
        return stems.popitem()[1] if len(stems) == 1 else word

    def knows(self, word: str) -> bool:
        """Whether a word is in the dictionary or the lexicon, or is not all letters."""
        return not word.isalpha() or word in self._english or word in self.vocabulary

    @cached_property
    def _english(self) -> SpellChecker:
        return SpellChecker()

    @cached_property
    def _spellings(self) -> list[str]:
        times = (*month_name, *day_name, *self.question["times"])
        words = self.vocabulary.union(*(name.lower().split() for name in times))
        return sorted(word for word in words if len(word) >= _SHORTEST_MISSPELT)

    def adjectives_of(self, relation: Relation) -> list[Adjective]:
        if relation.id not in self._adjectives:
            found = [a for a in self.adjectives if _reads(relation, a.keys)]
            self._adjectives[relation.id] = found
        return self._adjectives[relation.id]

    def lower_is_more(self, relation: Relation) -> bool:
        """Whether "more" means a lower value: a brighter star has a lower magnitude."""
        return _reads(relation, self._listed["lower_is_more"])

    def signed(self, relation: Relation) -> bool:
        """Whether its values may be negative."""
        return _reads(relation, self._listed["signed"])

    def anchors(self, relation: Relation) -> tuple[str, ...]:
        """The phrases that name a relation, including those that compare by it."""
        if relation.id not in self._anchors:
            more = (phrase for a in self.adjectives_of(relation) for phrase in a.phrases)
            self._anchors[relation.id] = (*relation.phrases, *more)
        return self._anchors[relation.id]

    def domains_of(self, source: str) -> frozenset[str]:
        """The domains with relations of things of a type."""
        return frozenset(r.id.partition(".")[0] for r in self.of_source.get(source, ()))

    @lru_cache(maxsize=32)  # noqa: B019 - one lexicon a process
    def cues(self, source: str) -> frozenset[str]:
        """The cue words of questions about things of a type."""
        domains = self.domains_of(source)
        texts = [*self.filler, *(p for each in self.operators.values() for p in each)]
        for relation in self.relations:
            if relation.id.partition(".")[0] in domains:
                texts += (*relation.phrases, *relation.context, *self.types[relation.source])
        if source == "thing":
            texts += [*self.types["thing"], *(p for each in self.facts.values() for p in each)]
        texts += (phrase for adjective in self.adjectives for phrase in adjective.phrases)
        return frozenset(word for text in texts for word in words(text.replace(GAP, " ")))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The project's own lexicon."""
    return Lexicon()
