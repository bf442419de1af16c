"""Parses a model's malformed text as the intended program, and reports each repair.

Used only for a text that does not parse. The output is a tree of `grammar.lark` with the positions
of its words, so that `Builder` checks it as usual: no program is accepted that the grammar does not
allow. `tokens.py` repairs characters and brackets, `Builder` the names of keys.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lark import Token, Tree

from models.kg.language.ast import Op, Reduce
from models.kg.language.builder import Built, suggested
from models.kg.language.errors import Notes, Problem, QuerySyntaxError, Repair
from models.kg.language.functions import Functions
from models.kg.language.printer import quoted
from models.kg.language.tokens import Kind, Node, keyword_of, lines_of, prefix_length, split
from models.kg.language.words import OPERATOR_WORDS, OPERATORS

_MOST_PREFIXES = 3  # "AVG", "ALL," and "ALL"
_PLACES = re.compile(r"([0-9]{0,40})(:?)([0-9]{0,40})")  # the contents of a slice's brackets


class Read(NamedTuple):
    """One parsed statement: its tree, or the error."""

    text: str
    tree: Tree[Token] | QuerySyntaxError


def read(text: str, table: Functions, deepest: int, notes: Notes) -> Iterator[Read]:
    """The intended statements in `text`, as far as they are recognised; none if brackets nest
    deeper than `deepest`."""
    reader = _Reader(text, table, notes)
    for line in lines_of(text, table, deepest, notes):
        yield from reader.statements(line)


class _Reader:
    """Parses one program by the apparent meaning of its words."""

    def __init__(self, text: str, table: Functions, notes: Notes) -> None:
        self._text = text
        self._table = table
        self._tell = notes.tell

    def statements(self, line: list[Node]) -> Iterator[Read]:
        """The statements of one line; other text between them is ignored."""
        starts = [place for place in range(len(line)) if self._starts(line, place)]
        if not starts and (nothing := self._nothing(line)) is not None:
            yield Read("None", Tree("nothing", [nothing]))
            return
        end = found = 0
        for place in starts:
            if place < end:  # after a prefix: part of the previous query
                continue
            self._chatter(line[end:place])
            found += 1
            if found == 2:
                self._tell(Repair.SEPARATED)
            before: list[Tree[Token]] = []
            try:
                tree, end = self._query(line, place, [], [], before)
            except QuerySyntaxError as error:
                call = next(i for i in range(place, len(line)) if line[i].kind is Kind.CALL)
                end = next((other for other in starts if other > call), len(line))
                yield Read(self._source(line[place:end]), error)
            else:
                for each in (*before, tree):
                    yield Read(self._source(line[place:end]), each)
        self._chatter(line[end:])

    def _chatter(self, nodes: list[Node]) -> None:
        if nodes:
            self._tell(Repair.CHATTER, self._source(nodes))

    def _nothing(self, line: list[Node]) -> Built | None:
        """`None` as a statement, alone or after "Answer:"."""
        words = line[:-1] if len(line) > 1 and line[-1].is_mark(".") else line
        if words[-1].constant != "None" or (len(words) > 1 and not words[-2].is_mark(":")):
            return None
        if len(line) > 1:
            self._chatter(line)
        return self._value(words[-1:])

    # --- one query

    def _starts(self, nodes: Sequence[Node], place: int) -> bool:
        """Whether a query starts at `place`, including the prefixes before its function."""
        for _ in range(_MOST_PREFIXES):
            place += prefix_length(nodes[place : place + 2])
        node = nodes[place] if place < len(nodes) else None
        if node is None or node.kind is not Kind.CALL:
            return False
        if node.wraps:
            return self._starts(node.items, 0)
        known = node.role == "sort" or self._table.guess(node.text) is not None
        return known or node.text.casefold().startswith("get_")

    def _query(
        self,
        nodes: Sequence[Node],
        place: int,
        front: list[Built],
        back: list[Built],
        before: list[Tree[Token]] | None = None,
    ) -> tuple[Tree[Token], int]:
        """The query that starts at `place`, and the place after it.

        `front`, `back`: the prefixes and suffixes so far. `before` receives a query found inside a
        sort, which must come first; None where no other query can come first.
        """
        while length := prefix_length(nodes[place : place + 2]):
            self._prefix(nodes[place : place + length], front, back)
            place += length
        call = nodes[place]
        is_sort = call.role == "sort"
        if call.wraps:
            self._reduce(call, front, back)
            tree, after = self._query(call.items, 0, front, back)
            self._tell(Repair.WRAPPED, call.text)
            self._chatter(call.items[after:])
            return tree, place + 1
        arguments = call.items
        if is_sort and before is not None and self._starts(arguments, 0):
            self._tell(Repair.SORTED)
            first, after = self._query(arguments, 0, [], [])
            before.append(first)
            arguments = arguments[after + 1 :]
        body = self._sort(call, arguments) if is_sort else self._call(call)
        tail, place = self._tail(nodes, place + 1, front)
        ahead = [Tree("front", front)] if front else []
        return Tree("query", [*ahead, body, Tree("tail", [*tail, *back])]), place

    def _prefix(self, nodes: Sequence[Node], front: list[Built], back: list[Built]) -> None:
        word, given, reduce = nodes[0], self._source(nodes), nodes[0].reduce
        if word.kind is Kind.NUMBER:
            front.append(_token("NUMBER", word))
        elif word.role == "all":
            front[:] = [_token("ALL", word, "ALL")]
            if given != "ALL":
                self._tell(Repair.PREFIX, given, "ALL")
        else:
            self._reduce(word, front, back)
            if given != reduce or reduce is Reduce.LEN:
                self._tell(Repair.PREFIX, given, '["len"]' if reduce is Reduce.LEN else str(reduce))

    def _reduce(self, word: Node, front: list[Built], back: list[Built]) -> None:
        """Move an aggregation to its place in the grammar."""
        if word.reduce is Reduce.LEN:
            back.append(Tree("bracket", [_token("STRING", word, quoted(word.reduce))]))
        elif word.reduce is not None:
            front.insert(0, _token("REDUCE", word, word.reduce))

    # --- after a call

    def _tail(
        self, nodes: Sequence[Node], place: int, front: list[Built]
    ) -> tuple[list[Built], int]:
        tail: list[Built] = []
        while place < len(nodes):
            node, key = nodes[place], nodes[place + 1 : place + 2]
            if node.kind is Kind.SQUARE:
                tail += self._brackets(node, front)
                place += 1
            elif node.is_mark(".") and key and key[0].at == node.end and self._is_key(key[0]):
                self._tell(Repair.DOT, key[0].text)
                tail.append(Tree("bracket", [self._string(key)]))
                place += 2
            else:
                break
        return tail, place

    def _is_key(self, word: Node) -> bool:
        return bool(word.reduce or self._table.all_keys.guess(word.text))

    def _brackets(self, group: Node, front: list[Built]) -> list[Built]:
        """A key, an aggregation or a slice. `[:]` is `ALL`, which moves to the front."""
        words = group.items
        if not words:
            self._tell(Repair.EMPTY)
            return []
        names = all(word.kind is Kind.NAME for word in words)
        if names or (len(words) == 1 and words[0].kind is Kind.STRING):
            if names:
                self._tell(Repair.QUOTED, self._source(words))
            return [Tree("bracket", [self._string(words)])]
        numbers = all(word.kind in (Kind.NUMBER, Kind.MARK) for word in words)
        places = _PLACES.fullmatch("".join(word.text for word in words)) if numbers else None
        if places is None or places[1].strip("0") and places[2] and not places[3]:
            raise self._error(words[-1])
        first, colon, last = places[1].lstrip("0"), places[2], places[3]
        given = f"[{self._source(words)}]"
        if not colon and not first:
            self._tell(Repair.FIRST)
            return []
        if colon and not last:
            self._tell(Repair.SLICE, given, "ALL")
            front.append(_token("ALL", group, "ALL"))
            return []
        last = last or str(int(first) + 1)
        if given != (written := f"[{first}:{last}]"):
            self._tell(Repair.SLICE, given, written)
        return [Tree("cut", [_token("NUMBER", words[0], n) for n in (first, last) if n])]

    # --- within a call's brackets

    def _call(self, call: Node) -> Tree[Token]:
        function = self._table.find(call.text) or self._table.guess(call.text)
        if function is None:
            nearest = suggested(self._table.nearest(call.text))
            raise self._error(call, Problem.FUNCTION.format(call.text, nearest))
        if self._table.find(call.text) is None:
            self._tell(Repair.FUNCTION, call.text, function)
        slots: list[Built] = []
        where: list[Built] = []
        for argument in self._given(call.items):
            slot, argument = self._placed(function, argument)
            conditions = self._conditions(argument)
            if conditions is not None:
                where += conditions
                continue
            if where:
                self._tell(Repair.ORDER)
            slot = len(slots) if slot is None else slot
            slots += [_token("NONE", call, "None")] * (slot + 1 - len(slots))
            slots[slot] = self._argument(argument)
        return Tree("call", [_token("FUNCTION", call, function), *slots, *where])

    def _sort(self, call: Node, items: list[Node]) -> Tree[Token]:
        where: list[Built] = []
        key: Built | None = None
        down = False
        for argument in self._given(items):
            keyword = keyword_of(argument)
            meant = keyword.role if keyword else None
            if keyword and meant in ("key", "where"):
                self._tell(Repair.KEYWORD, keyword.text)
                argument = argument[2:]
            elif meant == "descending":
                down = argument[-1].constant != "false"
                self._tell(Repair.SORT, self._source(argument), "-" if down else "no sign")
                continue
            conditions = self._conditions(argument)
            if conditions is not None:
                where += conditions
            elif len(argument) > 1 or argument[0].constant != "None":
                if len(items) == len(argument):
                    self._tell(Repair.SORT, self._source(argument), "the second argument")
                key, down = self._sort_key(argument, key, down)
        if call.text != "sort":
            self._tell(Repair.FUNCTION, call.text, "sort")
        if key is None:
            raise QuerySyntaxError(self._text, call.end - 1, Problem.UNEXPECTED.format(")"))
        first: Built = Tree("conditions", where) if where else _token("NONE", call, "None")
        minus = [_token("MINUS", call, "-")] if down else []
        return Tree("sort", [_token("SORT", call, "sort"), first, *minus, key])

    def _sort_key(
        self, words: list[Node], key: Built | None, down: bool
    ) -> tuple[Built | None, bool]:
        """The key of a sort and its direction, given by a sign before it or a word after it."""
        last, way = words[-1], words[-1].role
        if len(words) > 1 and words[0].is_mark("-"):
            return self._string(words[1:]), True
        if way in ("descending", "ascending") and (key or len(words) > 1):
            down = way == "descending"
            self._tell(Repair.SORT, last.text, "-" if down else "no sign")
            return (self._string(words[:-1]) if len(words) > 1 else key), down
        if len(words) == 1 and last.text.startswith("-"):
            self._tell(Repair.SORT, self._source(words), last.text)
            return _token("STRING", last, quoted(last.text[1:].strip())), True
        return self._string(words), down

    def _given(self, items: Sequence[Node]) -> list[list[Node]]:
        """The arguments without empty ones."""
        parts = split(items)
        kept = [p for p in parts if p and not (len(p) == 1 and p[0].is_group and not p[0].items)]
        if items and len(kept) < len(parts):
            self._tell(Repair.EMPTY)
        return kept

    def _placed(self, function: str, argument: list[Node]) -> tuple[int | None, list[Node]]:
        """The position of an argument `name=...` or `name: ...`, and its value."""
        keyword = keyword_of(argument)
        if keyword is None:
            return None, argument
        place = self._table.place_of(function, keyword.text)
        if place is None and keyword.role != "where":
            return None, argument
        self._tell(Repair.KEYWORD, keyword.text)
        return place, argument[2:]

    # --- conditions

    def _conditions(self, nodes: list[Node]) -> list[Tree[Token]] | None:
        """The conditions in an argument; None if it is not one."""
        joint = next((node for node in nodes if node.joins), None)
        if len(nodes) == 1 and nodes[0].kind in (Kind.ROUND, Kind.SQUARE):
            parts = split(nodes[0].items)
        elif joint:
            parts = split(nodes, joints=True)
        else:
            condition = self._operator_call(nodes) or self._comparison(nodes)
            return [condition] if condition else None
        inner = [self._conditions(part) for part in parts if part]
        if not inner or None in inner:
            return None
        if joint:
            self._tell(Repair.AND, f'"{joint.text}"')
        return [condition for conditions in inner for condition in conditions or ()]

    def _operator_call(self, nodes: list[Node]) -> Tree[Token] | None:
        call = nodes[0] if len(nodes) == 1 else None
        operator = OPERATOR_WORDS.get(call.folded) if call and call.kind is Kind.CALL else None
        if not call or operator is None:
            return None
        if call.text not in OPERATORS:
            self._tell(Repair.OPERATOR, call.text, operator)
        comma = next((i for i, node in enumerate(call.items) if node.is_mark(",")), None)
        key = call.items[:comma] if comma else call.items[:1]
        value = call.items[comma + 1 :] if comma else call.items[1:]
        if not comma and len(value) == 1:
            self._tell(Repair.COMMA, self._source(value))
        elif not comma:
            raise self._error(call)
        parts = split(value)  # an unquoted text may contain commas
        literal = any(len(p) == 1 and p[0].kind in (Kind.NUMBER, Kind.STRING) for p in parts)
        if not value or (len(parts) > 1 and literal):
            raise self._error(call.items[-1])
        return self._condition(operator, call, key, value)

    def _comparison(self, nodes: list[Node]) -> Tree[Token] | None:
        place = next((i for i, n in enumerate(nodes) if n.is_mark(*OPERATOR_WORDS)), 0)
        if not place or place + 1 >= len(nodes):
            return None
        self._tell(Repair.COMPARISON, self._source(nodes))
        sign = nodes[place]
        return self._condition(OPERATOR_WORDS[sign.text], sign, nodes[:place], nodes[place + 1 :])

    def _condition(self, op: Op, at: Node, key: list[Node], value: list[Node]) -> Tree[Token]:
        values = [self._string(key), self._value(value, bare=True)]
        return Tree("condition", [_token("OPERATOR", at, op), *values])

    # --- values

    def _argument(self, nodes: list[Node]) -> Built:
        if len(nodes) > 1 or nodes[0].kind is not Kind.SQUARE:
            return self._value(nodes)
        names = [self._value(part) for part in split(nodes[0].items) if part]
        if not all(isinstance(name, Token) and name.type == "STRING" for name in names):
            raise self._error(nodes[0])
        return Tree("names", names)

    def _value(self, nodes: list[Node], *, bare: bool = False) -> Built:
        """One value; `bare`: an unquoted word is allowed here."""
        first = nodes[0]
        if self._starts(nodes, 0):
            tree, after = self._query(nodes, 0, [], [])
            if after == len(nodes):
                return tree
        if len(nodes) == 2 and first.is_mark("-") and nodes[1].kind is Kind.NUMBER:
            return _token("NUMBER", first, f"-{nodes[1].text}")
        if len(nodes) == 1:
            if first.constant is not None and first.kind is Kind.NAME:
                if first.constant != first.text:
                    self._tell(Repair.CONSTANT, first.text, first.constant)
                return _token("NONE" if first.constant == "None" else "FLAG", first, first.constant)
            if first.kind is Kind.NUMBER or first.is_mark("*"):
                return _token("NUMBER" if first.kind is Kind.NUMBER else "STAR", first)
            if first.kind is Kind.NAME and bare:
                return _token("NAME", first)
        if len(nodes) > 1 or first.kind is not Kind.STRING:
            self._tell(Repair.QUOTED, self._source(nodes))
        return self._string(nodes)

    def _string(self, nodes: Sequence[Node]) -> Token:
        """Words as one quoted text."""
        alone = len(nodes) == 1 and not nodes[0].is_group
        text = nodes[0].text if alone else " ".join(self._source(nodes).split())
        return _token("STRING", nodes[0], quoted(text))

    def _source(self, nodes: Sequence[Node]) -> str:
        """The words as in the source."""
        return self._text[nodes[0].at : nodes[-1].end]

    def _error(self, node: Node, message: str | None = None) -> QuerySyntaxError:
        """The error of a text that no program can express."""
        message = message or Problem.UNEXPECTED.format(self._source([node]))
        return QuerySyntaxError(self._text, node.at, message)


def _token(kind: str, node: Node, text: str | None = None) -> Token:
    return Token(kind, node.text if text is None else str(text), start_pos=node.at)
