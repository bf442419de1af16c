"""Reads a model's malformed text as the program that was meant, and reports each repair.

Only a text that does not parse is read here. What comes out are the trees of `grammar.lark`, with
the places of their words in the text, so that `Builder` checks them as it checks any others: no
program is accepted here that the grammar does not know. `tokens.py` settles characters and
brackets, `Builder` the names of keys.
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
from models.kg.language.tokens import Grouping, Kind, Node, tokens_of
from models.kg.language.words import CONSTANTS, OPERATOR_WORDS, OPERATORS, OTHERS, REDUCE_WORDS

_MOST_PREFIXES = 3  # "AVG", "ALL," and "ALL"
_PLACES = re.compile(r"([0-9]{0,40})(:?)([0-9]{0,40})")  # what is in the brackets of a cut


class Read(NamedTuple):
    """One statement of a text: its tree, or why it has none."""

    text: str
    tree: Tree[Token] | QuerySyntaxError


def read(text: str, table: Functions, deepest: int, notes: Notes) -> Iterator[Read]:
    """The statements that are meant in `text`, as far as can be told; none where it nests more than
    `deepest` brackets."""
    nodes = Grouping(table, deepest, notes).nodes(tokens_of(text, notes))
    return _Reader(text, table, notes).program(nodes)


class _Reader:
    """Reads one program by what its words seem to mean."""

    def __init__(self, text: str, table: Functions, notes: Notes) -> None:
        self._text = text
        self._table = table
        self._tell = notes.tell

    def program(self, nodes: list[Node]) -> Iterator[Read]:
        """The statements of all lines; a line that opens with a bracket continues a call."""
        line: list[Node] = []
        ended = False
        for node in nodes:
            if ended and line and node.kind is Kind.SQUARE and line[-1].is_group:
                self._tell(Repair.JOINED)
            elif ended and line and node.kind is not Kind.END:
                yield from self._statements(line)
                line = []
            ended = node.kind is Kind.END
            if node.kind is not Kind.END:
                line.append(node)
        if line:
            yield from self._statements(line)

    def _statements(self, line: list[Node]) -> Iterator[Read]:
        """The statements of one line; what is between them is chatter."""
        starts = [place for place in range(len(line)) if self._starts(line, place)]
        if not starts and (nothing := self._nothing(line)) is not None:
            yield Read("None", Tree("nothing", [nothing]))
            return
        end = found = 0
        for place in starts:
            if place < end:  # after a prefix: part of the query before
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
        if _constant(words[-1:]) != "None" or (len(words) > 1 and not words[-2].is_mark(":")):
            return None
        if len(line) > 1:
            self._chatter(line)
        return self._value(words[-1:])

    # --- one query

    def _starts(self, nodes: Sequence[Node], place: int) -> bool:
        """Whether a query starts at `place`, with what may stand before its function."""
        for _ in range(_MOST_PREFIXES):
            place += _prefix_length(nodes[place : place + 2])
        node = nodes[place] if place < len(nodes) else None
        if node is None or node.kind is not Kind.CALL:
            return False
        if _is_wrapper(node):
            return self._starts(node.items, 0)
        known = OTHERS.get(node.folded) == "sort" or self._table.guess(node.text) is not None
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

        `front`, `back`: what stands around it so far. `before` takes a query that is found within a
        sort, and comes first; None where no other query can come first.
        """
        while length := _prefix_length(nodes[place : place + 2]):
            self._prefix(nodes[place : place + length], front, back)
            place += length
        call = nodes[place]
        is_sort = OTHERS.get(call.folded) == "sort"
        if _is_wrapper(call):
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
        word, given = nodes[0], self._source(nodes)
        if word.kind is Kind.NUMBER:
            front.append(_token("NUMBER", word))
        elif OTHERS.get(word.folded) == "all":
            front[:] = [_token("ALL", word, "ALL")]
            if given != "ALL":
                self._tell(Repair.PREFIX, given, "ALL")
        elif given != self._reduce(word, front, back) or given == Reduce.LEN:
            reduce = REDUCE_WORDS[word.folded]
            self._tell(Repair.PREFIX, given, '["len"]' if reduce is Reduce.LEN else str(reduce))

    def _reduce(self, word: Node, front: list[Built], back: list[Built]) -> Reduce | None:
        """Puts what a word makes of the values where the grammar has it."""
        reduce = REDUCE_WORDS.get(word.folded)
        if reduce is Reduce.LEN:
            back.append(_bracket(_token("STRING", word, quoted(reduce))))
        elif reduce is not None:
            front.insert(0, _token("REDUCE", word, reduce))
        return reduce

    # --- what stands after a call

    def _tail(
        self, nodes: Sequence[Node], place: int, front: list[Built]
    ) -> tuple[list[Built], int]:
        tail: list[Built] = []
        while place < len(nodes):
            node, key = nodes[place], nodes[place + 1 : place + 2]
            if node.kind is Kind.SQUARE:
                tail += self._brackets(node, front)
                place += 1
            elif node.is_mark(".") and key and self._is_key(node, key[0]):
                self._tell(Repair.DOT, key[0].text)
                tail.append(_bracket(self._string(key)))
                place += 2
            else:
                break
        return tail, place

    def _is_key(self, dot: Node, word: Node) -> bool:
        """Whether this word after a dot is a key, not the first of a sentence."""
        known = self._table.all_keys.guess(word.text) or word.folded in REDUCE_WORDS
        return bool(word.kind is Kind.NAME and word.at == dot.end and known)

    def _brackets(self, group: Node, front: list[Built]) -> list[Built]:
        """A key, a reduction or a cut. `[:]` is `ALL`, which goes to the front."""
        words = group.items
        if not words:
            self._tell(Repair.EMPTY)
            return []
        if len(words) == 1 and words[0].kind is Kind.STRING:
            return [_bracket(self._string(words))]
        if all(word.kind is Kind.NAME for word in words):
            self._tell(Repair.QUOTED, self._source(words))
            return [_bracket(self._string(words))]
        numbers = all(word.kind in (Kind.NUMBER, Kind.MARK) for word in words)
        places = _PLACES.fullmatch("".join(word.text for word in words)) if numbers else None
        if places is None or places[1].strip("0") and places[2] and not places[3]:
            raise self._refused(words[-1])
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

    # --- what is between a call's brackets

    def _call(self, call: Node) -> Tree[Token]:
        function = self._table.find(call.text)
        if function is None:
            function = self._table.guess(call.text)
            if function is None:
                nearest = suggested(self._table.nearest(call.text))
                message = Problem.FUNCTION.format(call.text, nearest)
                raise QuerySyntaxError(self._text, call.at, message)
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
            keyword = _keyword(argument)
            meant = OTHERS.get(keyword.folded) if keyword else None
            if keyword and meant in ("key", "where"):
                self._tell(Repair.KEYWORD, keyword.text)
                argument = argument[2:]
            elif meant == "descending":
                down = _constant(argument[2:]) != "false"
                self._tell(Repair.SORT, self._source(argument), "-" if down else "no sign")
                continue
            conditions = self._conditions(argument)
            if conditions is not None:
                where += conditions
            elif _constant(argument) != "None":
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
        """The key of a sort and its direction, which may be a sign before it or a word after it."""
        sign, last = self._source(words), words[-1]
        way = OTHERS.get(last.folded)
        if words[0].is_mark("-") and len(words) > 1:
            return self._string(words[1:]), True
        if way in ("descending", "ascending") and (key or len(words) > 1):
            down = way == "descending"
            self._tell(Repair.SORT, last.text, "-" if down else "no sign")
            return (self._string(words[:-1]) if len(words) > 1 else key), down
        if len(words) == 1 and last.text.startswith("-"):
            self._tell(Repair.SORT, sign, last.text)
            return _token("STRING", last, quoted(last.text[1:].strip())), True
        return self._string(words), down

    def _given(self, items: Sequence[Node]) -> list[list[Node]]:
        """The arguments, less empty ones."""
        parts = _split(items)
        kept = [p for p in parts if p and not (len(p) == 1 and p[0].is_group and not p[0].items)]
        if items and len(kept) < len(parts):
            self._tell(Repair.EMPTY)
        return kept

    def _placed(self, function: str, argument: list[Node]) -> tuple[int | None, list[Node]]:
        """The place that `name=...` or `name: ...` gives an argument, and its value."""
        keyword = _keyword(argument)
        if keyword is None:
            return None, argument
        place = self._table.place_of(function, keyword.text)
        if place is None and OTHERS.get(keyword.folded) != "where":
            return None, argument
        self._tell(Repair.KEYWORD, keyword.text)
        return place, argument[2:]

    # --- conditions

    def _conditions(self, nodes: list[Node]) -> list[Tree[Token]] | None:
        """The conditions that an argument is; None where it is none."""
        joint = next((node for node in nodes if _is_and(node)), None)
        if len(nodes) == 1 and nodes[0].kind in (Kind.ROUND, Kind.SQUARE):
            parts = _split(nodes[0].items)
        elif joint:
            parts = _split(nodes, joints=True)
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
            raise self._refused(call.items[-1] if call.items else call)
        parts = _split(value)  # a text without quotes may have commas in it
        literal = any(len(p) == 1 and p[0].kind in (Kind.NUMBER, Kind.STRING) for p in parts)
        if not value or (len(parts) > 1 and literal):
            raise self._refused(call.items[-1])
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
        names = [self._value(part) for part in _split(nodes[0].items) if part]
        if not all(isinstance(name, Token) and name.type == "STRING" for name in names):
            raise self._refused(nodes[0])
        return Tree("names", names)

    def _value(self, nodes: list[Node], *, bare: bool = False) -> Built:
        """One value; `bare`: a word without quotes is allowed here."""
        first = nodes[0]
        if self._starts(nodes, 0):
            tree, after = self._query(nodes, 0, [], [])
            if after == len(nodes):
                return tree
        if len(nodes) == 2 and first.is_mark("-") and nodes[1].kind is Kind.NUMBER:
            return _token("NUMBER", first, f"-{nodes[1].text}")
        if len(nodes) == 1:
            constant = _constant(nodes)
            if constant is not None:
                if constant != first.text:
                    self._tell(Repair.CONSTANT, first.text, constant)
                return _token("NONE" if constant == "None" else "FLAG", first, constant)
            if first.kind is Kind.NUMBER or first.is_mark("*"):
                return _token("NUMBER" if first.kind is Kind.NUMBER else "STAR", first)
            if first.kind is Kind.NAME and bare:
                return _token("NAME", first)
        if len(nodes) > 1 or first.kind is not Kind.STRING:
            self._tell(Repair.QUOTED, self._source(nodes))
        return self._string(nodes)

    def _string(self, nodes: Sequence[Node]) -> Token:
        """Words as one text in quotes."""
        alone = len(nodes) == 1 and not nodes[0].is_group
        text = nodes[0].text if alone else " ".join(self._source(nodes).split())
        return _token("STRING", nodes[0], quoted(text))

    def _source(self, nodes: Sequence[Node]) -> str:
        """The words as they were given."""
        return self._text[nodes[0].at : nodes[-1].end]

    def _refused(self, node: Node) -> QuerySyntaxError:
        """What no program can say."""
        message = Problem.UNEXPECTED.format(self._source([node]))
        return QuerySyntaxError(self._text, node.at, message)


def _token(kind: str, node: Node, text: str | None = None) -> Token:
    return Token(kind, node.text if text is None else str(text), start_pos=node.at)


def _bracket(name: Token) -> Tree[Token]:
    return Tree("bracket", [name])


def _split(nodes: Sequence[Node], *, joints: bool = False) -> list[list[Node]]:
    """The nodes between commas, or between the words that join conditions."""
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if _is_and(node) if joints else node.is_mark(","):
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def _prefix_length(nodes: Sequence[Node]) -> int:
    """How many nodes a prefix takes, with the comma of "ALL, "; 0 where none starts here."""
    if not nodes or nodes[0].kind not in (Kind.NAME, Kind.NUMBER):
        return 0
    if OTHERS.get(nodes[0].folded) == "all":
        return 2 if len(nodes) > 1 and nodes[1].is_mark(",") else 1
    return 1 if nodes[0].kind is Kind.NUMBER or nodes[0].folded in REDUCE_WORDS else 0


def _is_wrapper(call: Node) -> bool:
    return OTHERS.get(call.folded) == "wrapper" or call.folded in REDUCE_WORDS


def _keyword(nodes: list[Node]) -> Node | None:
    """The name in `name=...` or `name: ...`."""
    named = len(nodes) > 2 and nodes[0].kind is Kind.NAME and nodes[1].is_mark("=", ":")
    return nodes[0] if named else None


def _constant(nodes: Sequence[Node]) -> str | None:
    """What a single word means, as the language writes it: None, true or false."""
    return CONSTANTS.get(nodes[0].folded) if len(nodes) == 1 else None


def _is_and(node: Node) -> bool:
    return node.is_mark("&") or node.folded == "and"
