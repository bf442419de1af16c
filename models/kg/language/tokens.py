"""Tokenises any text and balances its brackets: the first stage of repairing a model's text.

This module handles characters, quotation marks and brackets; `repair.py` interprets the words.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from models.kg.language.ast import Reduce
from models.kg.language.errors import Notes, Repair
from models.kg.language.functions import Functions
from models.kg.language.words import CHARACTERS, CONSTANTS, OPERATORS, OTHERS, REDUCE_WORDS, fold


class Kind(StrEnum):
    """The kind of a node; the last three contain others."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    MARK = "mark"
    END = "end"  # of a line, or ";"
    CALL = "call"  # a name with the contents of its brackets
    ROUND = "("
    SQUARE = "["


@dataclass(slots=True)
class Node:
    """A word, a sign, or brackets with their contents, from `at` to `end` in the text.

    `text`: of a string its contents, of a call its name, of other brackets the opening one.
    """

    kind: Kind
    text: str
    at: int
    end: int
    items: list["Node"] = field(default_factory=list)

    @property
    def folded(self) -> str:
        """A name, normalised as in the tables of `words.py`."""
        return fold(self.text) if self.kind in (Kind.NAME, Kind.CALL) else ""

    @property
    def role(self) -> str | None:
        """The meaning of a name that is not in the schema: "sort", "all", "descending"."""
        return OTHERS.get(self.folded)

    @property
    def reduce(self) -> Reduce | None:
        return REDUCE_WORDS.get(self.folded)

    @property
    def constant(self) -> str | None:
        """None, true or false, as written in the language."""
        return CONSTANTS.get(self.folded)

    @property
    def joins(self) -> bool:
        """Whether it joins two conditions."""
        return self.is_mark("&") or self.folded == "and"

    @property
    def wraps(self) -> bool:
        """Whether it wraps a whole query: `print(...)`, `len(...)`."""
        return self.role == "wrapper" or self.reduce is not None

    @property
    def closes(self) -> str:
        return "]" if self.kind is Kind.SQUARE else ")"

    @property
    def is_group(self) -> bool:
        return self.kind in (Kind.CALL, Kind.ROUND, Kind.SQUARE)

    def is_mark(self, *marks: str) -> bool:
        return self.kind is Kind.MARK and self.text in marks


def split(nodes: Sequence[Node], *, joints: bool = False) -> list[list[Node]]:
    """The nodes between commas, or between the words that join conditions."""
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if node.joins if joints else node.is_mark(","):
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def lines_of(text: str, table: Functions, deepest: int, notes: Notes) -> Iterator[list[Node]]:
    """The nodes of each line; none if brackets nest deeper than `deepest`.

    A line that begins with a bracket continues the previous call.
    """
    nodes = _Grouping(table, deepest, notes).nodes(_tokens(text, notes))
    line: list[Node] = []
    ended = False
    for node in nodes:
        if ended and line and node.kind is Kind.SQUARE and line[-1].is_group:
            notes.tell(Repair.JOINED)
        elif ended and line and node.kind is not Kind.END:
            yield line
            line = []
        ended = node.kind is Kind.END
        if not ended:
            line.append(node)
    if line:
        yield line


def prefix_length(nodes: Sequence[Node]) -> int:
    """The number of nodes in a prefix, with the comma of "ALL, "; 0 if there is none."""
    if not nodes or nodes[0].kind not in (Kind.NAME, Kind.NUMBER):
        return 0
    if nodes[0].role == "all":
        return 2 if len(nodes) > 1 and nodes[1].is_mark(",") else 1
    return 1 if nodes[0].kind is Kind.NUMBER or nodes[0].reduce else 0


def keyword_of(nodes: list[Node]) -> Node | None:
    """The name in `name=...` or `name: ...`."""
    named = len(nodes) > 2 and nodes[0].kind is Kind.NAME and nodes[1].is_mark("=", ":")
    return nodes[0] if named else None


_QUIET = frozenset("“”„‘’\r\u2028\u2029")  # quotes that the language accepts, and line ends
_TOKENS = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?(?!\w))"
    r"|(?P<word>\w+)|(?P<end>[\n;])|(?P<mark>(?:==|!=|<>|>=|<=|[=<>≥≤≠])(?![=<>])|.)",
    re.S,
)
_BLANK = re.compile(r"[^\S\n]+")
_FENCE = re.compile(r"```[^\n`(]*(?=\n|$)|```")
# A quotation mark ends a text if one of these follows.
_AFTER_QUOTE = re.compile(r"[^\S\n]*(?:$|[\n,)\[\];:}]|[^\S\n][\"'])")
# A text without a closing mark ends before these at the latest.
_CUT = re.compile(
    r"[)\]]{1,20}[^\S\n]{0,20}[\[;]|[)\]};]{0,20}[^\S\n]{0,20}(?:\n|$)"
    rf"""|,[^\S\n]{{0,20}}(?:["']|\[?[^\S\n]{{0,20}}(?:{"|".join(OPERATORS)})\()"""
)
_STRAY_QUOTE = re.compile(r"\[\s*\w+$")
_REACH = 300  # characters of an invalid text that are searched for a quotation mark


def _tokens(text: str, notes: Notes) -> list[Node]:
    """The words and signs of a text, with unusual characters and open quotes repaired."""
    plain = "".join(map(_plain, text))
    tokens = list(_scan(plain, text, notes))
    for token in tokens:
        end = token.at + 1 if token.kind is Kind.STRING else token.end
        for given, read in zip(text[token.at : end], plain[token.at : end], strict=True):
            if given != read and given not in _QUIET and token.kind is not Kind.END:
                notes.tell(Repair.CHARACTER, given, read)
    return tokens


def _plain(character: str) -> str:
    """The character of the language that is meant."""
    if character in CHARACTERS or character.isascii():
        return CHARACTERS.get(character, character)
    folded = unicodedata.normalize("NFKC", character)
    return character if len(folded) != 1 or folded.isalnum() and not folded.isascii() else folded


def _scan(plain: str, text: str, notes: Notes) -> Iterator[Node]:
    at = 0
    while at < len(plain):
        first = plain[at]
        if match := _BLANK.match(plain, at):
            at = match.end()
            continue
        if match := _FENCE.match(text, at):
            notes.tell(Repair.CHATTER, match[0])
            token = Node(Kind.END, "\n", at, match.end())
        elif (
            first in "\"'"
            and plain.startswith("]", at + 1)
            and _STRAY_QUOTE.search(plain, max(at - 40, 0), at)
        ):
            notes.tell(Repair.STRAY, first)  # `[len"]`
            at += 1
            continue
        elif first == '"' or (first == "'" and not (at and plain[at - 1].isalnum())):
            token = _string(plain, text, at, notes)
        else:
            match = _TOKENS.match(plain, at)
            assert match and match.lastgroup  # the pattern matches any character
            kind = Kind.NAME if match.lastgroup == "word" else Kind(match.lastgroup)
            token = Node(kind, match[0], at, match.end())
        yield token
        at = token.end


def _string(plain: str, text: str, at: int, notes: Notes) -> Node:
    """The quoted text that opens at `at`, wherever it ends."""
    reach = plain.find("\n", at)
    reach = min(reach if reach >= 0 else len(plain), at + _REACH)
    marks = [i for i in range(at + 1, reach) if plain[i] in "\"'" and plain[i - 1] != "\\"]
    quotes = [i for i in marks if plain[i] == plain[at]]
    ends = [i for i in marks if _AFTER_QUOTE.match(plain, i + 1)]
    if ends and not any(i < ends[0] for i in quotes) and plain[ends[0]] != plain[at]:
        notes.tell(Repair.MISMATCH, text[at + 1 : ends[0]])
        return Node(Kind.STRING, text[at + 1 : ends[0]], at, ends[0] + 1)
    close = next((i for i in quotes if i in ends), None)
    cut = _CUT.search(plain, at + 1, reach if close is None else close)
    if close is not None and (cut is None or cut.start() >= close):
        end = close
    else:
        limit = cut.start() if cut else reach
        end = max((i for i in quotes if i < limit), default=limit)
    closed = end in quotes
    says = text[at + 1 : end] if closed else text[at + 1 : end].rstrip()
    if not closed:
        notes.tell(Repair.QUOTE, says)
    elif any(i < end for i in quotes):
        notes.tell(Repair.INNER_QUOTE, says)
    return Node(Kind.STRING, re.sub(r"\\([\"'\\])", r"\1", says), at, end + closed)


def _closes(node: Node | None) -> bool:
    return node is not None and node.is_mark("]")


class _Grouping:
    """Groups words by brackets; adds and drops brackets until all are balanced."""

    def __init__(self, table: Functions, deepest: int, notes: Notes) -> None:
        self._table = table
        self._deepest = deepest
        self._notes = notes
        self._nodes: list[Node] = []
        self._open: list[Node] = []

    def nodes(self, tokens: list[Node]) -> list[Node]:
        """The top-level words and groups; none if brackets nest too deeply."""
        for place, token in enumerate(tokens):
            following = tokens[place + 1] if place + 1 < len(tokens) else None
            self._add_missing(token, following)
            self._add(token, following)
            if len(self._open) > self._deepest:
                return []
        self._close_all()
        return self._nodes

    @property
    def _here(self) -> list[Node]:
        return self._open[-1].items if self._open else self._nodes

    @property
    def _before(self) -> Node | None:
        return self._here[-1] if self._here else None

    def _add(self, token: Node, following: Node | None) -> None:
        if token.kind is Kind.END:
            self._end(token, following)
        elif token.is_mark("(", "["):
            self._push(Kind(token.text), token.at)
        elif token.is_mark(")", "]"):
            self._pop(token)
        else:
            self._here.append(token)

    def _add_missing(self, token: Node, following: Node | None) -> None:
        """Add the bracket or comma that is missing before `token`, and missing closing brackets
        before it."""
        before = self._before
        if token.kind is Kind.STRING and before:
            if before.kind is Kind.NAME and "_" in before.text and self._is_function(before):
                self._notes.tell(Repair.OPENED, "(", token.text)
                self._push(Kind.ROUND, token.at)
            elif before.is_group and self._is_function(before) and _closes(following):
                self._notes.tell(Repair.OPENED, "[", token.text)
                self._push(Kind.SQUARE, token.at)
            elif self._open and before.kind is Kind.STRING:
                self._notes.tell(Repair.COMMA, token.text)
                self._here.append(Node(Kind.MARK, ",", token.at, token.at))
        while token.is_mark("[") and self._ends_early():
            self._pop_one(token.at)

    def _ends_early(self) -> bool:
        """Whether a "[" at this place in a call shows that the call should have ended."""
        before = self._before
        if not self._open or not before:
            return False
        condition = before.kind in (Kind.CALL, Kind.ROUND) and not self._is_function(before)
        if not self._is_function(self._open[-1]):
            in_list = self._open[-1].kind is Kind.SQUARE and len(self._open) > 1
            return in_list and condition and self._is_function(self._open[-2])
        starts = len(self._here) == 1 or self._here[-2].is_mark(",")
        is_list = before.kind is Kind.SQUARE and starts
        return condition or is_list or before.kind in (Kind.STRING, Kind.NUMBER)

    def _is_function(self, node: Node) -> bool:
        called = node.kind is Kind.CALL and node.text.casefold().startswith("get_")
        return called or bool(node.folded and self._table.guess(node.text))

    def _push(self, kind: Kind, at: int) -> None:
        group = Node(kind, str(kind), at, at)
        if kind is Kind.ROUND and self._before and self._before.kind is Kind.NAME:
            name = self._here.pop()
            group = Node(Kind.CALL, name.text, name.at, at)
        self._here.append(group)
        self._open.append(group)

    def _pop(self, token: Node) -> None:
        if not any(group.closes == token.text for group in self._open):
            if self._before and self._before.is_group:
                self._notes.tell(Repair.STRAY, token.text)
            else:
                self._here.append(token)  # such as the number of a list, "1)"
            return
        while self._open[-1].closes != token.text:
            self._pop_one(token.at)
        self._open.pop().end = token.end

    def _pop_one(self, at: int) -> None:
        group = self._open.pop()
        group.end = at
        last = group
        while last.items:
            last = last.items[-1]
        self._notes.tell(Repair.CLOSED, group.closes, last.text)

    def _end(self, token: Node, following: Node | None) -> None:
        """Within brackets, a line's end closes them only if a statement follows."""
        if self._open and token.text == "\n":
            goes_on = self._before is None or self._before.is_mark(",")
            statement = following and "_" in following.text and self._is_function(following)
            if goes_on or not statement:
                return
        self._close_all()
        self._nodes.append(token)

    def _close_all(self) -> None:
        while self._open:
            last = self._before
            self._pop_one(last.end if last else self._open[-1].end + 1)
