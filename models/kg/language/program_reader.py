"""Reads a program: the statements that its words mean, with what a model got wrong repaired.

A text in the language needs no repair. Names are looked up in the table of functions, so that no
program has a function or key that the language lacks; `check.py` checks types.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, dropwhile, permutations
from typing import Any

from models.kg.language.ast import (
    Calculation,
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
from models.kg.language.errors import QuerySyntaxError, RepairLog
from models.kg.language.tokens import (
    CHATTER,
    Node,
    NodeKind,
    keyword_of,
    lines_of,
    split,
    split_at_joints,
)
from models.kg.language.words import (
    COMPARISON_NAMES,
    OPERATOR_WORDS,
    REDUCE_WORDS,
    ROLES,
    Constant,
    WordRole,
)
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import Function, KeyIndex, NameIndex, Type, squeezed_name
from models.kg.schema.operations import Arithmetic, Op, Reduce

_SLICE = re.compile(r"([0-9]{0,40})(:?)([0-9]{0,40})")  # the contents of a slice's brackets
_ALL_ROWS = Take(None)
_DISTINCT = "DISTINCT"

# The sentences of repairs that are made in several places.
_FUNCTION = '"{}" was read as the function {}'
_KEYWORD = 'the argument called "{}" was put in its place'
_ORDER = "the order of the sort, {}, was written as {}"
_QUOTED = "missing quotation marks were put around {}"
_READ_AS = '"{}" was read as {}'


@dataclass(frozen=True, slots=True)
class _Draft:
    """A query of which not all parts are read yet.

    Attributes:
        keys: those that its key may be.
        take: the slice that the text gives; None if it gives none.
        all_rows: the text says `ALL`, or implies it.
    """

    source: FunctionCall | Sort | Calculation
    keys: KeyIndex
    key: str | None = None
    take: Take | None = None
    all_rows: bool = False
    reduce: Reduce | None = None
    distinct: bool = False

    def query(self) -> Query:
        """The query, with its default slice if the text gives none."""
        take = self.take
        if take is None:
            uses_all_rows = self.all_rows or self.reduce or self.distinct
            take = _ALL_ROWS if uses_all_rows else Take()
        return Query(self.source, self.key, take, self.reduce, self.distinct)


class ProgramReader:
    """Reads one program.

    Attributes:
        errors: those of its `InvalidStatement` statements.
    """

    def __init__(self, text: str, repairs: RepairLog) -> None:
        self.errors: list[QuerySyntaxError] = []
        self._text = text
        self._repairs = repairs
        self._table = functions()
        self._sorted_keys = self._table.all_keys  # of the previous statement

    def statements(self) -> Iterator[Statement]:
        """The statements in the text; other text between them is left out."""
        for line in lines_of(self._text, self._repairs):
            if len(line) == 1 and line[0].constant is Constant.NONE:
                self._value(line)  # for its side effect: it records a repaired spelling
                yield Nothing()
            else:
                yield from self._statements_in(self._with_call_for_sign(line))

    def _statements_in(self, line: Sequence[Node]) -> Iterator[Query | InvalidStatement]:
        """The queries of a line, and those inside its sorts, which are put before them."""
        end = 0  # of the previous query
        for place, call in enumerate(line):
            if not call.is_query:
                continue
            inner_query = _query_inside_sort(call)
            if inner_query:
                self._repair(call, "what was inside a sort was put before it")
                yield from self._statements_in(inner_query)
                call = replace(call, items=call.items[len(inner_query) + 1 :])
            start = place
            while start > end and line[start - 1].is_prefix:
                start -= 1
            self._leave_out(line[end:start])
            end = place + 1
            while end < len(line) and line[end].kind is NodeKind.SQUARE:
                end += 1
            yield self._statement([*line[start:place], call, *line[place + 1 : end]])
        self._leave_out(line[end:])

    def _statement(self, nodes: Sequence[Node]) -> Query | InvalidStatement:
        try:
            query = self._query(nodes)
        except QuerySyntaxError as error:
            self.errors.append(error)
            return InvalidStatement(self._source(nodes), error.message)
        if isinstance(query.source, FunctionCall):
            self._sorted_keys = self._table.sortable(query.source.function, query.key)
        return query

    def _leave_out(self, nodes: Sequence[Node]) -> None:
        """Record that words are not part of the program."""
        if nodes:
            self._repair(nodes[0], CHATTER, self._source(nodes))

    # --- one query

    def _query(self, nodes: Sequence[Node]) -> Query:
        """The query of a call with the words before it and the brackets after it."""
        call = next(node for node in nodes if node.is_query)
        modifiers: list[tuple[Node, str | Take]] = []
        for node in nodes:
            if node.is_prefix:
                modifiers.append((node, self._prefix(node)))
            elif node.items and node is not call:
                modifiers.append((node.items[0], self._brackets(node)))
        draft = self._unmodified(call)
        for node, modifier in modifiers:
            draft = self._modified(draft, modifier, node)
        return draft.query()

    def _unmodified(self, call: Node) -> _Draft:
        """The query of a call without the words around it."""
        if call.role is WordRole.SORT:
            return _Draft(self._sort(call), self._sorted_keys)
        if call.arithmetic:
            return _Draft(self._calculation(call, call.arithmetic), KeyIndex(()))
        source = self._call(call)
        return _Draft(source, self._table.keys_of(source.function))

    def _modified(self, draft: _Draft, modifier: str | Take, node: Node) -> _Draft:
        """The query with one more word before it, or brackets after it.

        A word before it, `AVG` or `DISTINCT`, is read like a text in brackets.
        """
        if isinstance(draft.source, Calculation):
            message = "a calculation has one value, of which nothing can be selected or aggregated"
            raise self._error(node, message)
        if modifier == _ALL_ROWS:
            return replace(draft, all_rows=True)
        if isinstance(modifier, Take):
            self._expect_none("a count", draft.take, node)
            return replace(draft, take=modifier)
        if self._is_distinct(modifier, node, draft.keys):
            return replace(draft, distinct=True)
        reduce = self._reduction(modifier, node, draft.keys)
        if reduce:
            self._expect_none("what is made of the values", draft.reduce, node)
            return replace(draft, reduce=reduce)
        if isinstance(draft.source, FunctionCall):
            joined = self._table.function_for_key(draft.source.function, draft.key)
            if joined:
                return self._joined(draft, joined, modifier, node)
        key = self._key(modifier, node, draft.keys)
        self._expect_none("a key", draft.key, node)
        return replace(draft, key=key)

    def _joined(self, draft: _Draft, row: Function, name: str, node: Node) -> _Draft:
        """A query for a key of the entities that a query's key names."""
        take = _ALL_ROWS if draft.all_rows else draft.take or Take()
        entities = Query(draft.source, draft.key, take)
        keys = self._table.keys_of(row.name)
        return replace(
            draft,
            source=FunctionCall(row.name, (entities,)),
            keys=keys,
            key=self._key(name, node, keys),
            take=None,
            all_rows=True,
        )

    def _expect_none(self, what: str, value: object, node: Node) -> None:
        """Raise an error if something that may be given once has a value already."""
        if value is not None:
            raise self._error(node, f"{what} is given twice")

    def _prefix(self, word: Node) -> str | Take:
        """The meaning of a word before a call."""
        if word.role is WordRole.DISTINCT:
            return word.text
        if word.kind is NodeKind.NUMBER:
            return Take(self._count(word.text, word))
        if word.reduce is Reduce.LEN:
            canonical = '["len"]'
        elif word.reduce:
            canonical = str(word.reduce)
        else:
            canonical = "ALL"
        if word.text != canonical:
            self._repair(word, _READ_AS, word.text, canonical)
        return word.reduce or _ALL_ROWS

    def _is_distinct(self, word: str, node: Node, keys: KeyIndex) -> bool:
        """Whether a word means `DISTINCT`, and no key."""
        if self._find_key(word, keys) or ROLES.get(squeezed_name(word)) is not WordRole.DISTINCT:
            return False
        if word != _DISTINCT or node.kind is NodeKind.STRING:
            self._repair(node, _READ_AS, word, _DISTINCT)
        return True

    def _reduction(self, word: str, node: Node, keys: KeyIndex) -> Reduce | None:
        """The aggregation that a word means, unless it is a key."""
        if self._find_key(word, keys):
            return None
        reduce = REDUCE_WORDS.get(squeezed_name(word))
        if reduce and reduce != word:
            self._repair(node, _READ_AS, word, reduce)
        return reduce

    def _brackets(self, group: Node) -> str | Take:
        """A key, an aggregation or a slice; `[:]` is `ALL`."""
        words = group.items
        contents = self._source(words)
        if all(word.kind is NodeKind.NAME for word in words):
            self._repair(words[0], _QUOTED, contents)
            return self._as_text(words)
        if len(words) == 1 and words[0].kind is NodeKind.STRING:
            return words[0].text
        bounds = _SLICE.fullmatch("".join(contents.split()))
        if bounds is None:
            raise self._error(words[-1])
        start = int(bounds[1] or 0)
        has_colon = bool(bounds[2])
        if bounds[3]:
            return Take(self._count(bounds[3], words[-1]) - start, start)
        if not has_colon:
            self._repair(group, _READ_AS, f"[{contents}]", f"[{start}:{start + 1}]")
            return Take(1, start)
        if start:
            raise self._error(words[-1])
        self._repair(group, _READ_AS, f"[{contents}]", "ALL")
        return _ALL_ROWS

    def _count(self, text: str, node: Node) -> int:
        if not text.isdecimal() or int(text) < 1:
            raise self._error(node, "a count is a whole number from 1")
        return int(text)

    # --- within a call's brackets

    def _call(self, call: Node) -> FunctionCall:
        function = self._function(call)
        keys = self._table.sortable(function)
        arguments: list[Any] = []
        where: tuple[Condition, ...] = ()
        for words in filter(None, split(call.items)):
            place, words = self._without_keyword(function, words)
            conditions = self._conditions(words, keys)
            if conditions is not None:
                where += conditions
                continue
            if where:
                self._repair(words[0], "conditions were put last")
            value = self._argument(words)
            if place is None:
                place = len(arguments)
            if value is not None:
                self._check_place(function, place, words[0])
            arguments += [None] * (place + 1 - len(arguments))
            arguments[place] = value
        while arguments and arguments[-1] is None:
            arguments.pop()
        in_order = self._in_order(call, function, arguments)
        return FunctionCall(function, tuple(in_order), where)

    def _function(self, call: Node) -> str:
        """The function that a call names, spelled in any way."""
        exact = self._table.find(call.text)
        if exact is not None:
            return exact
        function = self._table.guess(call.text)
        if function is None:
            raise self._unknown("function", call.text, self._table, call)
        self._repair(call, _FUNCTION, call.text, function)
        return function

    def _without_keyword(self, function: str, words: list[Node]) -> tuple[int | None, list[Node]]:
        """The position of an argument `name=...` or `name: ...`, and its value; None and the
        unchanged words for one without a name."""
        keyword = keyword_of(words)
        if keyword is None:
            return None, words
        place = self._table.parameter_index_of(function, keyword.text)
        if place is None and keyword.role is not WordRole.WHERE:
            return None, words
        self._repair(keyword, _KEYWORD, keyword.text)
        return place, words[2:]

    def _check_place(self, function: str, place: int, node: Node) -> None:
        """Raise an error if a function has no argument at this position."""
        most = len(self._table.parameters_of(function))
        if place >= most:
            counted = "1 argument" if most == 1 else f"{most} arguments"
            message = f"{function} takes no more than {counted} before its conditions"
            raise self._error(node, message)

    def _in_order(self, call: Node, function: str, arguments: Sequence[Any]) -> list[Any]:
        """The arguments; one of the wrong type is swapped with a text in whose place it fits."""
        ordered = list(arguments)
        parameters = enumerate(self._table.parameters_of(function)[: len(arguments)])
        for (place, parameter), (other_place, other_parameter) in permutations(parameters, 2):
            value = ordered[place]
            text = ordered[other_place]
            if other_parameter.type is not Type.TEXT or not isinstance(text, str):
                continue
            if fits(parameter.type, text) and not fits(parameter.type, value):
                ordered[place] = text
                ordered[other_place] = value
                self._repair(call, "the arguments of {} were put in their order", function)
        return ordered

    def _sort(self, call: Node) -> Sort:
        where: tuple[Condition, ...] = ()
        key: str | None = None
        descending = False
        for words in filter(None, split(call.items)):
            keyword = keyword_of(words)
            role = keyword.role if keyword else None
            if role is WordRole.DESCENDING:
                descending = words[-1].constant is not Constant.FALSE
                self._repair_order(words[0], self._source(words), descending)
                continue
            if keyword and role in (WordRole.KEY, WordRole.WHERE):
                self._repair(keyword, _KEYWORD, keyword.text)
                words = words[2:]
            conditions = self._conditions(words, self._sorted_keys)
            if conditions is not None:
                where += conditions
            elif len(words) > 1 or words[0].constant is not Constant.NONE:
                if len(words) == len(call.items):
                    self._repair(words[0], _ORDER, self._source(words), "the second argument")
                name, descending = self._direction(words, descending)
                if name:
                    key = self._key(name, words[-1], self._sorted_keys)
        if call.text != "sort":
            self._repair(call, _FUNCTION, call.text, "sort")
        if key is None:
            raise QuerySyntaxError(self._text, call.end - 1, 'unexpected ")"')
        return Sort(key, descending, where)

    # --- calculations

    def _with_call_for_sign(self, line: list[Node]) -> list[Node]:
        """The line; one of two values with a sign between them is written as a calculation."""
        signs = []
        for place, node in enumerate(line):
            if node.kind is NodeKind.MARK and node.arithmetic:
                signs.append(place)
        if len(signs) != 1:
            return line
        sign = line[signs[0]]
        left = line[: signs[0]]
        right = line[signs[0] + 1 :]
        if not _is_one_query(left) or not (len(right) == 1 or _is_one_query(right)):
            return line
        assert sign.arithmetic is not None
        call = Node(NodeKind.CALL, sign.arithmetic, line[0].at, line[-1].end)
        call.items = [*left, Node(NodeKind.MARK, ",", sign.at, sign.end), *right]
        self._repair(sign, "the sign {} was read as {}", sign.text, call.text)
        return [call]

    def _calculation(self, call: Node, op: Arithmetic) -> Calculation:
        parts = [words for words in split(call.items) if words]
        if len(parts) != 2:
            raise self._error(call, f"{op} takes two values: {op}(a, b)")
        if call.text != op:
            self._repair(call, _READ_AS, call.text, op)
        return Calculation(op, self._operand(parts[0]), self._operand(parts[1]))

    def _operand(self, nodes: list[Node]) -> str | int | float | Star | Query:
        """One side of a calculation."""
        value = self._value(nodes)
        if value is None or isinstance(value, bool):
            message = "each side of a calculation is a query, a number or a time"
            raise self._error(nodes[0], message)
        return value

    def _direction(self, words: list[Node], descending: bool) -> tuple[str, bool]:
        """The name of a sort's key, and the direction that a sign before it or a word after it
        gives; `descending` without one."""
        last = words[-1]
        if last.role in (WordRole.DESCENDING, WordRole.ASCENDING):
            descending = last.role is WordRole.DESCENDING
            self._repair_order(last, last.text, descending)
            words = words[:-1]
        elif words[0].is_mark("-"):
            descending = True
            words = words[1:]
        name = self._as_text(words) if words else ""
        if name.startswith("-"):
            self._repair(last, _ORDER, self._source(words), name)
            return name[1:].strip(), True
        return name, descending

    def _repair_order(self, node: Node, words: str, descending: bool) -> None:
        """Record that words give a sort's direction."""
        self._repair(node, _ORDER, words, "-" if descending else "no sign")

    # --- conditions

    def _conditions(self, nodes: list[Node], keys: KeyIndex) -> tuple[Condition, ...] | None:
        """The conditions in an argument; None if it is not one."""
        joint = next((node for node in nodes if node.joins), None)
        if len(nodes) == 1 and nodes[0].kind in (NodeKind.ROUND, NodeKind.SQUARE):
            parts = split(nodes[0].items)
        elif joint:
            parts = split_at_joints(nodes)
        else:
            condition = self._condition(nodes, keys)
            return (condition,) if condition else None
        results = [self._conditions(part, keys) for part in parts if part]
        conditions = [result for result in results if result is not None]
        if not results or len(conditions) < len(results):
            return None
        if joint:
            self._repair(joint, 'conditions joined by "{}" were made a list', joint.text)
        return tuple(chain.from_iterable(conditions))

    def _condition(self, nodes: list[Node], keys: KeyIndex) -> Condition | None:
        """`eq(key, value)`, or a comparison: `key == value`; None for other words."""
        operation = self._operation(nodes)
        if operation is None:
            return None
        operator, operands = operation
        if len(operands) != 2 or not all(operands):
            raise self._error(nodes[0])
        key_nodes, value_nodes = operands
        key = self._key(self._as_text(key_nodes), key_nodes[0], keys)
        value = self._column(value_nodes, key, keys) or self._value(value_nodes, bare=True)
        return Condition(operator, key, value)

    def _operation(self, nodes: list[Node]) -> tuple[Op, list[list[Node]]] | None:
        """The operator of a condition, and its operands."""
        first = nodes[0]
        if len(nodes) == 1 and first.kind is NodeKind.CALL and first.folded in OPERATOR_WORDS:
            operator = OPERATOR_WORDS[first.folded]
            if first.text not in COMPARISON_NAMES:
                self._repair(first, 'the condition "{}" was read as {}', first.text, operator)
            return operator, split(first.items)
        signs = [place for place, node in enumerate(nodes) if node.is_mark(*OPERATOR_WORDS)]
        if not signs or signs[0] == 0:
            return None
        place = signs[0]
        self._repair(first, "the comparison {} was written as a condition", self._source(nodes))
        return OPERATOR_WORDS[nodes[place].text], [nodes[:place], nodes[place + 1 :]]

    def _column(self, nodes: list[Node], compared: str, keys: KeyIndex) -> Column | None:
        """Another key of the row, if an unquoted word names one whose values are comparable with
        those of `compared`."""
        if len(nodes) > 1 or nodes[0].kind is not NodeKind.NAME:
            return None
        key = keys.key(compared)
        column = keys.key(keys.find(nodes[0].text) or "")
        if key is None or column is None:
            return None
        if key.type is not column.type or key.type not in IN_ORDER:
            return None
        return Column(column.name)

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
        if _is_one_query(nodes):
            return self._query(nodes)
        if len(nodes) == 2 and first.is_mark("-") and nodes[1].kind is NodeKind.NUMBER:
            return self._number(f"-{nodes[1].text}", first)
        if len(nodes) > 1:
            self._repair(first, _QUOTED, self._source(nodes))
            return self._as_text(nodes)
        if first.kind is NodeKind.STRING:
            return first.text
        if first.kind is NodeKind.NUMBER:
            return self._number(first.text, first)
        if first.is_mark("*"):
            return Star()
        if first.kind is NodeKind.NAME and first.constant is not None:
            if first.constant != first.text:
                self._repair(first, _READ_AS, first.text, first.constant)
            return first.constant.literal
        if first.kind is NodeKind.NAME and bare:
            return first.text
        self._repair(first, _QUOTED, self._source(nodes))
        return self._as_text(nodes)

    def _number(self, text: str, node: Node) -> int | float:
        try:
            return int(text)
        except ValueError:
            number = float(text)
        if not math.isfinite(number):
            raise self._error(node, "the number is too large")
        return number

    def _find_key(self, name: str, keys: KeyIndex) -> str | None:
        """The key of that name; after a sort, any: the schema check reports another function's."""
        key = keys.find(name)
        if key is None and keys is self._sorted_keys:
            return self._table.all_keys.find(name)
        return key

    def _key(self, name: str, node: Node, keys: KeyIndex) -> str:
        """The key that a name means, spelled in any way."""
        exact = self._find_key(name, keys)
        if exact is not None:
            return exact
        key = keys.guess(name)
        if key is None:
            raise self._unknown("key", name, keys, node)
        self._repair(node, 'the key "{}" was read as "{}"', name, key)
        return key

    # --- source, repairs and errors

    def _as_text(self, nodes: Sequence[Node]) -> str:
        """Words as one text."""
        if len(nodes) == 1 and not nodes[0].is_group:
            return nodes[0].text
        return " ".join(self._source(nodes).split())

    def _source(self, nodes: Sequence[Node]) -> str:
        """The words as in the source."""
        return self._text[nodes[0].at : nodes[-1].end]

    def _repair(self, node: Node, template: str, *fragments: str) -> None:
        self._repairs.add(node.at, template, *fragments)

    def _unknown(self, what: str, name: str, names: NameIndex, node: Node) -> QuerySyntaxError:
        nearest = names.nearest(name)
        hint = f'; did you mean "{nearest}"?' if nearest else ""
        return self._error(node, f'unknown {what} "{name}"{hint}')

    def _error(self, node: Node, message: str | None = None) -> QuerySyntaxError:
        """The error of a text that no program can express."""
        if message is None:
            message = f'unexpected "{self._source([node])}"'
        return QuerySyntaxError(self._text, node.at, message)


def _query_inside_sort(call: Node) -> list[Node]:
    """The first argument of a sort if it has a query, else nothing."""
    if call.role is not WordRole.SORT:
        return []
    first_argument = split(call.items)[0]
    return first_argument if any(node.is_query for node in first_argument) else []


def _is_one_query(nodes: Sequence[Node]) -> bool:
    """Whether words are a call with what may stand before and after it, and nothing else."""
    from_call = list(dropwhile(lambda node: node.is_prefix, nodes))
    if not from_call or not from_call[0].is_query:
        return False
    return all(node.kind is NodeKind.SQUARE for node in from_call[1:])
