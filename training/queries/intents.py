"""What can be asked, and how: program patterns over the schema's table, each with its wordings.

Patterns of one name are made from the rows of the query language's table, whatever keys it has;
those of other shapes, and all English, stand in `english.toml`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from models.kg.language.printer import quoted
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import Function, Key, Type
from models.records import Domain
from training.queries.tables import EnglishTable, Templates, english_table, pool_table

_LABELS = 2  # names of a key that questions use
_VERBS = frozenset({"released", "born", "formed", "founded", "starring", "won", "win", "is winner"})
_PLACE = re.compile(r"\{(\w+)\}")
_BARE = frozenset({"year", "reduce", "part", "label", "word", "asked", "key", "rank"})
_ORDERED = (Type.NUMBER, Type.DATE, Type.YEAR)
_KIND_BEFORE_NAME = {"song": "song ", "artist": "musician "}  # by pool


@dataclass(frozen=True, slots=True)
class QuestionWording:
    """One English template; `held_out` ones are for measuring only."""

    text: str
    held_out: bool

    def filled(self, **values: str) -> "QuestionWording":
        """The template with `values` in the places of their names."""
        text = _PLACE.sub(lambda place: values.get(place[1], place[0]), self.text)
        return QuestionWording(text, self.held_out)


@dataclass(frozen=True, slots=True)
class Intent:
    """One program pattern: a program with places, and the pools whose draws fill them."""

    name: str
    domain: Domain
    program: str
    draw: tuple[str, ...]
    wordings: tuple[QuestionWording, ...]

    def fill(self, values: Mapping[str, str]) -> str:
        """The program with `values` in its places: names in quotes, numbers and words bare."""

        def filling(place: re.Match[str]) -> str:
            name = place[1]
            in_quotes = self.program[: place.start()].endswith('"')
            return values[name] if name in _BARE or in_quotes else quoted(values[name])

        return _PLACE.sub(filling, self.program)


def ask(wording: QuestionWording, values: Mapping[str, str]) -> str:
    """The question that a wording makes of `values`."""
    return _PLACE.sub(lambda place: values[place[1]], wording.text)


def held_out(question: str) -> bool:
    """Whether `question` is in a held-out wording, even if a model or a person wrote it."""
    bare = question.strip().rstrip("?.!").lower()
    return any(pattern.fullmatch(bare) for pattern in _held_out_patterns())


@cache
def _held_out_patterns() -> tuple[re.Pattern[str], ...]:
    texts: set[str] = set()
    for intent in intents():
        texts.update(wording.text for wording in intent.wordings if wording.held_out)
    patterns = []
    for text in sorted(texts):
        marked = _PLACE.sub("\0", text.rstrip("?.!"))
        between_places = map(re.escape, marked.split("\0"))
        pattern = ".+".join(between_places)
        patterns.append(re.compile(pattern))
    return tuple(patterns)


@cache
def intents() -> tuple[Intent, ...]:
    """All program patterns: those of the table, then those of `english.toml`."""
    english = english_table()
    patterns = list(_table_intents(english))
    infobox_program = 'get_open({name})["{key}"]'
    infobox_wordings = _wordings(english.frames["value"])
    patterns.append(Intent("open", Domain.OPEN, infobox_program, ("open",), infobox_wordings))
    for row in english.intent:
        patterns.append(Intent(row.program, row.domain, row.program, row.draw, _wordings(row)))
    return tuple(patterns)


@dataclass(frozen=True, slots=True)
class _NamedKey:
    """A key of a function that takes one name, and the pool of these names."""

    row: Function
    key: Key
    pool: str

    @property
    def name(self) -> str:
        return f"{self.row.domain}.{self.row.name}.{self.key.name}"

    @property
    def place(self) -> str:
        """The place of the name in a program or a template."""
        return f"{{{self.pool}}}"

    @property
    def call(self) -> str:
        """The program that looks the key up."""
        return f"{self.row.name}({self.place})[{quoted(self.key.name)}]"

    @property
    def kind(self) -> str:
        """The word before a name that tells functions with the same label apart: "the release date
        of X" is a film's, "the release date of the song X" a song's."""
        if self.pool == "team":
            return "the last game of " if "last" in self.row.name else "the next game of "
        return _KIND_BEFORE_NAME.get(self.pool, "")

    @property
    def labels(self) -> tuple[str, ...]:
        """What questions call the key: its label, then its names in the lexicon, then the schema's
        synonyms, two at most."""
        synonyms = [synonym.replace("_", " ") for synonym in self.key.synonyms]
        labels: list[str] = []
        for name in (self.key.spoken, *synonyms):
            label = name.lower()
            if name not in _VERBS and label not in labels:
                labels.append(label)
        return tuple(labels[:_LABELS])


@dataclass(frozen=True, slots=True)
class _Purpose:
    """One way to ask for a key.

    Attributes:
        name: "count", "compare", or empty for the value itself.
        frame: its templates in `english.toml`.
        draw: the pools that fill its places.
    """

    name: str
    frame: str
    program: str
    draw: tuple[str, ...]


def _table_intents(english: EnglishTable) -> Iterator[Intent]:
    """The patterns of every key of the functions that take one name."""
    named_keys = list(_named_keys(english.unasked))
    owners: Counter[tuple[str, str, str]] = Counter()
    for named_key in named_keys:
        owners.update((named_key.pool, named_key.kind, label) for label in named_key.labels)
    for named_key in named_keys:
        labels = [
            label
            for label in named_key.labels  # without those that other keys share
            if owners[named_key.pool, named_key.kind, label] == 1
        ]
        for purpose in _purposes(named_key):
            yield _key_intent(named_key, purpose, labels, english)


def _named_keys(unasked: frozenset[str]) -> Iterator[_NamedKey]:
    """The keys that are asked for, in the order of the table."""
    for row in functions().rows:
        pool = pool_table().named.get(f"{row.domain}.{row.name}")
        if pool is None:
            continue
        for key in row.keys:
            named_key = _NamedKey(row, key, pool)
            if not key.hidden and key.name not in unasked and named_key.name not in unasked:
                yield named_key


def _purposes(named_key: _NamedKey) -> Iterator[_Purpose]:
    """The ways to ask for a key, by its type."""
    key = named_key.key
    call = named_key.call
    pool = named_key.pool
    if key.type is Type.LIST:
        yield _Purpose("", "all", call, (pool,))
        yield _Purpose("count", "count", f'{call}["len"]', (pool,))
    else:
        yield _Purpose("", "value", call, (pool,))
    if key.type in _ORDERED and pool != "team":
        other_call = call.replace(named_key.place, "{other}")
        frame = "compare" if key.type is Type.NUMBER else "later"
        yield _Purpose("compare", frame, f"{call}; {other_call}", (pool, f"{pool} other"))


def _key_intent(
    named_key: _NamedKey, purpose: _Purpose, labels: Sequence[str], english: EnglishTable
) -> Intent:
    name = f"{named_key.name} {purpose.name}".strip()
    wordings: list[QuestionWording] = []
    for templates in english.own:
        if templates.key == name:
            wordings += [each.filled(name=named_key.place) for each in _wordings(templates)]
    frame = _wordings(english.frames[purpose.frame])
    full_name = named_key.kind + named_key.place
    other_name = f"{named_key.kind}{{other}}"
    for label in labels:
        wordings += [each.filled(label=label, name=full_name, other=other_name) for each in frame]
    return Intent(name, named_key.row.domain, purpose.program, purpose.draw, tuple(wordings))


def _wordings(templates: Templates) -> tuple[QuestionWording, ...]:
    train = [QuestionWording(text, held_out=False) for text in templates.train]
    measuring = [QuestionWording(text, held_out=True) for text in templates.held_out]
    return (*train, *measuring)
