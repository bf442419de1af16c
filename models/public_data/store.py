"""Stores entities and their facts in one SQLite file, and finds an entity by its name."""

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rapidfuzz import fuzz, process

from models.public_data.sources import PublicFact
from models.records import Domain
from utils.errors import InputError
from utils.text import content_words, words

VERSION = 1
_SIMILAR = 88.0  # of 100; names with a lower similarity differ
_MOST_ENTITIES = 5  # with the same name
_SHORTEST_PART = 5  # characters of a name that may match inside a longer one
_NUMBER = re.compile(r"\w*\d\w*|[ivx]+")
_Key = tuple[Domain, str]
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


class NameMatch(StrEnum):
    """How a name was matched, the strictest first (db3, section 2.3)."""

    EXACT = "exact"
    SUBSTRING = "substring"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True)
class Found:
    """An entity and its facts."""

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
    entities: dict[_Key, tuple[int, set[str]]] = {}
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


def _insert(
    db: sqlite3.Connection, fact: PublicFact, entities: dict[_Key, tuple[int, set[str]]]
) -> None:
    if not fact.value:
        return
    key = (fact.domain, _plain(fact.entity))
    if key not in entities:
        entities[key] = (len(entities), set())
        row = (entities[key][0], fact.domain, key[1], fact.names[0])
        db.execute("INSERT INTO entity VALUES (?, ?, ?, ?)", row)
    number, known = entities[key]
    new = {_plain(name) for name in fact.names} - {""} - known
    known |= new
    rows = [(fact.domain, name, number) for name in new]
    db.executemany("INSERT INTO name VALUES (?, ?, ?)", rows)
    db.execute("INSERT INTO fact VALUES (?, ?)", (number, fact.sentence))


class PublicData:
    """The facts of a file written by `build`; safe to read from several threads."""

    def __init__(self, file: Path) -> None:
        """Open `file`.

        Raises:
            InputError: it does not exist, or has another version.
        """
        try:
            self._db = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True,
                                       check_same_thread=False)  # fmt: skip
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            raise InputError(f"{file}: no public data ({error}); make it with "
                             "`python -m models.public_data build`") from error  # fmt: skip
        if version != VERSION:
            raise InputError(f"{file}: of version {version}, not {VERSION}; build it again")
        rows = self._db.execute("SELECT DISTINCT domain, folded FROM name ORDER BY 1, 2")
        self._names: dict[str, list[str]] = {}
        for domain, folded in rows:
            self._names.setdefault(domain, []).append(folded)

    def find(self, domain: Domain, name: str) -> list[Found]:
        """The entities called `name`: by exact match, else by names that contain it or that it
        contains, else the most similar ones. Names with different numbers or years never match."""
        folded = _plain(name)
        names = self._names.get(domain, [])
        if exact := self._entities(domain, [folded], NameMatch.EXACT):
            return exact
        if part := [n for n in names if _holds(n, folded)]:
            part.sort(key=lambda n: abs(len(n) - len(folded)))  # the nearest first
            return self._entities(domain, part, NameMatch.SUBSTRING)
        like = process.extract(
            folded, names, scorer=fuzz.ratio, score_cutoff=_SIMILAR, limit=len(names)
        )
        same = [other for other, *_ in like if _numbers(other) == _numbers(folded)]
        return self._entities(domain, same[:1], NameMatch.SIMILAR)

    def standing_in(self, domain: Domain, text: str) -> list[str]:
        """The names of entities that occur verbatim in `text`, longest first and not nested: entity
        linking without an LLM.

        A name that is a single English word counts only if `text` capitalises it inside a sentence,
        since most such names are common words, too.
        """
        said = words(text)
        capital = _written_as_names(text)
        taken: set[int] = set()
        found: list[str] = []
        known = set(self._names.get(domain, []))
        for size in range(len(said), 0, -1):
            for start in range(len(said) - size + 1):
                span = range(start, start + size)
                name = " ".join(said[start : start + size])
                if name not in known or taken & set(span):
                    continue
                meaning = content_words(name)
                if len(meaning) > 1 or meaning and meaning[0] in capital:
                    found.append(name)
                    taken |= set(span)
        return found

    def _entities(self, domain: Domain, names: Sequence[str], match: NameMatch) -> list[Found]:
        said: dict[tuple[int, str], dict[str, None]] = {}
        for folded in names:
            rows = self._db.execute(
                "SELECT entity.id, entity.name, sentence FROM name "
                "JOIN entity ON entity.id = name.entity JOIN fact ON fact.entity = entity.id "
                "WHERE name.domain = ? AND name.folded = ?", (domain, folded),
            )  # fmt: skip
            for number, name, sentence in rows:
                said.setdefault((number, name), {})[sentence] = None
        found = [Found(name, match, tuple(sentences)) for (_, name), sentences in said.items()]
        return found[:_MOST_ENTITIES]


def _holds(one: str, other: str) -> bool:
    """Whether one name contains the other, which is not too short, as whole words."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_PART and f" {short} " in f" {long} "


def _numbers(name: str) -> list[str]:
    """The words of a folded name that contain digits or are roman numerals."""
    return [word for word in name.split() if _NUMBER.fullmatch(word)]


def _written_as_names(text: str) -> set[str]:
    """The capitalised words after the first one, folded."""
    if text.isupper():
        return set()
    tokens = [token for token in text.split()[1:] if token != token.lower()]
    return {word for token in tokens for word in words(token)}


def _plain(name: str) -> str:
    return " ".join(words(name))
