"""Errors in a program's text with their position, and the repairs made in it."""

from enum import StrEnum

from utils.errors import CragError

_WINDOW = 60  # characters shown on either side of the place


class Problem(StrEnum):
    """The kinds of errors, each as its message."""

    UNEXPECTED = 'unexpected "{}"'
    ENDS = "the program ends too early"
    QUOTE = "the quotation mark is never closed"
    FUNCTION = 'unknown function "{}"{}'
    KEY = 'unknown key "{}"{}'
    TWICE = "{} is given twice"
    ORDER = "conditions stand last, after all other arguments"
    MANY = "{} takes no more than {} before its conditions"
    CONSTANT = '"{}" is written {}, or in quotes if it is a text'
    NUMBER = "the number is too large"
    COUNT = "a count is a whole number from 1"
    LONG = "the text is longer than {} characters"
    DEEP = "brackets are nested too deep"


class Repair(StrEnum):
    """The kinds of repairs, each as the sentence that reports it."""

    CHARACTER = "the character {} was read as {}"
    QUOTE = "a missing quotation mark was put after {}"
    MISMATCH = "the quotation marks around {} are of two kinds"
    INNER_QUOTE = "quotation marks within {} were kept as part of it"
    COMMA = "a missing comma was put before {}"
    OPENED = 'a missing "{}" was put before {}'
    CLOSED = 'a missing "{}" was put at the end of {}'
    STRAY = 'a "{}" that closes nothing was left out'
    CHATTER = "words that are no program were left out: {}"
    JOINED = "a bracket on a line of its own was joined to the line before"
    SEPARATED = "statements on one line were separated"
    FUNCTION = '"{}" was read as the function {}'
    KEY = 'the key "{}" was read as "{}"'
    OPERATOR = 'the condition "{}" was read as {}'
    PREFIX = '"{}" was read as {}'
    CONSTANT = '"{}" was read as {}'
    QUOTED = "missing quotation marks were put around {}"
    COMPARISON = "the comparison {} was written as a condition"
    KEYWORD = 'the argument called "{}" was put in its place'
    DOT = 'the key after a dot, "{}", was put in brackets'
    FIRST = "[0] was left out: the first is what is given anyway"
    SLICE = "{} was read as {}"
    EMPTY = "an empty argument was left out"
    AND = "conditions joined by {} were made a list"
    SORT = "the order of the sort, {}, was written as {}"
    WRAPPED = "{} around a call was left out"
    ORDER = "conditions were put last"
    SWAPPED = "the arguments of {} were put in their order"
    SORTED = "what was inside a sort was put before it"


class Notes:
    """The repairs made, in order, without duplicates."""

    def __init__(self) -> None:
        self._told: dict[str, Repair] = {}

    def tell(self, repair: Repair, *about: str) -> None:
        self._told.setdefault(repair.format(*(shortened(word) for word in about)), repair)

    def sentences(self) -> tuple[str, ...]:
        return tuple(str(sentence) for sentence in self._told)


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."


class QuerySyntaxError(CragError):
    """A text is not a program of the query language.

    Attributes:
        message: the error, in one sentence without a full stop.
        line, column: its position, counted from 1.
        expected: what would be valid there, in plain words; empty if that does not apply.
        excerpt: the line, or the part of it around the position, with a caret below.
    """

    kind = "statement not understood"

    def __init__(
        self, text: str, offset: int, message: str, expected: tuple[str, ...] = ()
    ) -> None:
        offset = min(max(offset, 0), len(text))
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        line = text[start : end if end >= 0 else len(text)]
        self.message = message
        self.expected = expected
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - start + 1
        self.excerpt = _excerpt(line, offset - start)
        wanted = f"; expected {_either(expected)}" if expected else ""
        super().__init__(
            f"line {self.line}, column {self.column}: {message}{wanted}\n{self.excerpt}"
        )


def _excerpt(line: str, column: int) -> str:
    first, last = max(column - _WINDOW, 0), column + _WINDOW
    before = "..." if first else ""
    after = "..." if last < len(line) else ""
    shown = "".join(c if c.isprintable() else " " for c in line[first:last])
    return f"{before}{shown}{after}\n{' ' * (len(before) + column - first)}^"


def _either(words: tuple[str, ...]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
