"""Errors in a program's text with their position, and the repairs made in it."""

from utils.errors import CragError

_WINDOW = 60  # characters shown on either side of the place
_LONGEST_FRAGMENT = 40  # characters of the text that are shown in a repair's sentence


class QuerySyntaxError(CragError):
    """A text is not a program of the query language.

    Attributes:
        message: the error, in one sentence without a full stop.
        offset: of its place in the text, in characters.
    """

    kind = "statement not understood"

    def __init__(self, text: str, offset: int, message: str) -> None:
        self.message = message
        self.offset = offset
        line_number = text.count("\n", 0, offset) + 1
        line_start = text.rfind("\n", 0, offset) + 1
        line = text[line_start:].partition("\n")[0]
        column = offset - line_start
        excerpt, caret = _excerpt(line, column)
        super().__init__(
            f"line {line_number}, column {column + 1}: {message}\n{excerpt}\n{' ' * caret}^"
        )


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """The part of a line around a column, and the position of that column in it."""
    first = max(column - _WINDOW, 0)
    last = column + _WINDOW
    before = "..." if first else ""
    after = "..." if last < len(line) else ""
    part = "".join(char if char.isprintable() else " " for char in line[first:last])
    return f"{before}{part}{after}", len(before) + column - first


class RepairLog:
    """The repairs made in a text: a sentence for each, once and in order, with its offset."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}  # by sentence

    def add(self, offset: int, template: str, *fragments: str) -> None:
        """Record a repair; `template` has a `{}` for each fragment of the text."""
        sentence = template.format(*map(_shortened, fragments))
        self.offsets.setdefault(sentence, offset)


def _shortened(fragment: str) -> str:
    text = " ".join(fragment.split())
    if len(text) <= _LONGEST_FRAGMENT:
        return text
    return f"{text[: _LONGEST_FRAGMENT - 3]}..."
