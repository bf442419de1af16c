"""The part of mending that is between a call's brackets: arguments, conditions, values and keys."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.kg.language.ast import Op
from models.kg.language.builder import CONSTANTS
from models.kg.language.functions import OPERATOR_SYNONYMS, OPERATORS, Functions, Keys, fold
from models.kg.language.grammar import is_bare
from models.kg.language.printer import quoted
from models.kg.language.repair_text import Group, Kind, Node, Notes, Repair, Word

_CONDITION_WORDS = frozenset({"condition", "conditions", "cond", "where", "filter"})
_KEY_WORDS = frozenset({"key", "by", "sortkey", "keyname"})
_DOWN_WORDS = frozenset({"desc", "descending", "reverse"})
_UP_WORDS = frozenset({"asc", "ascending"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the mended text, and where in the text given it comes from.

    `verbatim`: it stands there letter by letter.
    """

    text: str
    at: int
    verbatim: bool = False


class Queries(Protocol):
    """What is needed of the rest of mending: queries within arguments."""

    def starts(self, nodes: Sequence[Node], place: int) -> bool:
        """Whether a query starts at `place`."""
        ...

    def query(self, nodes: Sequence[Node], place: int) -> tuple[list[Piece], int]:
        """The query that starts at `place`, and the place after it."""
        ...


class Arguments:
    """Writes arguments again, by what their words seem to mean."""

    def __init__(self, text: str, table: Functions, notes: Notes, queries: Queries) -> None:
        self._text = text
        self._table = table
        self._notes = notes
        self._queries = queries

    def of_call(self, function: str | None, group: Group, keys: Keys) -> list[Piece]:
        """A call's brackets; `function` is its own name, None where it is unknown."""
        slots: list[list[Piece]] = []
        where: list[list[Piece]] = []
        for argument in self._given(group):
            slot, argument = self._placed(function, argument)
            conditions = self._conditions(argument, keys)
            if conditions is not None:
                where += conditions
                continue
            if where:
                self._notes.tell(Repair.ORDER)
            if slot is None:
                slots.append(self._argument(argument))
            else:
                slots += [[Piece("None", group.at)] for _ in range(slot + 1 - len(slots))]
                slots[slot] = self._argument(argument)
        if where:
            slots.append(_listed(where, group.at))
        return [Piece("(", group.at), *joined(slots, ", "), Piece(")", group.end - 1)]

    def of_sort(self, group: Group, keys: Keys) -> list[Piece]:
        """The brackets of a sort: conditions, and the key with its direction."""
        where: list[list[Piece]] = []
        key: list[Piece] = []
        down = False
        for argument in self._given(group):
            keyword = _keyword(argument)
            if keyword and fold(keyword.text) in _KEY_WORDS | _CONDITION_WORDS:
                self._notes.tell(Repair.KEYWORD, keyword.text)
                argument = argument[2:]
            elif keyword and fold(keyword.text) in _DOWN_WORDS:
                down = self._is_true(argument)
                self._notes.tell(Repair.SORT, self.source(argument), "-" if down else "no sign")
                continue
            conditions = self._conditions(argument, keys)
            if conditions is not None:
                where += conditions
            elif not _is_constant(argument, "None"):
                told = len(self._notes.sentences())
                key, down = self._sort_key(argument, keys, key, down)
                if len(group.items) == len(argument) and told == len(self._notes.sentences()):
                    self._notes.tell(Repair.SORT, self.source(argument), "the second argument")
        first = _listed(where, group.at) if where else [Piece("None", group.at)]
        minus = [Piece("-", group.at)] if down else []
        inner = joined([first, minus + key] if key else [first], ", ")
        return [Piece("(", group.at), *inner, Piece(")", group.end - 1)]

    def key(self, nodes: Sequence[Node], keys: Keys, *, bare: bool) -> list[Piece]:
        """A key's name, bare where that is possible and wanted."""
        text = self._said(nodes)
        name = text
        if keys.find(text) is None and (meant := keys.guess(text)) is not None:
            self._notes.tell(Repair.KEY, text, meant)
            name = meant
        return [Piece(name if bare and is_bare(name) else quoted(name), nodes[0].at)]

    def source(self, nodes: Sequence[Node]) -> str:
        """The words as they were given."""
        return self._text[nodes[0].at : nodes[-1].end]

    # --- the parts of an argument

    def _given(self, group: Group) -> list[list[Node]]:
        parts = split(group.items)
        kept = [part for part in parts if part and not _is_empty_list(part)]
        if group.items and len(kept) < len(parts):
            self._notes.tell(Repair.EMPTY)
        return kept

    def _placed(self, function: str | None, argument: list[Node]) -> tuple[int | None, list[Node]]:
        """The place that `name=...` or `name: ...` gives an argument, and its value."""
        keyword = _keyword(argument)
        if keyword is None:
            return None, argument
        called = fold(keyword.text)
        if called in _CONDITION_WORDS:
            self._notes.tell(Repair.KEYWORD, keyword.text)
            return None, argument[2:]
        parameters = self._table.parameters_of(function) if function else ()
        for names in (
            [(p.name,) for p in parameters],
            [p.synonyms for p in parameters],
        ):
            for place, called_so in enumerate(names):
                if called in map(fold, called_so):
                    self._notes.tell(Repair.KEYWORD, keyword.text)
                    return place, argument[2:]
        return None, argument

    def _sort_key(
        self, argument: list[Node], keys: Keys, before: list[Piece], down: bool
    ) -> tuple[list[Piece], bool]:
        words = list(argument)
        if is_mark(words[0], "-") and len(words) > 1:
            return self.key(words[1:], keys, bare=True), True
        last = words[-1]
        text = last.text if isinstance(last, Word) else ""
        if text.casefold() in _DOWN_WORDS | _UP_WORDS and (before or len(words) > 1):
            down = text.casefold() in _DOWN_WORDS
            self._notes.tell(Repair.SORT, text, "-" if down else "no sign")
            return (self.key(words[:-1], keys, bare=True) if words[1:] else before), down
        if len(words) == 1 and text.startswith("-") and isinstance(last, Word):
            self._notes.tell(Repair.SORT, f'"{text}"', text)
            inner = Word(Kind.NAME, text[1:].strip(), last.at + 1, last.end)
            return self.key([inner], keys, bare=True), True
        return self.key(words, keys, bare=True), down

    def _is_true(self, argument: list[Node]) -> bool:
        return not _is_constant(argument[2:], "false")

    # --- conditions

    def _conditions(self, nodes: list[Node], keys: Keys) -> list[list[Piece]] | None:
        """The conditions that an argument is; None where it is none."""
        group = nodes[0] if nodes else None
        if len(nodes) == 1 and isinstance(group, Group):
            parts = [part for part in split(group.items) if part]
            inner = [self._conditions(part, keys) for part in parts]
            if not parts or any(conditions is None for conditions in inner):
                return None
            return [pieces for conditions in inner if conditions for pieces in conditions]
        joints = [place for place, node in enumerate(nodes) if _is_and(node)]
        if joints:
            return self._joined_conditions(nodes, joints, keys)
        condition = self._operator_call(nodes, keys) or self._comparison(nodes, keys)
        return None if condition is None else [condition]

    def _joined_conditions(
        self, nodes: list[Node], joints: list[int], keys: Keys
    ) -> list[list[Piece]] | None:
        edges = [-1, *joints, len(nodes)]
        parts = [nodes[a + 1 : b] for a, b in zip(edges, edges[1:], strict=False) if b > a + 1]
        found = [self._conditions(part, keys) for part in parts]
        if any(conditions is None for conditions in found):
            return None
        self._notes.tell(Repair.AND, f'"{self.source([nodes[joints[0]]])}"')
        return [pieces for conditions in found if conditions for pieces in conditions]

    def _operator_call(self, nodes: list[Node], keys: Keys) -> list[Piece] | None:
        if len(nodes) != 2 or not opens(nodes[1], "("):
            return None
        word, group = nodes
        if not isinstance(word, Word) or not isinstance(group, Group):
            return None
        operator = word.text if word.text in OPERATORS else _operator(word.text)
        if operator is None or word.kind is not Kind.NAME:
            return None
        if operator != word.text:
            self._notes.tell(Repair.OPERATOR, word.text, operator)
        key, value = _partition(group.items)
        if not value and len(key) == 2:
            key, value = key[:1], key[1:]
            self._notes.tell(Repair.COMMA, self.source(value))
        parts = split(value)
        if not key or not value or (len(parts) > 1 and any(map(_is_literal, parts))):
            return [Piece(self.source(nodes), word.at, verbatim=True)]  # the parser tells
        return self._condition(operator, word.at, key, value, keys)

    def _comparison(self, nodes: list[Node], keys: Keys) -> list[Piece] | None:
        place = next((i for i, n in enumerate(nodes) if _is_compare(n)), 0)
        if not place or place + 1 >= len(nodes):
            return None
        sign = nodes[place]
        assert isinstance(sign, Word)
        self._notes.tell(Repair.COMPARISON, self.source(nodes))
        operator = str(OPERATOR_SYNONYMS[sign.text])
        return self._condition(operator, sign.at, nodes[:place], nodes[place + 1 :], keys)

    def _condition(
        self, operator: str, at: int, key: list[Node], value: list[Node], keys: Keys
    ) -> list[Piece]:
        named = self.key(key, keys, bare=True)
        valued = self._value(value, bare=True)
        return [Piece(f"{operator}(", at), *named, Piece(", ", at), *valued, Piece(")", at)]

    # --- values

    def _argument(self, nodes: list[Node]) -> list[Piece]:
        group = nodes[0]
        if len(nodes) == 1 and isinstance(group, Group) and group.opener == "[":
            items = [self._value(part, bare=False) for part in split(group.items) if part]
            return [Piece("[", group.at), *joined(items, ", "), Piece("]", group.end - 1)]
        return self._value(nodes, bare=False)

    def _value(self, nodes: list[Node], *, bare: bool) -> list[Piece]:
        """One value; `bare`: a word without quotes is allowed here."""
        first = nodes[0]
        if self._queries.starts(nodes, 0):
            pieces, after = self._queries.query(nodes, 0)
            if after == len(nodes):
                return pieces
        if len(nodes) == 1 and isinstance(first, Word):
            constant = CONSTANTS.get(first.text.casefold())
            if first.kind is Kind.NAME and constant is not None:
                if constant != first.text:
                    self._notes.tell(Repair.CONSTANT, first.text, constant)
                return [Piece(constant, first.at)]
            if first.kind is Kind.STRING:
                return [Piece(quoted(first.text), first.at)]
            if first.kind is Kind.NUMBER or is_mark(first, "*"):
                return [Piece(first.text, first.at)]
        if len(nodes) == 2 and is_mark(first, "-") and _is_number(nodes[1]):
            return [Piece(self.source(nodes), first.at)]
        text = self.source(nodes)
        if not (bare and len(nodes) == 1 and isinstance(first, Word)):
            self._notes.tell(Repair.QUOTED, text)
        return [Piece(quoted(" ".join(text.split())), first.at)]

    def _said(self, nodes: Sequence[Node]) -> str:
        only = nodes[0]
        if len(nodes) == 1 and isinstance(only, Word):
            return only.text
        return " ".join(self.source(nodes).split())


def split(nodes: Iterable[Node]) -> list[list[Node]]:
    """The nodes between commas; an end of a line within brackets is only a blank."""
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if is_mark(node, ","):
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def joined(lists: Iterable[list[Piece]], between: str) -> list[Piece]:
    """All pieces in one list, with `between` between them."""
    pieces: list[Piece] = []
    for some in lists:
        if pieces and some:
            pieces.append(Piece(between, some[0].at))
        pieces += some
    return pieces


def opens(node: Node, opener: str) -> bool:
    return isinstance(node, Group) and node.opener == opener


def is_mark(node: Node, mark: str) -> bool:
    return isinstance(node, Word) and node.kind is Kind.MARK and node.text == mark


def _listed(where: list[list[Piece]], at: int) -> list[Piece]:
    if len(where) == 1:
        return where[0]
    return [Piece("[", at), *joined(where, ", "), Piece("]", at)]


def _partition(nodes: list[Node]) -> tuple[list[Node], list[Node]]:
    """What is before the first comma, and what is after it."""
    place = next((i for i, node in enumerate(nodes) if is_mark(node, ",")), len(nodes))
    return nodes[:place], nodes[place + 1 :]


def _keyword(nodes: list[Node]) -> Word | None:
    if len(nodes) < 3:
        return None
    name, sign = nodes[:2]
    if not isinstance(name, Word) or not isinstance(sign, Word) or name.kind is not Kind.NAME:
        return None
    return name if sign.text in ("=", ":") and sign.kind is not Kind.STRING else None


def _operator(text: str) -> Op | None:
    folded = fold(text)
    for names in (OPERATORS, OPERATOR_SYNONYMS):
        for name, operator in names.items():
            if fold(name) == folded:
                return operator
    return None


def _is_empty_list(nodes: list[Node]) -> bool:
    first = nodes[0]
    return len(nodes) == 1 and isinstance(first, Group) and not first.items


def _is_compare(node: Node) -> bool:
    return isinstance(node, Word) and node.kind is Kind.COMPARE and node.text in OPERATOR_SYNONYMS


def _is_and(node: Node) -> bool:
    return isinstance(node, Word) and (
        is_mark(node, "&") or (node.kind is Kind.NAME and node.text.casefold() == "and")
    )


def _is_number(node: Node) -> bool:
    return isinstance(node, Word) and node.kind is Kind.NUMBER


def _is_literal(nodes: list[Node]) -> bool:
    first = nodes[0] if len(nodes) == 1 else None
    return isinstance(first, Word) and first.kind in (Kind.NUMBER, Kind.STRING)


def _is_constant(nodes: list[Node], constant: str) -> bool:
    first = nodes[0] if nodes else None
    if len(nodes) != 1 or not isinstance(first, Word) or first.kind is Kind.STRING:
        return False
    return CONSTANTS.get(first.text.casefold()) == constant
