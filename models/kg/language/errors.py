"""Errors in a program's text with their position, and the repairs made in it."""

from utils.errors import CragError

_WINDOW = 60  # characters shown on either side of the place


class QuerySyntaxError(CragError):
    """A text is not a program of the query language.

    Attributes:
        message: the error, in one sentence without a full stop.
    """

    kind = "statement not understood"

    def __init__(self, text: str, offset: int, message: str) -> None:
        self.message = message
        start = text.rfind("\n", 0, offset) + 1
        line, column = text[start:].partition("\n")[0], offset - start
        first, last = max(column - _WINDOW, 0), column + _WINDOW
        before, after = "..." if first else "", "..." if last < len(line) else ""
        shown = "".join(c if c.isprintable() else " " for c in line[first:last])
        super().__init__(
            f"line {text.count(chr(10), 0, offset) + 1}, column {column + 1}: {message}\n"
            f"{before}{shown}{after}\n{' ' * (len(before) + column - first)}^"
        )


class Notes:
    """The repairs made, each once and in order: a sentence, and its place in the text."""

    def __init__(self) -> None:
        self.told: dict[str, int] = {}

    def tell(self, at: int, template: str, *about: str) -> None:
        self.told.setdefault(template.format(*map(_shortened, about)), at)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."
