"""What can be asked, and how: program patterns over the schema's table, each with its wordings.

Patterns of one name are made from the rows of the query language's table, whatever keys it has;
those of other shapes, and all English, stand in `english.toml`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from models.kg.language.printer import quoted
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import Function, Key, Type
from models.records import Domain
from training.queries.facts import ENGLISH, POOLS, read_table

_LABELS = 2  # names of a key that questions use
_VERBS = frozenset({"released", "born", "formed", "founded", "starring", "won", "win", "is winner"})
_PLACE = re.compile(r"\{(\w+)\}")
_BARE = frozenset({"year", "reduce", "part", "label", "word", "asked", "key", "rank"})
_ORDERED = (Type.NUMBER, Type.DATE, Type.YEAR)


@dataclass(frozen=True, slots=True)
class Wording:
    """One English template; `held_out` ones are for measuring only."""

    text: str
    held_out: bool

    def filled(self, **values: str) -> "Wording":
        """The template with `values` in the places of their names."""
        text = _PLACE.sub(lambda place: values.get(place[1], place[0]), self.text)
        return Wording(text, self.held_out)


@dataclass(frozen=True, slots=True)
class Intent:
    """One program pattern: a program with places, and the pools whose draws fill them."""

    name: str
    domain: Domain
    program: str
    draw: tuple[str, ...]
    wordings: tuple[Wording, ...]

    def fill(self, values: Mapping[str, str]) -> str:
        """The program with `values` in its places: names in quotes, numbers and words bare."""

        def put(place: re.Match[str]) -> str:
            name = place[1]
            inside = self.program[: place.start()].endswith('"')
            return values[name] if name in _BARE or inside else quoted(values[name])

        return _PLACE.sub(put, self.program)


Frames = Mapping[str, tuple[Wording, ...]]  # wordings by name


def ask(wording: Wording, values: Mapping[str, str]) -> str:
    """The question that a wording makes of `values`."""
    return _PLACE.sub(lambda place: values[place[1]], wording.text)


def held_out(question: str) -> bool:
    """Whether `question` is in a held-out wording, even if a model or a person wrote it."""
    plain = question.strip().rstrip("?.!").lower()
    return any(pattern.fullmatch(plain) for pattern in _held_out_patterns())


@cache
def _held_out_patterns() -> tuple[re.Pattern[str], ...]:
    texts = {w.text for intent in intents() for w in intent.wordings if w.held_out}
    return tuple(
        re.compile(".+".join(map(re.escape, _PLACE.sub("\0", text.rstrip("?.!")).split("\0"))))
        for text in sorted(texts)
    )


@cache
def intents() -> tuple[Intent, ...]:
    """All program patterns: those of the table, then those of `english.toml`."""
    english = read_table(ENGLISH)
    frames = {name: _wordings(frame) for name, frame in english["frames"].items()}
    own = {row["key"]: _wordings(row) for row in english["own"]}
    made = list(_of_table(frames, own, frozenset(english["unasked"])))
    program = 'get_open({name})["{key}"]'
    made.append(Intent("open", Domain.OPEN, program, ("open",), frames["value"]))
    for row in english["intent"]:
        program, draw = row["program"], tuple(row["draw"])
        made.append(Intent(program, Domain(row["domain"]), program, draw, _wordings(row)))
    return tuple(made)


def _of_table(frames: Frames, own: Frames, unasked: frozenset[str]) -> Iterator[Intent]:
    """The patterns of every key of the functions that take one name; `own` are wordings by key."""
    named = read_table(POOLS)["named"]
    asked = [
        (row, key, pool)
        for row in functions().rows
        if (pool := named.get(f"{row.domain}.{row.name}"))
        for key in row.keys
        if not key.hidden and not {key.name, f"{row.domain}.{row.name}.{key.name}"} & unasked
    ]
    owners = Counter(
        (pool, _kind(row, pool), label) for row, key, pool in asked for label in _labels(key)
    )
    for row, key, pool in asked:
        labels = [label for label in _labels(key) if owners[pool, _kind(row, pool), label] == 1]
        yield from _of_key(row, key, labels, pool, frames, own)


def _of_key(
    row: Function, key: Key, labels: Sequence[str], pool: str, frames: Frames, own: Frames
) -> Iterator[Intent]:
    name = f"{row.domain}.{row.name}.{key.name}"
    place, kind = f"{{{pool}}}", _kind(row, pool)
    call = f"{row.name}({place})[{quoted(key.name)}]"

    def made(frame: str, program: str, what: str = "", other: tuple[str, ...] = ()) -> Intent:
        full = f"{name} {what}".strip()
        wordings = [one.filled(name=place) for one in own.get(full, ())]
        for label in labels:
            values = {"label": label, "name": kind + place, "other": f"{kind}{{other}}"}
            wordings += [one.filled(**values) for one in frames[frame]]
        return Intent(full, row.domain, program, (pool, *other), tuple(wordings))

    if key.type is Type.LIST:
        yield made("all", call)
        yield made("count", f'{call}["len"]', "count")
    else:
        yield made("value", call)
    if key.type in _ORDERED and pool != "team":
        other = call.replace(place, "{other}")
        frame = "compare" if key.type is Type.NUMBER else "later"
        yield made(frame, f"{call}; {other}", "compare", (f"{pool} other",))


def _kind(row: Function, pool: str) -> str:
    """The word before a name that tells functions with the same label apart: "the release date of
    X" is a film's, "the release date of the song X" a song's."""
    game = "the last game of " if "last" in row.name else "the next game of "
    return {"song": "song ", "artist": "musician ", "team": game}.get(pool, "")


def _labels(key: Key) -> tuple[str, ...]:
    """What questions call a key: its label, then its names in the lexicon, then the schema's
    synonyms, two at most; no label that other keys share is used."""
    spoken = (key.spoken, *(synonym.replace("_", " ") for synonym in key.synonyms))
    names = dict.fromkeys(word.lower() for word in spoken if word not in _VERBS)
    return tuple(names)[:_LABELS]


def _wordings(row: Mapping[str, Any]) -> tuple[Wording, ...]:
    return tuple(
        Wording(str(text), kind == "held_out")
        for kind in ("train", "held_out")
        for text in row.get(kind, ())
    )
