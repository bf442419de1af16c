"""Reads a program: the statements that its words mean, with what a model got wrong repaired.

A text in the language needs no repair. Names are looked up in the table of functions, so that no
program has a function or key that the language lacks; `schema.py` checks types.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, permutations
from typing import Any, TypeVar

from models.kg.language.ast import (
    Column,
    Condition,
    FunctionCall,
    InvalidStatement,
    NameList,
    Nothing,
    Query,
    Scalar,
    Sort,
    Star,
    Statement,
    Take,
)
from models.kg.language.check import IN_ORDER, fits
from models.kg.language.errors import Notes, QuerySyntaxError
from models.kg.language.tokens import CHATTER, Node, NodeKind, keyword_of, lines_of, split
from models.kg.language.words import OPERATOR_WORDS, OPERATORS, REDUCE_WORDS
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import KeyIndex, NameIndex, Type, fold
from models.kg.schema.operations import Reduce

_PLACES = re.compile(r"([0-9]{0,40})(:?)([0-9]{0,40})")  # the contents of a slice's brackets
_CONSTANTS = {"None": None, "true": True, "false": False}
_T = TypeVar("_T")

# The sentences of repairs that are made in several places.
_FUNCTION = '"{}" was read as the function {}'
_KEYWORD = 'the argument called "{}" was put in its place'
_ORDER = "the order of the sort, {}, was written as {}"
_QUOTED = "missing quotation marks were put around {}"
_READ_AS = '"{}" was read as {}'


class ProgramReader:
    """Reads one program.

    Attributes:
        errors: those of its `InvalidStatement` statements.
    """

    def __init__(self, text: str, notes: Notes) -> None:
        self.errors: list[QuerySyntaxError] = []
        self._text = text
        self._notes = notes
        self._table = functions()
        self._sorted_keys = self._table.all_keys  # of the previous statement

    def statements(self) -> Iterator[Statement]:
        """The statements in the text; other text between them is left out."""
        for line in lines_of(self._text, self._notes):
            if len(line) == 1 and line[0].constant == "None":
                self._value(line)  # tells a misspelling
                yield Nothing()
            else:
                yield from self._queries(line)

    def _queries(self, line: list[Node]) -> Iterator[Query | InvalidStatement]:
        end = 0
        for place, call in enumerate(line):
            if not call.is_query:
                continue
            if call.role == "sort" and any(node.is_query for node in split(call.items)[0]):
                self._tell(call, "what was inside a sort was put before it")
                inner = split(call.items)[0]
                call.items = call.items[len(inner) + 1 :]
                yield from self._queries(inner)
            start = place
            while start > end and line[start - 1].is_prefix:
                start -= 1
            self._chatter(line[end:start])
            end = place + 1
            while end < len(line) and line[end].kind is NodeKind.SQUARE:
                end += 1
            try:
                query = self._query(line[start:end])
            except QuerySyntaxError as error:
                self.errors.append(error)
                yield InvalidStatement(self._source(line[start:end]), error.message)
                continue
            if isinstance(query.source, FunctionCall):
                self._sorted_keys = self._table.sortable(query.source.function, query.key)
            yield query
        self._chatter(line[end:])

    def _chatter(self, nodes: list[Node]) -> None:
        if nodes:
            self._tell(nodes[0], CHATTER, self._source(nodes))

    # --- one query

    def _query(self, nodes: Sequence[Node]) -> Query:
        """The query of a call with the words before it and the brackets after it."""
        call = next(node for node in nodes if node.is_query)
        parts: list[tuple[Node, str | Reduce | Take]] = []
        for node in nodes:
            if node.is_prefix:
                parts.append((node, self._prefix(node)))
            elif node.items and node is not call:
                parts.append((node.items[0], self._brackets(node)))
        source: FunctionCall | Sort
        if call.role == "sort":
            source, keys = self._sort(call), self._sorted_keys
        else:
            source = self._call(call)
            keys = self._table.keys_of(source.function)
        key: str | None = None
        reduce: Reduce | None = None
        take: Take | None = None
        everything = False
        for node, part in parts:
            if part == Take(None):
                everything = True
            elif isinstance(part, Take):
                take = self._once("a count", take, part, node)
            elif found := self._reduction(part, node, keys):
                reduce = self._once("what is made of the values", reduce, found, node)
            elif isinstance(source, FunctionCall) and (
                joined := self._table.named_by(source.function, key)
            ):
                # a second key belongs to the entities that the first one names
                named = Query(source, key, Take(None) if everything else take or Take())
                source, keys = FunctionCall(joined.name, (named,)), self._table.keys_of(joined.name)
                key, take, everything = self._key(part, node, keys), None, True
            else:
                key = self._once("a key", key, self._key(part, node, keys), node)
        if take is None:
            take = Take(None) if everything or reduce else Take()
        return Query(source, key, take, reduce)

    def _once(self, what: str, before: _T | None, now: _T, node: Node) -> _T:
        if before is not None:
            raise self._error(node, f"{what} is given twice")
        return now

    def _prefix(self, word: Node) -> Reduce | Take:
        if word.kind is NodeKind.NUMBER:
            return Take(self._count(word.text, word))
        written = '["len"]' if word.reduce is Reduce.LEN else str(word.reduce or "ALL")
        if word.text != written:
            self._tell(word, _READ_AS, word.text, written)
        return word.reduce or Take(None)

    def _reduction(self, part: str, node: Node, keys: KeyIndex) -> Reduce | None:
        found = None if self._find(part, keys) else REDUCE_WORDS.get(fold(part))
        if found and found != part:
            self._tell(node, _READ_AS, part, found)
        return found

    def _brackets(self, group: Node) -> str | Take:
        """A key, an aggregation or a slice; `[:]` is `ALL`."""
        words, given = group.items, self._source(group.items)
        names = all(word.kind is NodeKind.NAME for word in words)
        if names or (len(words) == 1 and words[0].kind is NodeKind.STRING):
            if names:
                self._tell(words[0], _QUOTED, given)
            return self._string(words)
        places = _PLACES.fullmatch("".join(given.split()))
        if places is None:
            raise self._error(words[-1])
        start, colon, end = int(places[1] or 0), places[2], places[3]
        if end:
            return Take(self._count(end, words[-1]) - start, start)
        if start and colon:
            raise self._error(words[-1])
        self._tell(group, _READ_AS, f"[{given}]", "ALL" if colon else f"[{start}:{start + 1}]")
        return Take(None) if colon else Take(1, start)

    def _count(self, text: str, node: Node) -> int:
        if not text.isdecimal() or int(text) < 1:
            raise self._error(node, "a count is a whole number from 1")
        return int(text)

    # --- within a call's brackets

    def _call(self, call: Node) -> FunctionCall:
        function = self._table.find(call.text) or self._table.guess(call.text)
        if function is None:
            raise self._unknown("function", call.text, self._table, call)
        if function != self._table.find(call.text):
            self._tell(call, _FUNCTION, call.text, function)
        keys = self._table.sortable(function)
        most = len(self._table.parameters_of(function))
        arguments: list[Any] = []
        where: tuple[Condition, ...] = ()
        for words in filter(None, split(call.items)):
            place, words = self._placed(function, words)
            conditions = self._conditions(words, keys)
            if conditions is not None:
                where += conditions
                continue
            if where:
                self._tell(words[0], "conditions were put last")
            value = self._argument(words)
            place = len(arguments) if place is None else place
            if place >= most and value is not None:
                counted = f"{most} argument{'s' if most > 1 else ''}"
                message = f"{function} takes no more than {counted} before its conditions"
                raise self._error(words[0], message)
            arguments += [None] * (place + 1 - len(arguments))
            arguments[place] = value
        while arguments and arguments[-1] is None:
            arguments.pop()
        self._put_in_order(call, function, arguments)
        return FunctionCall(function, tuple(arguments), where)

    def _placed(self, function: str, words: list[Node]) -> tuple[int | None, list[Node]]:
        """The position of an argument `name=...` or `name: ...`, and its value."""
        keyword = keyword_of(words)
        place = self._table.place_of(function, keyword.text) if keyword else None
        if keyword is None or (place is None and keyword.role != "where"):
            return None, words
        self._tell(keyword, _KEYWORD, keyword.text)
        return place, words[2:]

    def _put_in_order(self, call: Node, function: str, arguments: list[Any]) -> None:
        """Swap an argument of the wrong type with a text that stands in a place of its type."""
        parameters = enumerate(self._table.parameters_of(function)[: len(arguments)])
        for (i, own), (j, other) in permutations(parameters, 2):
            text = arguments[j] if other.type is Type.TEXT else None
            if isinstance(text, str) and fits(own.type, text) and not fits(own.type, arguments[i]):
                arguments[i], arguments[j] = text, arguments[i]
                self._tell(call, "the arguments of {} were put in their order", function)

    def _sort(self, call: Node) -> Sort:
        where: tuple[Condition, ...] = ()
        key: str | None = None
        down = False
        for words in filter(None, split(call.items)):
            keyword = keyword_of(words)
            if keyword and keyword.role == "descending":
                down = words[-1].constant != "false"
                self._tell(words[0], _ORDER, self._source(words), "-" if down else "no sign")
                continue
            if keyword and keyword.role in ("key", "where"):
                self._tell(keyword, _KEYWORD, keyword.text)
                words = words[2:]
            conditions = self._conditions(words, self._sorted_keys)
            if conditions is not None:
                where += conditions
            elif len(words) > 1 or words[0].constant != "None":
                if len(words) == len(call.items):
                    self._tell(words[0], _ORDER, self._source(words), "the second argument")
                name, down = self._direction(words, down)
                key = self._key(name, words[-1], self._sorted_keys) if name else key
        if call.text != "sort":
            self._tell(call, _FUNCTION, call.text, "sort")
        if key is None:
            raise QuerySyntaxError(self._text, call.end - 1, 'unexpected ")"')
        return Sort(key, down, where)

    def _direction(self, words: list[Node], down: bool) -> tuple[str, bool]:
        """The name and the direction that a sign before it or a word after it gives."""
        last = words[-1]
        if last.role in ("descending", "ascending"):
            down = last.role == "descending"
            self._tell(last, _ORDER, last.text, "-" if down else "no sign")
            words = words[:-1]
        elif words[0].is_mark("-"):
            words, down = words[1:], True
        name = self._string(words) if words else ""
        if not name.startswith("-"):
            return name, down
        self._tell(last, _ORDER, self._source(words), name)
        return name[1:].strip(), True

    # --- conditions

    def _conditions(self, nodes: list[Node], keys: KeyIndex) -> tuple[Condition, ...] | None:
        """The conditions in an argument; None if it is not one."""
        joint = next((node for node in nodes if node.joins), None)
        if len(nodes) == 1 and nodes[0].kind in (NodeKind.ROUND, NodeKind.SQUARE):
            parts = split(nodes[0].items)
        elif joint:
            parts = split(nodes, joints=True)
        else:
            condition = self._condition(nodes, keys)
            return (condition,) if condition else None
        inner = [self._conditions(part, keys) for part in parts if part]
        if not inner or None in inner:
            return None
        if joint:
            self._tell(joint, 'conditions joined by "{}" were made a list', joint.text)
        return tuple(condition for conditions in inner for condition in conditions or ())

    def _condition(self, nodes: list[Node], keys: KeyIndex) -> Condition | None:
        """`eq(key, value)`, or a comparison: `key == value`."""
        first = nodes[0]
        place = next((i for i, node in enumerate(nodes) if node.is_mark(*OPERATOR_WORDS)), 0)
        if len(nodes) == 1 and first.kind is NodeKind.CALL and first.folded in OPERATOR_WORDS:
            operator, parts = OPERATOR_WORDS[first.folded], split(first.items)
            if first.text not in OPERATORS:
                self._tell(first, 'the condition "{}" was read as {}', first.text, operator)
        elif place:
            operator, parts = OPERATOR_WORDS[nodes[place].text], [nodes[:place], nodes[place + 1 :]]
            self._tell(first, "the comparison {} was written as a condition", self._source(nodes))
        else:
            return None
        if len(parts) != 2 or not all(parts):
            raise self._error(first)
        key = self._key(self._string(parts[0]), parts[0][0], keys)
        value = self._column(parts[1], key, keys) or self._value(parts[1], bare=True)
        return Condition(operator, key, value)

    def _column(self, nodes: list[Node], compared: str, keys: KeyIndex) -> Column | None:
        """Another key of the row, if an unquoted word names one whose values are comparable with
        those of `compared`."""
        if len(nodes) > 1 or nodes[0].kind is not NodeKind.NAME:
            return None
        own, other = keys.key(compared), keys.key(keys.find(nodes[0].text) or "")
        comparable = own and other and own.type is other.type and own.type in IN_ORDER
        return Column(other.name) if other and comparable else None

    # --- values

    def _argument(self, nodes: list[Node]) -> Scalar | Star | NameList | Query:
        if len(nodes) > 1 or nodes[0].kind is not NodeKind.SQUARE:
            return self._value(nodes)
        names = [self._value(part) for part in split(nodes[0].items) if part]
        if not all(isinstance(name, str) for name in names):
            raise self._error(nodes[0])
        return NameList(tuple(map(str, names))) if names else None

    def _value(self, nodes: list[Node], *, bare: bool = False) -> Scalar | Star | Query:
        """One value; `bare`: an unquoted word is allowed here."""
        first = nodes[0]
        after = list(dropwhile(lambda node: node.is_prefix, nodes))
        if after and after[0].is_query and all(n.kind is NodeKind.SQUARE for n in after[1:]):
            return self._query(nodes)
        if len(nodes) == 2 and first.is_mark("-") and nodes[1].kind is NodeKind.NUMBER:
            return self._number(f"-{nodes[1].text}", first)
        if len(nodes) == 1:
            if first.kind is NodeKind.NAME and first.constant is not None:
                if first.constant != first.text:
                    self._tell(first, _READ_AS, first.text, first.constant)
                return _CONSTANTS[first.constant]
            if first.kind is NodeKind.NUMBER:
                return self._number(first.text, first)
            if first.is_mark("*"):
                return Star()
            if first.kind is NodeKind.NAME and bare:
                return first.text
        if len(nodes) > 1 or first.kind is not NodeKind.STRING:
            self._tell(first, _QUOTED, self._source(nodes))
        return self._string(nodes)

    def _number(self, text: str, node: Node) -> int | float:
        try:
            return int(text)
        except ValueError:
            number = float(text)
        if not math.isfinite(number):
            raise self._error(node, "the number is too large")
        return number

    def _find(self, name: str, keys: KeyIndex) -> str | None:
        """The key of that name; after a sort, any: the schema check reports another function's."""
        foreign = self._table.all_keys.find(name) if keys is self._sorted_keys else None
        return keys.find(name) or foreign

    def _key(self, name: str, node: Node, keys: KeyIndex) -> str:
        found = self._find(name, keys)
        if found is None and (found := keys.guess(name)):
            self._tell(node, 'the key "{}" was read as "{}"', name, found)
        if found is None:
            raise self._unknown("key", name, keys, node)
        return found

    def _string(self, nodes: Sequence[Node]) -> str:
        """Words as one text."""
        alone = len(nodes) == 1 and not nodes[0].is_group
        return nodes[0].text if alone else " ".join(self._source(nodes).split())

    def _source(self, nodes: Sequence[Node]) -> str:
        """The words as in the source."""
        return self._text[nodes[0].at : nodes[-1].end]

    def _tell(self, node: Node, template: str, *about: str) -> None:
        self._notes.tell(node.at, template, *about)

    def _unknown(self, what: str, name: str, names: NameIndex, node: Node) -> QuerySyntaxError:
        nearest = names.nearest(name)
        hint = f'; did you mean "{nearest}"?' if nearest else ""
        return self._error(node, f'unknown {what} "{name}"{hint}')

    def _error(self, node: Node, message: str | None = None) -> QuerySyntaxError:
        """The error of a text that no program can express."""
        message = message or f'unexpected "{self._source([node])}"'
        return QuerySyntaxError(self._text, node.at, message)
