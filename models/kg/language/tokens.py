"""Splits a text into words, signs and balanced brackets: the first stage of reading a program.

This module handles characters, quotation marks and brackets; `reader.py` interprets the words.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from models.kg.language.errors import Notes, QuerySyntaxError
from models.kg.language.words import (
    CHARACTERS,
    CONSTANTS,
    OPERATOR_WORDS,
    OPERATORS,
    OTHERS,
    REDUCE_WORDS,
)
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import fold
from models.kg.schema.operations import Reduce

MAX_NESTING = 32  # nested brackets
CHATTER = "words that are no program were left out: {}"


class NodeKind(StrEnum):
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

    kind: NodeKind
    text: str
    at: int
    end: int
    items: list["Node"] = field(default_factory=list)

    @property
    def folded(self) -> str:
        """A name, normalised as in the tables of `words.py`."""
        return fold(self.text) if self.kind in (NodeKind.NAME, NodeKind.CALL) else ""

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
    def is_prefix(self) -> bool:
        """Whether it can stand before a call: a number, ALL or AVG."""
        word = self.kind is NodeKind.NAME and (self.role == "all" or self.reduce)
        return self.kind is NodeKind.NUMBER or bool(word)

    @property
    def closes(self) -> str:
        return "]" if self.kind is NodeKind.SQUARE else ")"

    @property
    def is_group(self) -> bool:
        return self.kind in (NodeKind.CALL, NodeKind.ROUND, NodeKind.SQUARE)

    @property
    def is_function(self) -> bool:
        """Whether its name is that of a function, spelled in any way."""
        return bool(self.folded and functions().guess(self.text))

    @property
    def is_query(self) -> bool:
        """Whether it is a call of a function, which may be unknown, or a sort."""
        return self.kind is NodeKind.CALL and (
            self.is_function or self.role == "sort" or self.text.casefold().startswith("get_")
        )

    def is_mark(self, *marks: str) -> bool:
        return self.kind is NodeKind.MARK and self.text in marks


def split(nodes: Sequence[Node], *, joints: bool = False) -> list[list[Node]]:
    """The nodes between commas, or between the words that join conditions."""
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if node.joins if joints else node.is_mark(","):
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def lines_of(text: str, notes: Notes) -> list[list[Node]]:
    """The nodes of each statement or line of prose.

    Raises:
        QuerySyntaxError: brackets nest deeper than `MAX_NESTING`.
    """
    return [line for line in _Grouping(text, notes).lines() if line]


def keyword_of(nodes: list[Node]) -> Node | None:
    """The name in `name=...` or `name: ...`."""
    named = len(nodes) > 2 and nodes[0].kind is NodeKind.NAME and nodes[1].is_mark("=", ":")
    return nodes[0] if named else None


_TOKENS = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?(?!\w))"
    r"|(?P<word>\w+)|(?P<end>[\n;])|(?P<mark>(?:==|!=|<>|>=|<=|[=<>≥≤≠])(?![=<>])|.)",
    re.S,
)
_BLANK = re.compile(r"[^\S\n]+")
_FENCE = re.compile(r"```[^\n`(]*(?=\n|$)|```")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
# A quotation mark ends a text if one of these follows.
_AFTER_QUOTE = re.compile(r"[^\S\n]*(?:$|[\n,)\[\];:}]|[^\S\n][\"'])")
# A text without a closing mark ends before these at the latest.
_CUT = re.compile(
    r"[)\]]{1,20}[^\S\n]{0,20}[\[;]|[)\]};]{0,20}[^\S\n]{0,20}(?:\n|$)"
    rf"""|,[^\S\n]{{0,20}}(?:["']|\[?[^\S\n]{{0,20}}(?:{"|".join(OPERATORS)})\()"""
)
_REACH = 300  # characters of an invalid text that are searched for a quotation mark
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def _plain(character: str) -> str:
    """The character of the language that is meant by another one, such as a curly quote."""
    if character in CHARACTERS or character.isascii():
        return CHARACTERS.get(character, character)
    folded = unicodedata.normalize("NFKC", character)
    return character if len(folded) != 1 or folded.isalnum() and not folded.isascii() else folded


def _tokens(text: str, notes: Notes) -> Iterator[Node]:
    """The words and signs of a text, with open quotes repaired."""
    plain = "".join(map(_plain, text))
    at = 0
    while at < len(plain):
        if match := _BLANK.match(plain, at):
            at = match.end()
            continue
        if match := _FENCE.match(text, at):
            notes.tell(at, CHATTER, match[0])
            token = Node(NodeKind.END, "\n", at, match.end())
        elif plain[at] == '"' or (plain[at] == "'" and not (at and plain[at - 1].isalnum())):
            token = _string(plain, text, at, notes)
        else:
            match = _TOKENS.match(plain, at)
            assert match and match.lastgroup  # the pattern matches any character
            kind = NodeKind.NAME if match.lastgroup == "word" else NodeKind(match.lastgroup)
            token = Node(kind, match[0], at, match.end())
        yield token
        at = token.end


def _string(plain: str, text: str, at: int, notes: Notes) -> Node:
    """The quoted text that opens at `at`, wherever it ends."""
    match = _STRING.match(text, at)
    closes = match and _AFTER_QUOTE.match(plain, match.end())
    end = match.end() - 1 if match and closes else _end_of_string(plain, at)
    closed = plain[end : end + 1] in ('"', "'")
    says = text[at + 1 : end]
    if not closed:
        says = says.rstrip()
        notes.tell(at, "a missing quotation mark was put after {}", says)
    says = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), says)
    return Node(NodeKind.STRING, says, at, end + closed)


def _end_of_string(plain: str, at: int) -> int:
    """Where a text ends that is not properly quoted: at a mark, or before the next argument."""
    reach = min(plain.find("\n", at) % (len(plain) + 1), at + _REACH)
    marks = [i for i in range(at + 1, reach) if plain[i] in "\"'" and plain[i - 1] != "\\"]
    close = next((i for i in marks if _AFTER_QUOTE.match(plain, i + 1)), None)
    cut = _CUT.search(plain, at + 1, reach if close is None else close)
    if close is not None and (cut is None or cut.end() >= close):
        return close
    limit = cut.start() if cut else reach
    return max((i for i in marks if i < limit and plain[i] == plain[at]), default=limit)


class _Grouping:
    """Groups words by brackets; adds and drops brackets until all are balanced."""

    def __init__(self, text: str, notes: Notes) -> None:
        self._text = text
        self._notes = notes
        self._lines: list[list[Node]] = [[]]
        self._open: list[Node] = []

    def lines(self) -> list[list[Node]]:
        tokens = list(_tokens(self._text, self._notes))
        for token, following in zip(tokens, [*tokens[1:], None], strict=False):
            if token.kind is NodeKind.END:
                self._end(token.text, following)
            elif token.is_mark("(", "["):
                self._push(NodeKind(token.text), token.at)
            elif token.is_mark(")", "]"):
                self._pop(token)
            else:
                before = self._before
                if self._open and before and token.kind is before.kind is NodeKind.STRING:
                    self._notes.tell(token.at, "a missing comma was put before {}", token.text)
                    self._here.append(Node(NodeKind.MARK, ",", token.at, token.at))
                self._here.append(token)
        self._close_all()
        return self._lines

    @property
    def _here(self) -> list[Node]:
        return self._open[-1].items if self._open else self._lines[-1]

    @property
    def _before(self) -> Node | None:
        return self._here[-1] if self._here else None

    def _push(self, kind: NodeKind, at: int) -> None:
        while kind is NodeKind.SQUARE and self._ends_early():
            self._close_one(at)
        group = Node(kind, str(kind), at, at)
        if kind is NodeKind.ROUND and self._before and self._before.kind is NodeKind.NAME:
            name = self._here.pop()
            group = Node(NodeKind.CALL, name.text, name.at, at)
        self._here.append(group)
        self._open.append(group)
        if len(self._open) > MAX_NESTING:
            raise QuerySyntaxError(self._text, at, "brackets are nested too deep")

    def _ends_early(self) -> bool:
        """Whether a "[" at this place in brackets shows that they should have ended: it can follow
        only a call of a function."""
        argument = split(self._here)[-1] if self._open else []
        if not argument or argument[-1].kind is NodeKind.MARK:
            return False
        calls = (node.folded for node in argument if node.kind is NodeKind.CALL)
        return all(name in OPERATOR_WORDS for name in calls)

    def _pop(self, token: Node) -> None:
        if not any(group.closes == token.text for group in self._open):
            if self._before and self._before.is_group:
                self._notes.tell(token.at, 'a "{}" that closes nothing was left out', token.text)
            else:
                self._here.append(token)  # such as the number of a list, "1)"
            return
        while self._open[-1].closes != token.text:
            self._close_one(token.at)
        self._close(token.end)

    def _close(self, end: int) -> None:
        group = self._open.pop()
        group.end = end
        wraps = group.role == "wrapper" or group.reduce
        if group.kind is NodeKind.CALL and wraps and any(node.is_query for node in group.items):
            self._here.pop()  # `print(…)` is what is in it, `AVG(…)` is `AVG …`
            if group.reduce:
                self._here.append(Node(NodeKind.NAME, group.text, group.at, group.at))
            else:
                self._notes.tell(group.at, "{} around a call was left out", group.text)
            self._here.extend(group.items)

    def _close_one(self, at: int) -> None:
        last = self._open[-1]
        while last.items:
            last = last.items[-1]
        told = 'a missing "{}" was put at the end of {}'
        self._notes.tell(at, told, self._open[-1].closes, last.text)
        self._close(at)

    def _end(self, end: str, following: Node | None) -> None:
        """A line's end means nothing before a bracket that continues the statement, and in brackets
        unless a statement follows."""
        before = self._before
        if end == "\n" and following and self._open:
            statement = "_" in following.text and following.is_function
            if before is None or before.is_mark(",") or not statement:
                return
        elif end == "\n" and following and before:
            called = before.kind is NodeKind.NAME and before.is_function and following.is_mark("(")
            if called or before.is_group and following.is_mark("["):
                return
        self._close_all()
        self._lines.append([])

    def _close_all(self) -> None:
        while self._open:
            last = self._before
            self._close_one(last.end if last else self._open[-1].end + 1)
