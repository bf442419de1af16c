"""Splits a text into words, signs and balanced brackets: the first stage of reading a program.

This module handles characters, quotation marks and brackets; `program_reader.py` interprets the
words.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from models.kg.language.errors import QuerySyntaxError, RepairLog
from models.kg.language.words import (
    ARITHMETIC_SIGNS,
    ARITHMETIC_WORDS,
    CHARACTERS,
    COMPARISON_NAMES,
    CONSTANTS,
    OPERATOR_WORDS,
    REDUCE_WORDS,
    ROLES,
    Constant,
    WordRole,
)
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import squeezed_name
from models.kg.schema.operations import Arithmetic, Reduce

MAX_NESTING = 32  # nested brackets
CHATTER = "words that are no program were left out: {}"  # the sentence of a repair


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
        """A name, normalised as in the tables of `words.py`; empty for other nodes."""
        if self.kind is NodeKind.NAME or self.kind is NodeKind.CALL:
            return squeezed_name(self.text)
        return ""

    @property
    def role(self) -> WordRole | None:
        """The meaning of a name that is not in the schema."""
        return ROLES.get(self.folded)

    @property
    def reduce(self) -> Reduce | None:
        """The aggregation that a name means."""
        return REDUCE_WORDS.get(self.folded)

    @property
    def arithmetic(self) -> Arithmetic | None:
        """The calculation that a call's name or a sign means."""
        if self.kind is NodeKind.CALL:
            return ARITHMETIC_WORDS.get(self.folded)
        return ARITHMETIC_SIGNS.get(self.text) if self.kind is NodeKind.MARK else None

    @property
    def constant(self) -> Constant | None:
        """The constant that a name means."""
        return CONSTANTS.get(self.folded)

    @property
    def joins(self) -> bool:
        """Whether it joins two conditions."""
        return self.is_mark("&") or self.folded == "and"

    @property
    def is_prefix(self) -> bool:
        """Whether it can stand before a call: a number, ALL, DISTINCT or AVG."""
        if self.kind is NodeKind.NUMBER:
            return True
        if self.kind is not NodeKind.NAME:
            return False
        return self.role in (WordRole.ALL, WordRole.DISTINCT) or self.reduce is not None

    @property
    def closes(self) -> str:
        """The bracket that closes it."""
        return "]" if self.kind is NodeKind.SQUARE else ")"

    @property
    def is_group(self) -> bool:
        """Whether it contains other nodes."""
        return self.kind in (NodeKind.CALL, NodeKind.ROUND, NodeKind.SQUARE)

    @property
    def is_function(self) -> bool:
        """Whether its name is that of a function, spelled in any way."""
        return bool(self.folded and functions().guess(self.text))

    @property
    def is_query(self) -> bool:
        """Whether it is a call of a function, which may be unknown, a sort or a calculation."""
        if self.kind is not NodeKind.CALL:
            return False
        looks_like_function = self.text.casefold().startswith("get_")
        if looks_like_function or self.role is WordRole.SORT or self.arithmetic:
            return True
        return self.is_function

    @property
    def is_wrapper(self) -> bool:
        """Whether it is a call around a query: `print(…)`, `AVG(…)`, `DISTINCT(…)`."""
        if self.kind is not NodeKind.CALL:
            return False
        is_prefix = self.role is WordRole.DISTINCT or self.reduce is not None
        wraps = self.role is WordRole.WRAPPER or is_prefix
        return wraps and any(node.is_query for node in self.items)

    def is_mark(self, *marks: str) -> bool:
        """Whether it is one of these signs."""
        return self.kind is NodeKind.MARK and self.text in marks


def split(nodes: Sequence[Node]) -> list[list[Node]]:
    """The nodes between commas; empty parts, too."""
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if node.is_mark(","):
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def split_at_joints(nodes: Sequence[Node]) -> list[list[Node]]:
    """The nodes between the words that join conditions; empty parts, too."""
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if node.joins:
            parts.append([])
        else:
            parts[-1].append(node)
    return parts


def keyword_of(nodes: Sequence[Node]) -> Node | None:
    """The name in `name=...` or `name: ...`."""
    if len(nodes) > 2 and nodes[0].kind is NodeKind.NAME and nodes[1].is_mark("=", ":"):
        return nodes[0]
    return None


def lines_of(text: str, repairs: RepairLog) -> list[list[Node]]:
    """The nodes of each statement or line of prose.

    Raises:
        QuerySyntaxError: brackets nest deeper than `MAX_NESTING`.
    """
    return [line for line in _Grouping(text, repairs).lines() if line]


# --- words, signs and strings

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
    rf"""|,[^\S\n]{{0,20}}(?:["']|\[?[^\S\n]{{0,20}}(?:{"|".join(COMPARISON_NAMES)})\()"""
)
_REACH = re.compile(r"[^\n]{0,300}")  # of an invalid text, searched for a quotation mark
_MARK = re.compile(r"(?<!\\)[\"']")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def _canonical_character(character: str) -> str:
    """The character of the language that is meant by another one, such as a curly quote."""
    if character in CHARACTERS:
        return CHARACTERS[character]
    if character.isascii():
        return character
    normal = unicodedata.normalize("NFKC", character)
    if len(normal) != 1:
        return character
    is_foreign_letter = normal.isalnum() and not normal.isascii()
    return character if is_foreign_letter else normal


def _tokens(text: str, repairs: RepairLog) -> Iterator[Node]:
    """The words and signs of a text, with open quotes repaired."""
    canonical = "".join(map(_canonical_character, text))
    at = 0
    while at < len(canonical):
        blank = _BLANK.match(canonical, at)
        if blank:
            at = blank.end()
            continue
        token = _token_at(at, canonical, text, repairs)
        yield token
        at = token.end


def _token_at(at: int, canonical: str, text: str, repairs: RepairLog) -> Node:
    """The word, sign or string that begins at `at`."""
    fence = _FENCE.match(text, at)
    if fence:
        repairs.add(at, CHATTER, fence[0])
        return Node(NodeKind.END, "\n", at, fence.end())
    if canonical[at] == '"':
        return _string(canonical, text, at, repairs)
    is_apostrophe = at > 0 and canonical[at - 1].isalnum()
    if canonical[at] == "'" and not is_apostrophe:
        return _string(canonical, text, at, repairs)
    match = _TOKENS.match(canonical, at)
    assert match and match.lastgroup  # the pattern matches any character
    kind = NodeKind.NAME if match.lastgroup == "word" else NodeKind(match.lastgroup)
    return Node(kind, match[0], at, match.end())


def _string(canonical: str, text: str, at: int, repairs: RepairLog) -> Node:
    """The string that opens at `at`; its closing mark may be missing."""
    end = _string_end(canonical, text, at)
    contents = text[at + 1 : end]
    if canonical.startswith(('"', "'"), end):
        return Node(NodeKind.STRING, _without_escapes(contents), at, end + 1)
    contents = contents.rstrip()
    repairs.add(at, "a missing quotation mark was put after {}", contents)
    return Node(NodeKind.STRING, _without_escapes(contents), at, end)


def _without_escapes(contents: str) -> str:
    """The text that the contents of a string stand for."""
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), contents)


def _string_end(canonical: str, text: str, at: int) -> int:
    """Where the contents of the string end that opens at `at`."""
    match = _STRING.match(text, at)
    if match and _AFTER_QUOTE.match(canonical, match.end()):
        return match.end() - 1
    return _doubtful_string_end(canonical, at)


def _doubtful_string_end(canonical: str, at: int) -> int:
    """Where a string ends that is not properly quoted: at the first mark that can close it, unless
    the next argument begins before that mark."""
    reach = _REACH.match(canonical, at + 1)
    assert reach  # the pattern matches anywhere
    marks = [match.start() for match in _MARK.finditer(canonical, at + 1, reach.end())]
    closing_marks = [mark for mark in marks if _AFTER_QUOTE.match(canonical, mark + 1)]
    limit = closing_marks[0] if closing_marks else reach.end()
    cut = _CUT.search(canonical, at + 1, limit)
    assert cut  # the pattern matches at the limit
    if closing_marks and cut.end() == limit:
        return limit
    return _last_mark_before(cut.start(), marks, canonical, at)


def _last_mark_before(cut: int, marks: Sequence[int], canonical: str, at: int) -> int:
    """The last mark before `cut` that is like the opening one; `cut` without one."""
    same_marks = [mark for mark in marks if mark < cut and canonical[mark] == canonical[at]]
    return same_marks[-1] if same_marks else cut


# --- brackets


class _Grouping:
    """Groups words by brackets; adds and drops brackets until all are balanced."""

    def __init__(self, text: str, repairs: RepairLog) -> None:
        self._text = text
        self._repairs = repairs
        self._lines: list[list[Node]] = [[]]
        self._open: list[Node] = []

    def lines(self) -> list[list[Node]]:
        """The nodes of each line, some of which may be empty."""
        tokens = list(_tokens(self._text, self._repairs))
        for token, following in zip(tokens, [*tokens[1:], None], strict=False):
            if token.kind is NodeKind.END:
                self._end_line(token, following)
            elif token.is_mark("(", "["):
                self._open_bracket(token)
            elif token.is_mark(")", "]"):
                self._close_bracket(token)
            else:
                self._add(token)
        self._close_all()
        return self._lines

    @property
    def _here(self) -> list[Node]:
        """The nodes of the innermost open bracket, or of the line."""
        return self._open[-1].items if self._open else self._lines[-1]

    @property
    def _before(self) -> Node | None:
        """The previous node at this place."""
        return self._here[-1] if self._here else None

    def _add(self, token: Node) -> None:
        """Add a word or sign, with the comma that is missing between two strings in brackets."""
        before = self._before
        follows_string = before is not None and before.kind is NodeKind.STRING
        if self._open and follows_string and token.kind is NodeKind.STRING:
            self._repairs.add(token.at, "a missing comma was put before {}", token.text)
            self._here.append(Node(NodeKind.MARK, ",", token.at, token.at))
        self._here.append(token)

    def _open_bracket(self, token: Node) -> None:
        kind = NodeKind(token.text)
        while kind is NodeKind.SQUARE and self._should_have_ended():
            self._close_one(token.at)
        group = Node(kind, token.text, token.at, token.at)
        before = self._before
        if kind is NodeKind.ROUND and before and before.kind is NodeKind.NAME:
            self._here.pop()
            group = Node(NodeKind.CALL, before.text, before.at, token.at)
        self._here.append(group)
        self._open.append(group)
        if len(self._open) > MAX_NESTING:
            raise QuerySyntaxError(self._text, token.at, "brackets are nested too deep")

    def _should_have_ended(self) -> bool:
        """Whether a "[" at this place in brackets shows that they should have ended: it can follow
        only a call of a function."""
        if not self._open:
            return False
        argument = split(self._here)[-1]
        if not argument or argument[-1].kind is NodeKind.MARK:
            return False
        calls = [node for node in argument if node.kind is NodeKind.CALL]
        return all(call.folded in OPERATOR_WORDS for call in calls)

    def _close_bracket(self, token: Node) -> None:
        if any(group.closes == token.text for group in self._open):
            while self._open[-1].closes != token.text:
                self._close_one(token.at)
            self._close(token.end)
        elif self._before and self._before.is_group:
            self._repairs.add(token.at, 'a "{}" that closes nothing was left out', token.text)
        else:
            self._here.append(token)  # such as the number of a list, "1)"

    def _close(self, end: int) -> None:
        group = self._open.pop()
        group.end = end
        if group.is_wrapper:
            self._unwrap(group)

    def _unwrap(self, group: Node) -> None:
        """Replace `print(…)` by what is in it, and `AVG(…)` by `AVG …`."""
        self._here.pop()
        if group.role is not WordRole.WRAPPER:
            self._here.append(Node(NodeKind.NAME, group.text, group.at, group.at))
        else:
            self._repairs.add(group.at, "{} around a call was left out", group.text)
        self._here.extend(group.items)

    def _close_one(self, at: int) -> None:
        """Close the innermost bracket, which the text does not close before `at`."""
        group = self._open[-1]
        last = group
        while last.items:
            last = last.items[-1]
        self._repairs.add(at, 'a missing "{}" was put at the end of {}', group.closes, last.text)
        self._close(at)

    def _end_line(self, token: Node, following: Node | None) -> None:
        if token.text == "\n" and following and self._continues(following):
            return
        self._close_all()
        self._lines.append([])

    def _continues(self, following: Node) -> bool:
        """Whether a statement goes on after a line break: in brackets unless another one begins,
        else before a bracket that belongs to it."""
        before = self._before
        if self._open:
            begins_statement = "_" in following.text and following.is_function
            return before is None or before.is_mark(",") or not begins_statement
        if before is None:
            return False
        if before.is_group:
            return following.is_mark("[")
        is_name = before.kind is NodeKind.NAME and before.is_function
        return is_name and following.is_mark("(")

    def _close_all(self) -> None:
        while self._open:
            last = self._before
            end = last.end if last else self._open[-1].end + 1
            self._close_one(end)
