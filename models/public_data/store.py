"""Stores entities and their facts in one SQLite file, and finds an entity by its name."""

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from rapidfuzz import fuzz, process

from models.public_data.sources import PublicFact
from models.records import Domain
from utils.errors import InputError
from utils.text import content_words, words

VERSION = 1
_LEAST_SIMILARITY = 88.0  # of 100, for two spellings of one name
_MOST_ENTITIES = 5  # with the same name
_SHORTEST_PART = 5  # characters of a name that may match inside a longer one
_NUMBER = re.compile(r"\w*\d\w*|[ivx]+")  # digits, or a roman numeral
_SCHEMA = """
PRAGMA user_version = {version};
CREATE TABLE entity (id INTEGER PRIMARY KEY, domain TEXT, key TEXT, name TEXT);
CREATE TABLE name (domain TEXT, folded TEXT, entity INTEGER REFERENCES entity);
CREATE TABLE fact (entity INTEGER REFERENCES entity, sentence TEXT);
"""
_INDICES = """
CREATE INDEX name_folded ON name (domain, folded);
CREATE INDEX fact_entity ON fact (entity);
"""
_FACTS_OF_NAME = """
SELECT entity.id, entity.name, sentence FROM name
JOIN entity ON entity.id = name.entity
JOIN fact ON fact.entity = entity.id
WHERE name.domain = ? AND name.folded = ?
"""


class NameMatch(StrEnum):
    """How a name was matched, the strictest first (db3, section 2.3)."""

    EXACT = "exact"
    SUBSTRING = "substring"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True)
class Found:
    """An entity and its facts.

    Attributes:
        name: the entity's main name.
        match: how the requested name matched one of its names.
        sentences: its facts in words.
    """

    name: str
    match: NameMatch
    sentences: tuple[str, ...]


def build(facts: Iterable[PublicFact], out: Path) -> int:
    """Write `facts` into the SQLite file `out`, which is created atomically.

    Returns:
        The number of entities.

    Raises:
        InputError: `out` cannot be written.
    """
    partial = out.with_name(out.name + ".partial")
    entities: dict[tuple[Domain, str], _StoredEntity] = {}
    try:
        partial.unlink(missing_ok=True)
        with closing(sqlite3.connect(partial)) as db:
            db.executescript(_SCHEMA.format(version=VERSION))
            for fact in facts:
                _insert(db, fact, entities)
            db.executescript(_INDICES)
        partial.replace(out)
    except (sqlite3.Error, OSError) as error:
        raise InputError(f"{out}: cannot be written ({error})") from error
    finally:
        partial.unlink(missing_ok=True)
    return len(entities)


@dataclass(frozen=True, slots=True)
class _StoredEntity:
    """An entity that `build` has inserted: its number and its folded names."""

    number: int
    names: set[str] = field(default_factory=set)


def _insert(
    db: sqlite3.Connection,
    fact: PublicFact,
    entities: dict[tuple[Domain, str], _StoredEntity],
) -> None:
    """Insert a fact, and its entity and names if they are new; a fact without value is skipped."""
    if not fact.value:
        return
    folded_key = _folded(fact.entity)
    entity = entities.get((fact.domain, folded_key))
    if entity is None:
        entity = _StoredEntity(len(entities))
        entities[fact.domain, folded_key] = entity
        row = (entity.number, fact.domain, folded_key, fact.names[0])
        db.execute("INSERT INTO entity VALUES (?, ?, ?, ?)", row)
    new_names = {_folded(name) for name in fact.names} - {""} - entity.names
    entity.names.update(new_names)
    rows = [(fact.domain, name, entity.number) for name in new_names]
    db.executemany("INSERT INTO name VALUES (?, ?, ?)", rows)
    db.execute("INSERT INTO fact VALUES (?, ?)", (entity.number, fact.sentence))


class PublicData:
    """The facts of a file written by `build`; safe to read from several threads."""

    def __init__(self, file: Path) -> None:
        """Open `file`.

        Raises:
            InputError: the file does not exist, or has another version.
        """
        read_only = f"{file.resolve().as_uri()}?mode=ro"
        try:
            self._db = sqlite3.connect(read_only, uri=True, check_same_thread=False)
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            raise InputError(
                f"{file}: no public data ({error}); make it with `crag public-data build`"
            ) from error
        if version != VERSION:
            raise InputError(f"{file}: of version {version}, not {VERSION}; build it again")
        rows = self._db.execute("SELECT DISTINCT domain, folded FROM name ORDER BY 1, 2")
        self._names: dict[str, list[str]] = {}
        for domain, folded in rows:
            self._names.setdefault(domain, []).append(folded)

    def find(self, domain: Domain, name: str) -> list[Found]:
        """The entities called `name`, of the strictest kind of match that finds any.

        The kinds are: an exact match, a name that contains the other one, a similar name. Similar
        names with different numbers or years never match.
        """
        folded = _folded(name)
        names = self._names.get(domain, [])
        exact = self._entities(domain, [folded], NameMatch.EXACT)
        if exact:
            return exact
        substrings = [other for other in names if _contains(other, folded)]
        if substrings:
            substrings.sort(key=lambda other: abs(len(other) - len(folded)))
            return self._entities(domain, substrings, NameMatch.SUBSTRING)
        similar = process.extract(
            folded, names, scorer=fuzz.ratio, score_cutoff=_LEAST_SIMILARITY, limit=len(names)
        )
        numbers = _numbers(folded)
        same_numbers = [other for other, *_ in similar if _numbers(other) == numbers]
        return self._entities(domain, same_numbers[:1], NameMatch.SIMILAR)

    def names_in(self, domain: Domain, text: str) -> list[str]:
        """The names of entities that occur verbatim in `text`, longest first, without overlaps.

        This links entities without an LLM. A name with a single content word counts only if `text`
        capitalises this word inside a sentence, since most such names are common words, too.
        """
        text_words = words(text)
        capitalised = _capitalised_words(text)
        known_names = set(self._names.get(domain, []))
        used_positions: set[int] = set()
        matches: list[str] = []
        for size in range(len(text_words), 0, -1):
            for start in range(len(text_words) - size + 1):
                name = " ".join(text_words[start : start + size])
                if name not in known_names:
                    continue
                positions = set(range(start, start + size))
                if used_positions & positions:
                    continue
                content = content_words(name)
                if len(content) > 1 or (content and content[0] in capitalised):
                    matches.append(name)
                    used_positions |= positions
        return matches

    def _entities(self, domain: Domain, names: Sequence[str], match: NameMatch) -> list[Found]:
        """The first entities of any of these folded names."""
        # The values are ordered sets: two names of an entity have the same facts.
        sentences_by_entity: dict[tuple[int, str], dict[str, None]] = {}
        for folded in names:
            for number, name, sentence in self._db.execute(_FACTS_OF_NAME, (domain, folded)):
                sentences_by_entity.setdefault((number, name), {})[sentence] = None
        entities = [
            Found(name, match, tuple(sentences))
            for (_, name), sentences in sentences_by_entity.items()
        ]
        return entities[:_MOST_ENTITIES]


def _contains(one: str, other: str) -> bool:
    """Whether one name contains the other, which is not too short, as whole words."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_PART and f" {short} " in f" {long} "


def _numbers(name: str) -> list[str]:
    """The words of a folded name that contain digits or are roman numerals."""
    return [word for word in name.split() if _NUMBER.fullmatch(word)]


def _capitalised_words(text: str) -> set[str]:
    """The capitalised words after the first one, folded; none if all of `text` is capitalised."""
    if text.isupper():
        return set()
    capitalised: set[str] = set()
    for token in text.split()[1:]:
        if token != token.lower():
            capitalised.update(words(token))
    return capitalised


def _folded(name: str) -> str:
    """A name without case, accents and punctuation, by which names are compared."""
    return " ".join(words(name))
