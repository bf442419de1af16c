"""Converts lark's tree into a program: checks names, resolves aliases, fills in defaults.

Every error points at the word that caused it.
"""

import math
import re
from typing import TypeVar

from lark import Token, Tree

from models.kg.language.ast import (
    Call,
    Column,
    Condition,
    NameList,
    Nothing,
    Program,
    Query,
    Reduce,
    Scalar,
    Sort,
    Star,
    Statement,
    Take,
)
from models.kg.language.errors import Notes, Problem, QuerySyntaxError, Repair
from models.kg.language.functions import Functions, Keys, Type
from models.kg.language.words import CONSTANTS, OPERATORS, REDUCE_WORDS, REDUCTIONS, fold

Built = Tree[Token] | Token
_T = TypeVar("_T")
_Value = Scalar | Star | NameList | Query
_COMPARED = frozenset((Type.NUMBER, Type.DATE, Type.YEAR))

_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class Builder:
    """Builds one program; the keys of a `sort` are those of the previous statement.

    With `notes`, keys and reductions may have any name that models use; each repair is noted.
    """

    def __init__(self, text: str, table: Functions, notes: Notes | None = None) -> None:
        self._text = text
        self._table = table
        self._notes = notes
        self._sorted_keys = table.all_keys

    def program(self, tree: Tree[Token]) -> Program:
        return Program(tuple(self.statement(node) for node in _trees(tree)))

    def statement(self, tree: Tree[Token]) -> Statement:
        if tree.data == "nothing":
            return Nothing()
        query = self._query(tree)
        if isinstance(query.source, Call):
            self._sorted_keys = self._table.sortable(query.source.function, query.key)
        return query

    def _query(self, tree: Tree[Token]) -> Query:
        *front, body, tail = _trees(tree)
        source: Call | Sort
        if body.data == "call":
            source = self._call(body)
            keys = self._table.keys_of(source.function)
        else:
            source, keys = self._sort(body), self._sorted_keys
        key: str | None = None
        reduce: Reduce | None = None
        count: int | None = None
        start = 0
        everything = False
        for node in [*(front[0].children if front else ()), *tail.children]:
            token = node if isinstance(node, Token) else _token(node.children[-1])
            if isinstance(node, Tree) and len(node.children) == 2:
                start = self._count(_token(node.children[0]), least=0)
            if token.type == "ALL":
                everything = True
            elif token.type == "NUMBER":
                count = self._once("a count", count, self._count(token) - start, token)
            elif (found := self._reduction(token, keys)) is not None:
                reduce = self._once("what is made of the values", reduce, found, token)
            elif isinstance(source, Call) and (joined := self._table.named_by(source, key)):
                # a second key belongs to the entities that the first one names
                named = Query(source, key, Take(None if everything else count or 1, start))
                source, keys = Call(joined.name, (named,)), self._table.keys_of(joined.name)
                key, count, start, everything = self._key(token, keys), None, 0, True
            else:
                key = self._once("a key", key, self._key(token, keys), token)
        if count is None and not (everything or reduce):
            return Query(source, key)
        return Query(source, key, Take(count, start), reduce)

    def _reduction(self, token: Token, keys: Keys) -> Reduce | None:
        name = _bare(token)
        found = REDUCTIONS.get(name)
        if found is None and self._notes and not keys.find(name):
            found = REDUCE_WORDS.get(fold(name))
            if found is not None:
                self._notes.tell(Repair.PREFIX, name, str(found))
        return found

    def _once(self, what: str, before: object, now: _T, token: Token) -> _T:
        if before is not None:
            raise self._error(token, Problem.TWICE.format(what))
        return now

    def _call(self, tree: Tree[Token]) -> Call:
        word = _token(tree.children[0])
        function = self._table.find(word) or word
        keys = self._table.sortable(function)
        most = len(self._table.parameters_of(function))
        arguments: list[_Value] = []
        where: list[Condition] = []
        for node in tree.children[1:]:
            if isinstance(node, Tree) and node.data in ("condition", "conditions"):
                where += self._where(node, keys)
            elif where:
                raise self._error(node, Problem.ORDER)
            elif len(arguments) == most and not _is_none(node):
                raise self._error(node, Problem.MANY.format(function, counted(most, "argument")))
            else:
                arguments.append(self._value(node))
        while arguments and arguments[-1] is None:
            arguments.pop()
        return Call(function, tuple(arguments), tuple(where))

    def _sort(self, tree: Tree[Token]) -> Sort:
        _, before, *direction, word = tree.children
        where = self._where(before, self._sorted_keys) if isinstance(before, Tree) else ()
        return Sort(self._key(_token(word), self._sorted_keys), bool(direction), where)

    def _where(self, tree: Tree[Token], keys: Keys) -> tuple[Condition, ...]:
        if tree.data == "condition":
            return (self._condition(tree, keys),)
        return tuple(self._condition(node, keys) for node in _trees(tree))

    def _condition(self, tree: Tree[Token], keys: Keys) -> Condition:
        operator, key, value = tree.children
        name = self._key(_token(key), keys)
        built = self._column(value, name, keys) or self._value(value)
        assert not isinstance(built, NameList)  # excluded by the grammar here
        return Condition(OPERATORS[_token(operator)], name, built)

    def _column(self, node: Built, compared: str, keys: Keys) -> Column | None:
        """Another key of the row, if an unquoted word names one whose values are comparable with
        those of `compared`."""
        if not isinstance(node, Token) or node.type != "NAME":
            return None
        own, other = keys.key(compared), keys.key(keys.find(node) or "")
        comparable = own and other and own.type is other.type and own.type in _COMPARED
        return Column(other.name) if other and comparable else None

    def _value(self, node: Built) -> _Value:
        if isinstance(node, Tree):
            if node.data == "query":
                return self._query(node)
            return NameList(tuple(_unquoted(_token(child)) for child in node.children))
        match node.type:
            case "STRING":
                return _unquoted(node)
            case "NUMBER":
                return self._number(node)
            case "FLAG":
                return str(node) == "true"
            case "STAR":
                return Star()
            case "NONE":
                return None
        constant = CONSTANTS.get(fold(node))
        if constant is not None:
            raise self._error(node, Problem.CONSTANT.format(node, constant))
        return str(node)

    def _number(self, token: Token) -> int | float:
        try:
            return int(token)
        except ValueError:
            number = float(token)
        if not math.isfinite(number):
            raise self._error(token, Problem.NUMBER)
        return number

    def _count(self, token: Token, least: int = 1) -> int:
        if not token.isdecimal() or int(token) < least:
            raise self._error(token, Problem.COUNT)
        return int(token)

    def _key(self, token: Token, keys: Keys) -> str:
        name = _bare(token)
        found = keys.find(name)
        if found is None and self._notes and (found := keys.guess(name)):
            self._notes.tell(Repair.KEY, name, found)
        if found is None and keys is self._sorted_keys:
            # A key of another function: the schema check reports it with its statement.
            found = name if self._table.all_keys.key(name) else None
        if found is None:
            raise self._error(token, Problem.KEY.format(name, suggested(keys.nearest(name))))
        return found

    def _error(self, node: Built, message: str) -> QuerySyntaxError:
        while isinstance(node, Tree):
            node = node.children[0]
        return QuerySyntaxError(self._text, node.start_pos or 0, message)


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def suggested(name: str | None) -> str:
    return f'; did you mean "{name}"?' if name else ""


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [node for node in tree.children if isinstance(node, Tree)]


def _token(node: Built) -> Token:
    assert isinstance(node, Token)  # excluded by the grammar otherwise
    return node


def _is_none(node: Built) -> bool:
    return isinstance(node, Token) and node.type == "NONE"


def _bare(token: Token) -> str:
    return _unquoted(token) if token.type == "STRING" else str(token)


def _unquoted(token: Token) -> str:
    inner = token[1:-1]
    if "\\" not in inner:
        return str(inner)
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), inner)
