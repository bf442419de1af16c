"""What can be asked of one thing in the KG: how English asks for it, and how to read it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from models.kg.linking import Linker
from models.records import Domain
from utils.text import FUNCTION_WORDS

Read = Callable[[Any], str | None]


class Says(StrEnum):
    """What kind of thing an attribute's value is: the question's own word must ask for that."""

    PERSON = "person"  # or a team, a band, a company: whoever "who" may mean
    PLACE = "place"
    NUMBER = "number"
    OTHER = "other"


# "when" is left out: as often as not it joins two clauses.
_ASKED_WITH = {"who": Says.PERSON, "whom": Says.PERSON, "where": Says.PLACE, "many": Says.NUMBER}
Ask = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of one kind of thing.

    Attributes:
        asks: ways in which English asks for it. A way is groups of words, one word of each of which
            must stand in the question, in any order.
        may: further words that may then stand there without asking for something else.
        says: what kind of thing the value is.
        link: finds the thing.
        read: reads its record; None where the KG does not know.
        endpoint: where there is one, it takes the thing's name, and `read` reads what it gives.
    """

    domain: Domain
    name: str
    asks: tuple[Ask, ...]
    link: Linker
    read: Read
    endpoint: str | None = None
    may: frozenset[str] = field(default=frozenset())
    says: Says = Says.OTHER

    def asked_by(self, question_words: Sequence[str]) -> frozenset[str] | None:
        """The words of a question that ask for this attribute, and those that may go with them.

        None where it is not asked for: no way of asking stands there, one stands there twice ("the
        film directed by the director of"), or the question wants another kind of thing.
        """
        have = set(question_words)
        if any(word in have and self.says is not says for word, says in _ASKED_WITH.items()):
            return None
        ways = [way for way in self.asks if all(group & have for group in way)]
        if any(len(group & have - FUNCTION_WORDS) > 1 for way in ways for group in way):
            return None
        groups = [group for way in ways for group in way]
        return self.may.union(*groups) if ways else None


def ask(*ways: str) -> tuple[Ask, ...]:
    """Ways of asking, each written as "word/word word/word": groups apart, their words by "/"."""
    return tuple(tuple(frozenset(group.split("/")) for group in way.split()) for way in ways)


def may(text: str) -> frozenset[str]:
    return frozenset(text.split())


def plain(value: Any) -> str | None:
    """A text, a number or a list of them as one text; None for what is empty."""
    if isinstance(value, list):
        value = ", ".join(dict.fromkeys(str(item) for item in value if item))
    return str(value) if value not in (None, "") else None


def key(name: str) -> Read:
    """Reads one key of a record."""
    return lambda record: plain(record.get(name))


def number(template: str, name: str | None = None, *, zero: bool = True) -> Read:
    """Reads a number, the record itself or its key `name`, into `template`; `zero` False: the KG
    writes 0 where it does not know."""

    def read(record: Any) -> str | None:
        value = record if name is None else record.get(name)
        if not isinstance(value, (int, float)) or not (value or zero):
            return None
        return template.format(value)

    return read
