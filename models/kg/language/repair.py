"""What models get wrong in a program is mended here, nowhere else, and each repair is told.

Only a text that does not parse is mended. The result is a text again, which must then parse:
nothing is accepted here that the language does not know. `repair_text.py` settles characters and
brackets, `repair_arguments.py` what is between a call's brackets, and this file the statements.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from models.kg.language.ast import Reduce
from models.kg.language.builder import CONSTANTS
from models.kg.language.functions import REDUCTIONS, Functions, Keys
from models.kg.language.repair_arguments import Arguments, Piece, is_mark, joined, opens
from models.kg.language.repair_text import (
    Group,
    Grouping,
    Kind,
    Node,
    Notes,
    Repair,
    Word,
    words_of,
)

_REDUCE_WORDS = MappingProxyType(
    {
        **dict.fromkeys(("avg", "average", "mean"), Reduce.AVG),
        **dict.fromkeys(("sum", "total"), Reduce.SUM),
        **dict.fromkeys(("min", "minimum", "lowest"), Reduce.MIN),
        **dict.fromkeys(("max", "maximum", "highest"), Reduce.MAX),
        **dict.fromkeys(("len", "length", "count"), Reduce.LEN),
    }
)
_ALL_WORDS = frozenset({"all", "every"})
_WRAPPERS = frozenset({"print", "list", "str", "set"})
_MOST_PREFIXES = 3  # "AVG", "ALL," and "ALL"
_MOST_DIGITS = 5  # of a place in a list
_SORT_WORDS = frozenset({"sort", "sorted", "order_by"})


@dataclass(frozen=True, slots=True)
class Mended:
    """A text with its repairs; it could not be mended where `repairs` is empty."""

    statements: tuple[list[Piece], ...] = ()
    repairs: tuple[str, ...] = ()

    @property
    def pieces(self) -> list[Piece]:
        return joined(self.statements, "; ")

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def texts(self) -> list[str]:
        """Each statement's text."""
        return ["".join(piece.text for piece in pieces) for pieces in self.statements]

    def origin(self, offset: int) -> int:
        """The place in the text given of a place in the mended one."""
        for piece in self.pieces:
            if offset < len(piece.text):
                return piece.at + offset * piece.verbatim
            offset -= len(piece.text)
        return self.pieces[-1].at if self.pieces else 0


def mend(text: str, table: Functions, deepest: int) -> Mended:
    """`text` as the program that was meant, as far as can be told."""
    notes = Notes()
    nodes = Grouping(table, deepest, notes).nodes(words_of(text, notes))
    if nodes is None:
        return Mended()
    statements = _Mender(text, table, notes).program(nodes)
    return Mended(tuple(statements), notes.sentences()) if statements else Mended()


class _Mender:
    """Writes one program again, by what its words seem to mean."""

    def __init__(self, text: str, table: Functions, notes: Notes) -> None:
        self._table = table
        self._notes = notes
        self._arguments = Arguments(text, table, notes, self)
        self._sorted_keys = self._last_keys = table.all_keys

    def program(self, nodes: list[Node]) -> list[list[Piece]]:
        return [found for line in self._lines(nodes) for found in self._statements(line)]

    def _lines(self, nodes: list[Node]) -> Iterator[list[Node]]:
        """The nodes between ends of lines and ";", but for brackets that go on with a call."""
        line: list[Node] = []
        ended = False
        for node in nodes:
            if isinstance(node, Word) and node.kind is Kind.END:
                ended = True
                continue
            if ended and line and opens(node, "[") and isinstance(line[-1], Group):
                self._notes.tell(Repair.JOINED)
            elif ended and line:
                yield line
                line = []
            ended = False
            line.append(node)
        if line:
            yield line

    def _statements(self, line: list[Node]) -> list[list[Piece]]:
        """The statements of one line; what is between them is chatter."""
        found: list[list[Piece]] = []
        place = told = 0
        while place < len(line):
            if self.starts(line, place):
                self._chatter(line[told:place])
                pieces, place = self.query(line, place)
                found.append(pieces)
                self._sorted_keys = self._last_keys
                told = place
            else:
                place += 1
        if not found and (nothing := self._nothing(line)) is not None:
            return [[nothing]]
        if len(found) > 1:
            self._notes.tell(Repair.SEPARATED)
        self._chatter(line[told:])
        return found

    def _chatter(self, nodes: list[Node]) -> None:
        if nodes:
            self._notes.tell(Repair.CHATTER, self._arguments.source(nodes))

    def _nothing(self, line: list[Node]) -> Piece | None:
        """`None` as a statement, alone or after "Answer:"."""
        words = line[:-1] if len(line) > 1 and is_mark(line[-1], ".") else line
        last = words[-1]
        if not isinstance(last, Word) or CONSTANTS.get(last.text.casefold()) != "None":
            return None
        if len(words) > 1 and not is_mark(words[-2], ":"):
            return None
        if len(line) > 1:
            self._notes.tell(Repair.CHATTER, self._arguments.source(line))
        if last.text != "None":
            self._notes.tell(Repair.CONSTANT, last.text, "None")
        return Piece("None", last.at)

    # --- one query

    def starts(self, nodes: Sequence[Node], place: int) -> bool:
        """Whether a query starts at `place`, with what may stand before its function."""
        for _ in range(_MOST_PREFIXES):
            if place < len(nodes) and self._is_prefix(nodes, place):
                place = _after_prefix(nodes, place)
        named = _named_group(nodes, place)
        if named is None:
            return False
        word, group = named
        if _is_wrapper(word):
            return self.starts(group.items, 0)
        folded = word.text.casefold()
        return (
            folded in _SORT_WORDS
            or folded.startswith("get_")
            or self._table.guess(word.text) is not None
        )

    def _is_prefix(self, nodes: Sequence[Node], place: int) -> bool:
        word = nodes[place]
        if not isinstance(word, Word) or _named_group(nodes, place) is not None:
            return False
        if word.kind is Kind.NUMBER:
            return True
        folded = word.text.casefold()
        return word.kind is Kind.NAME and (folded in _REDUCE_WORDS or folded in _ALL_WORDS)

    def query(self, nodes: Sequence[Node], place: int) -> tuple[list[Piece], int]:
        """The query that starts at `place`, and the place after it."""
        front: list[Piece] = []
        back: list[Piece] = []
        while self._is_prefix(nodes, place):
            word = nodes[place]
            assert isinstance(word, Word)
            after = _after_prefix(nodes, place)
            self._prefix(word, self._arguments.source(nodes[place:after]), front, back)
            place = after
        named = _named_group(nodes, place)
        assert named is not None  # else `starts` says no
        word, group = named
        if _is_wrapper(word):
            body = self._wrapped(word, group, front, back)
            return [*front, *body, *back], place + 2
        if word.text.casefold() in _SORT_WORDS:
            if self.starts(group.items, 0):
                self._notes.tell(Repair.SORTED)
                pieces, after = self.query(group.items, 0)
                front[:0] = [*pieces, Piece("; ", word.at)]
                rest = group.items[after + 1 :]
                group = Group("(", group.at, rest, group.end)
                self._sorted_keys = self._last_keys
            keys = self._sorted_keys
            name = "sort"
            inner = self._arguments.of_sort(group, keys)
            if word.text != name:
                self._notes.tell(Repair.FUNCTION, word.text, name)
        else:
            name, keys = self._function(word)
            inner = self._arguments.of_call(self._table.find(name), group, keys)
        self._last_keys = keys
        tail, place = self._tail(nodes, place + 2, keys, front)
        return [*front, Piece(name, word.at), *inner, *tail, *back], place

    def _prefix(self, word: Word, given: str, front: list[Piece], back: list[Piece]) -> None:
        folded = word.text.casefold()
        if word.kind is Kind.NUMBER:
            front += [Piece(word.text, word.at), Piece(" ", word.at)]
        elif folded in _ALL_WORDS:
            if given != "ALL":
                self._notes.tell(Repair.PREFIX, given, "ALL")
            front[:] = [Piece("ALL", word.at), Piece(" ", word.at)]
        else:
            reduce = _REDUCE_WORDS[folded]
            if word.text != reduce or reduce is Reduce.LEN:
                self._notes.tell(Repair.PREFIX, word.text, _written(reduce))
            self._reduce(reduce, word, front, back)

    def _reduce(self, reduce: Reduce, word: Word, front: list[Piece], back: list[Piece]) -> None:
        written = _written(reduce)
        if reduce is Reduce.LEN:
            back.append(Piece(written, word.at))
        else:
            front[:0] = [Piece(written, word.at), Piece(" ", word.at)]

    def _wrapped(
        self, word: Word, group: Group, front: list[Piece], back: list[Piece]
    ) -> list[Piece]:
        """What `print(...)` or `len(...)` is around."""
        pieces, after = self.query(group.items, 0)
        reduce = _REDUCE_WORDS.get(word.text.casefold())
        if reduce is not None:
            self._reduce(reduce, word, front, back)
        self._notes.tell(Repair.WRAPPED, word.text)
        if after < len(group.items):
            self._notes.tell(Repair.CHATTER, self._arguments.source(group.items[after:]))
        return pieces

    def _function(self, word: Word) -> tuple[str, Keys]:
        """What a function is called, and its keys; an unknown one stays, to be complained of."""
        name = word.text
        found = self._table.find(name)
        if found is None and (found := self._table.guess(name)) is not None:
            self._notes.tell(Repair.FUNCTION, name, found)
            name = found
        return name, self._table.keys_of(found) if found else self._table.all_keys

    # --- what stands after a call

    def _tail(
        self, nodes: Sequence[Node], place: int, keys: Keys, front: list[Piece]
    ) -> tuple[list[Piece], int]:
        tail: list[Piece] = []
        while place < len(nodes):
            node = nodes[place]
            after = nodes[place + 1] if place + 1 < len(nodes) else None
            if isinstance(node, Group) and node.opener == "[":
                tail += self._bracket(node, keys, front)
                place += 1
            elif is_mark(node, ".") and self._is_key(after, nodes, place, keys):
                assert isinstance(after, Word)
                self._notes.tell(Repair.DOT, after.text)
                tail += self._bracketed(after, keys)
                place += 2
            else:
                break
        return tail, place

    def _is_key(self, node: Node | None, nodes: Sequence[Node], place: int, keys: Keys) -> bool:
        """Whether this word after a dot is a key, not the first of a sentence."""
        if not isinstance(node, Word) or node.kind is not Kind.NAME:
            return False
        touches = node.at == nodes[place].end
        known = keys.find(node.text) is not None or keys.guess(node.text) is not None
        return touches and (known or _reduction(node.text) is not None)

    def _bracket(self, group: Group, keys: Keys, front: list[Piece]) -> list[Piece]:
        words = group.items
        first = words[0] if words else None
        colon = next((i for i, node in enumerate(words) if is_mark(node, ":")), None)
        if colon is not None:
            return self._cut(group, colon, front)
        if first is None:
            self._notes.tell(Repair.EMPTY)
            return []
        if isinstance(first, Word) and first.kind is Kind.NUMBER and len(words) == 1:
            if first.text == "0":
                self._notes.tell(Repair.FIRST)
                return []
            if first.text.isdecimal() and len(first.text) < _MOST_DIGITS:
                cut = f"[{first.text}:{int(first.text) + 1}]"
                self._notes.tell(Repair.SLICE, f"[{first.text}]", cut)
                return [Piece(cut, group.at)]
            return self._refused(group)
        if len(words) == 1 and isinstance(first, Word) and first.kind is not Kind.MARK:
            if first.kind is not Kind.STRING:
                self._notes.tell(Repair.QUOTED, first.text)
            return self._bracketed(first, keys)
        if all(isinstance(word, Word) and word.kind is Kind.NAME for word in words):
            self._notes.tell(Repair.QUOTED, self._arguments.source(words))
            return self._around(self._arguments.key(words, keys, bare=False), group)
        return self._refused(group)

    def _refused(self, group: Group) -> list[Piece]:
        """What no program can say stays as it is, so that the parser tells."""
        return [Piece(self._arguments.source([group]), group.at, verbatim=True)]

    def _bracketed(self, word: Word, keys: Keys) -> list[Piece]:
        reduce = _reduction(word.text) if keys.find(word.text) is None else None
        if reduce is None:
            return self._around(self._arguments.key([word], keys, bare=False), word)
        if word.text != reduce:
            self._notes.tell(Repair.PREFIX, word.text, str(reduce))
        return [Piece(f'["{reduce}"]', word.at)]

    def _around(self, pieces: list[Piece], node: Node) -> list[Piece]:
        return [Piece("[", node.at), *pieces, Piece("]", node.end - 1)]

    def _cut(self, group: Group, colon: int, front: list[Piece]) -> list[Piece]:
        given = self._arguments.source(group.items)
        before, after = group.items[:colon], group.items[colon + 1 :]
        begins = before[0].text if len(before) == 1 and isinstance(before[0], Word) else "0"
        if len(before) > 1 or (begins != "0" and not (begins.isdecimal() and after)):
            return self._refused(group)
        if begins != "0":
            return [Piece(f"[{given}]", group.at)]
        if not after:
            self._notes.tell(Repair.SLICE, f"[{given}]", "ALL")
            front += [Piece("ALL", group.at), Piece(" ", group.at)]
            return []
        if before:
            self._notes.tell(Repair.SLICE, f"[{given}]", f"[:{self._arguments.source(after)}]")
        return [Piece(f"[:{self._arguments.source(after)}]", group.at)]


def _named_group(nodes: Sequence[Node], place: int) -> tuple[Word, Group] | None:
    """The name and the brackets of what is called at `place`."""
    if place + 1 >= len(nodes):
        return None
    word, group = nodes[place], nodes[place + 1]
    if not isinstance(word, Word) or word.kind is not Kind.NAME:
        return None
    return (word, group) if isinstance(group, Group) and group.opener == "(" else None


def _after_prefix(nodes: Sequence[Node], place: int) -> int:
    """The place after a prefix, and after the comma of "ALL, "."""
    word = nodes[place]
    is_all = isinstance(word, Word) and word.text.casefold() in _ALL_WORDS
    comma = is_all and place + 1 < len(nodes) and is_mark(nodes[place + 1], ",")
    return place + 1 + comma


def _written(reduce: Reduce) -> str:
    return f'["{reduce}"]' if reduce is Reduce.LEN else str(reduce)


def _is_wrapper(word: Word) -> bool:
    return word.text.casefold() in _WRAPPERS or word.text.casefold() in _REDUCE_WORDS


def _reduction(text: str) -> Reduce | None:
    return REDUCTIONS.get(text) or REDUCTIONS.get(text.upper()) or REDUCTIONS.get(text.lower())
