"""From the words of a question to the one thing in the KG that they name."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from utils.deadline import Deadline
from utils.text import FUNCTION_WORDS, find_run, words

# Words that say what kind of thing is named, and so need no further explanation.
KIND_WORDS = frozenset(
    """
    actor actress album animated artist band business club company corporation date entity film
    filmmaker firm game group league match motion movie musician name named nba person picture
    season show singer soccer song star stock songs team title titled track
    """.split()
)


_POSSESSIVE = re.compile(r"(?:'s|\u2019s|(?<=s)'|(?<=s)\u2019)(?=\W*$)")


class Client(Protocol):
    """The one method of `utils.crag_api.CragClient` that look-ups need."""

    def call(self, endpoint: str, /, *, deadline: Deadline, **params: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a linker sees it.

    `filler` are the words that need no explanation besides the name: they ask for the attribute.
    """

    text: str
    at: datetime | None
    filler: frozenset[str] = frozenset()

    def without(self, start: int, end: int) -> "Asked":
        """The same less a stretch of its text that is explained."""
        return Asked(f"{self.text[:start]} {self.text[end:]}", self.at, self.filler)

    def also(self, filler: frozenset[str]) -> "Asked":
        return Asked(self.text, self.at, self.filler | filler)

    def unexplained(self, question_words: Sequence[str]) -> list[str]:
        """Those of `question_words` that still need a thing to explain them."""
        done = FUNCTION_WORDS | KIND_WORDS | self.filler
        return [word for word in question_words if word not in done]

    def mention(self) -> str:
        """The question's words that need explaining, spelled as they are there, accents and all."""
        parts = (_POSSESSIVE.sub("", part) for part in self.text.split())
        return " ".join(part for part in parts if self.unexplained(words(part)))


@dataclass(frozen=True, slots=True)
class Linked:
    """A thing of the KG: its name there, and what is known of it so far."""

    name: str
    record: Any


Linker = Callable[[Asked, Client, Deadline], list[Linked]]


def named(candidates: Sequence[tuple[str, Any]], asked: Asked) -> list[Linked]:
    """The candidates whose names explain every word of the question that needs explaining.

    A name must stand in the question word for word. Of several the longest wins; equal ones all
    stay.
    """
    asked_words = words(asked.text)
    found: list[tuple[int, Linked]] = []
    for name, record in candidates:
        run = words(name)
        start = find_run(run, asked_words)
        if start < 0 or not _names(run, start, asked_words):
            continue
        if not asked.unexplained(asked_words[:start] + asked_words[start + len(run) :]):
            found.append((len(run), Linked(name, record)))
    longest = max((length for length, _ in found), default=0)
    return [linked for length, linked in found if length == longest]


def _names(run: list[str], start: int, asked_words: list[str]) -> bool:
    """Whether a run of words is a name: not of function words alone, unless several of them end
    the question."""
    if set(run) - FUNCTION_WORDS - KIND_WORDS:
        return True
    return len(run) > 1 and start + len(run) == len(asked_words)


def searcher(endpoint: str, name_of: Callable[[Any], str]) -> Linker:
    """A linker over a fuzzy search of the API, for what needs explaining and for the whole."""

    def link(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
        queries = (asked.mention(), asked.text)
        hits: list[Any] = []
        for query in dict.fromkeys(queries):
            hits += (client.call(endpoint, deadline=deadline, query=query) or []) if query else []
        found = named([(name_of(hit), hit) for hit in hits if name_of(hit)], asked)
        return [linked for index, linked in enumerate(found) if linked not in found[:index]]

    return link


def text_key(name: str) -> Callable[[Any], str]:
    """Reads a text out of a record of a search; empty where it has none."""
    return lambda hit: str(hit.get(name) or "") if isinstance(hit, dict) else ""
