"""The first half of mending: any text becomes words and brackets that close.

Characters, quotation marks and brackets are settled here; what the words mean is for `repair.py`.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from models.kg.language.functions import OPERATORS, Functions


class Repair(StrEnum):
    """What is mended, as the sentence that reports it."""

    CHARACTER = "the character {} was read as {}"
    QUOTE = "a missing quotation mark was put after {}"
    MISMATCH = "the quotation marks around {} are of two kinds"
    INNER_QUOTE = "quotation marks within {} were kept as part of it"
    COMMA = "a missing comma was put before {}"
    OPENED = 'a missing "{}" was put before {}'
    CLOSED = 'a missing "{}" was put at the end of {}'
    STRAY = 'a "{}" that closes nothing was left out'
    CHATTER = "words that are no program were left out: {}"
    JOINED = "a bracket on a line of its own was joined to the line before"
    SEPARATED = "statements on one line were separated"
    FUNCTION = '"{}" was read as the function {}'
    KEY = 'the key "{}" was read as "{}"'
    OPERATOR = 'the condition "{}" was read as {}'
    PREFIX = '"{}" was read as {}'
    CONSTANT = '"{}" was read as {}'
    QUOTED = "missing quotation marks were put around {}"
    COMPARISON = "the comparison {} was written as a condition"
    KEYWORD = 'the argument called "{}" was put in its place'
    DOT = 'the key after a dot, "{}", was put in brackets'
    FIRST = "[0] was left out: the first is what is given anyway"
    SLICE = "{} was read as {}"
    EMPTY = "an empty argument was left out"
    AND = "conditions joined by {} were made a list"
    SORT = "the order of the sort, {}, was written as {}"
    WRAPPED = "{} around a call was left out"
    ORDER = "conditions were put last"
    SWAPPED = "the arguments of {} were put in their order"
    SORTED = "what was inside a sort was put before it"


class Notes:
    """The repairs made, each told once, in their order."""

    def __init__(self) -> None:
        self._told: dict[str, Repair] = {}

    def tell(self, repair: Repair, *about: str) -> None:
        self._told.setdefault(repair.format(*(shortened(word) for word in about)), repair)

    def sentences(self) -> tuple[str, ...]:
        return tuple(str(sentence) for sentence in self._told)


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:37]}..."


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    COMPARE = "compare"
    MARK = "mark"
    END = "end"  # of a line, or ";"


@dataclass(frozen=True, slots=True)
class Word:
    """A word or sign of the text from `at` to `end`; of a string, `text` is what it says."""

    kind: Kind
    text: str
    at: int
    end: int


@dataclass(slots=True)
class Group:
    """What stands between two brackets; `opener` is "(" or "["."""

    opener: str
    at: int
    items: list["Word | Group"] = field(default_factory=list)
    end: int = 0
    of_function: bool = False


Node = Word | Group

_CLOSES = {"(": ")", "[": "]"}
_OPENS = {")": "(", "]": "["}
_MAPPED = {
    **dict.fromkeys("“”„‟«»「」『』《》", '"'),
    **dict.fromkeys("‘’‚‛`´", "'"),
    **dict.fromkeys("–—−‒", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\ufeff\u2060\x00", " "),
    "【": "[",
    "】": "]",
    "、": ",",
    "\r": " ",
    "\u2028": "\n",
    "\u2029": "\n",
}
_QUIET = frozenset("“”„‘’\r\u2028\u2029")  # quotes that the language reads, and ends of lines
_BLANK = re.compile(r"[^\S\n]+")
_FENCE = re.compile(r"```[^\n`(]*(?=\n|$)|```")
_NUMBER = re.compile(r"\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?(?!\w)", re.ASCII)
_NAME = re.compile(r"\w+")
_COMPARE = re.compile(r"==|!=|<>|>=|<=|[=<>≥≤≠](?![=<>])")
# A quotation mark ends a text where one of these follows.
_AFTER_QUOTE = re.compile(r"[^\S\n]*(?:$|[\n,)\[\];:}]|[^\S\n][\"'])")
# A text whose end is not marked ends before these at the latest.
_OPERATOR_NAMES = "|".join(OPERATORS)
_CUT = re.compile(
    r"[)\]]{1,20}[^\S\n]{0,20}[\[;]|[)\]};]{0,20}[^\S\n]{0,20}(?:\n|$)"
    rf"""|,[^\S\n]{{0,20}}(?:["']|\[?[^\S\n]{{0,20}}(?:{_OPERATOR_NAMES})\()"""
)
_REACH = 300  # characters of a text that does not parse in which a quotation mark is looked for


def words_of(text: str, notes: Notes) -> list[Word]:
    """The words and signs of a text, with its odd characters and open quotes mended."""
    plain = "".join(map(_plain, text))
    words = list(_scan(plain, text, notes))
    for word in words:
        end = word.at + 1 if word.kind is Kind.STRING else word.end
        for given, read in zip(text[word.at : end], plain[word.at : end], strict=True):
            if given != read and given not in _QUIET and word.kind is not Kind.END:
                notes.tell(Repair.CHARACTER, given, read)
    return words


def _plain(character: str) -> str:
    """The character that is meant, by which the language is written."""
    if character.isascii() and character not in _MAPPED:
        return character
    mapped = _MAPPED.get(character)
    if mapped is None:
        mapped = unicodedata.normalize("NFKC", character)
        if len(mapped) != 1 or mapped == character or mapped.isalnum() and not mapped.isascii():
            return character
    return mapped


def _scan(plain: str, text: str, notes: Notes) -> Iterator[Word]:
    at = 0
    while at < len(plain):
        first = plain[at]
        if match := _BLANK.match(plain, at):
            at = match.end()
            continue
        if match := _FENCE.match(text, at):
            notes.tell(Repair.CHATTER, match[0])
            word = Word(Kind.END, "\n", at, match.end())
        elif first in "\n;":
            word = Word(Kind.END, first, at, at + 1)
        elif _is_stray_quote(plain, at):
            notes.tell(Repair.STRAY, first)
            at += 1
            continue
        elif first == '"' or (first == "'" and not (at and plain[at - 1].isalnum())):
            word = _string(plain, text, at, notes)
        elif match := _NUMBER.match(plain, at):
            word = Word(Kind.NUMBER, match[0], at, match.end())
        elif match := _NAME.match(plain, at):
            word = Word(Kind.NAME, match[0], at, match.end())
        elif match := _COMPARE.match(plain, at):
            word = Word(Kind.COMPARE, match[0], at, match.end())
        else:
            word = Word(Kind.MARK, first, at, at + 1)
        yield word
        at = word.end


def _is_stray_quote(plain: str, at: int) -> bool:
    """Whether a quotation mark ends what none opened: `[len"]`."""
    return (
        plain[at] in "\"'"
        and plain[at + 1 : at + 2] == "]"
        and re.search(r"\[\s*\w+$", plain[max(at - 40, 0) : at]) is not None
    )


def _string(plain: str, text: str, at: int, notes: Notes) -> Word:
    """The text in quotes that opens at `at`, wherever it ends."""
    reach = plain.find("\n", at)
    reach = min(reach if reach >= 0 else len(plain), at + _REACH)
    marks = [i for i in range(at + 1, reach) if plain[i] in "\"'" and plain[i - 1] != "\\"]
    quotes = [i for i in marks if plain[i] == plain[at]]
    ends = [i for i in marks if _AFTER_QUOTE.match(plain, i + 1)]
    if ends and not any(i < ends[0] for i in quotes) and plain[ends[0]] != plain[at]:
        notes.tell(Repair.MISMATCH, text[at + 1 : ends[0]])
        return Word(Kind.STRING, text[at + 1 : ends[0]], at, ends[0] + 1)
    close = next((i for i in quotes if _AFTER_QUOTE.match(plain, i + 1)), None)
    found = _CUT.search(plain, at + 1, reach if close is None else close)
    cut = found.start() if found and (close is None or found.start() < close) else None
    if cut is None and close is not None:
        end = close
    else:
        limit = reach if cut is None else cut
        end = max((i for i in quotes if i < limit), default=limit)
    closed = end in quotes
    says = text[at + 1 : end]
    if not closed:
        says = says.rstrip()
        notes.tell(Repair.QUOTE, says)
    elif any(i < end for i in quotes):
        notes.tell(Repair.INNER_QUOTE, says)
    says = says.replace('\\"', '"').replace("\\'", "'").replace("\\\\", "\\")
    return Word(Kind.STRING, says, at, end + closed)


class Grouping:
    """Puts words into their brackets, and adds and drops brackets until all are closed."""

    def __init__(self, table: Functions, deepest: int, notes: Notes) -> None:
        self._table = table
        self._deepest = deepest
        self._notes = notes
        self._nodes: list[Node] = []
        self._open: list[Group] = []

    def nodes(self, words: list[Word]) -> list[Node] | None:
        """The words at no depth and the groups of all others; None where they go too deep."""
        for place, word in enumerate(words):
            following = words[place + 1] if place + 1 < len(words) else None
            self._add(word, following)
            if len(self._open) > self._deepest:
                return None
        self._close_all()
        return self._nodes

    @property
    def _here(self) -> list[Node]:
        return self._open[-1].items if self._open else self._nodes

    def _add(self, word: Word, following: Word | None) -> None:
        self._before(word, following)
        if word.kind is Kind.END:
            self._end(word, following)
        elif word.kind is Kind.MARK and word.text in _CLOSES:
            self._push(word.text, word.at)
        elif word.kind is Kind.MARK and word.text in _OPENS:
            self._pop(word)
        else:
            self._here.append(word)

    def _before(self, word: Word, following: Word | None) -> None:
        """Adds the bracket that is missing before `word`, if one is."""
        before = self._here[-1] if self._here else None
        if word.kind is Kind.STRING:
            if isinstance(before, Word) and self._is_function(before):
                self._notes.tell(Repair.OPENED, "(", word.text)
                self._push("(", word.at)
            elif isinstance(before, Group) and before.of_function and _is(following, "]"):
                self._notes.tell(Repair.OPENED, "[", word.text)
                self._push("[", word.at)
            elif self._open and isinstance(before, Word) and before.kind is Kind.STRING:
                self._notes.tell(Repair.COMMA, word.text)
                self._here.append(Word(Kind.MARK, ",", word.at, word.at))
        while _is(word, "[") and self._ends_early():
            self._pop_one(word.at)

    def _ends_early(self) -> bool:
        """Whether a "[" at this place, in a call, shows that the call should have ended."""
        if not self._open or not self._here:
            return False
        before = self._here[-1]
        if not self._open[-1].of_function:
            in_call = len(self._open) > 1 and self._open[-2].of_function
            return in_call and self._open[-1].opener == "[" and _is_condition(before)
        if isinstance(before, Word):
            return before.kind in (Kind.STRING, Kind.NUMBER)
        is_list = len(self._here) == 1 or _is(self._here[-2], ",")
        return _is_condition(before) or (before.opener == "[" and is_list)

    def _is_function(self, word: Word) -> bool:
        return (
            word.kind is Kind.NAME
            and "_" in word.text
            and (self._table.guess(word.text) is not None)
        )

    def _push(self, opener: str, at: int) -> None:
        before = self._here[-1] if self._here else None
        named = isinstance(before, Word) and before.kind is Kind.NAME
        word = before.text if isinstance(before, Word) and named else ""
        of_function = opener == "(" and (
            word.casefold().startswith("get_") or self._table.guess(word) is not None
        )
        group = Group(opener, at, of_function=of_function)
        self._here.append(group)
        self._open.append(group)

    def _pop(self, word: Word) -> None:
        if not any(group.opener == _OPENS[word.text] for group in self._open):
            if self._here and isinstance(self._here[-1], Group):
                self._notes.tell(Repair.STRAY, word.text)
            else:
                self._here.append(word)  # as of a list's numbers, "1)"
            return
        while self._open[-1].opener != _OPENS[word.text]:
            self._pop_one(word.at)
        self._open.pop().end = word.end

    def _pop_one(self, at: int) -> None:
        group = self._open.pop()
        group.end = at
        self._notes.tell(Repair.CLOSED, _CLOSES[group.opener], _last_word(group))

    def _end(self, word: Word, following: Word | None) -> None:
        """A line's end within brackets ends them only where a statement follows."""
        if self._open and word.text == "\n":
            before = self._here[-1] if self._here else None
            goes_on = before is None or _is(before, ",")
            if goes_on or following is None or not self._is_function(following):
                return
        self._close_all()
        self._nodes.append(word)

    def _close_all(self) -> None:
        while self._open:
            group = self._open[-1]
            last = group.items[-1] if group.items else None
            self._pop_one(last.end if last else group.at + 1)


def _is(node: Node | None, mark: str) -> bool:
    return isinstance(node, Word) and node.kind is Kind.MARK and node.text == mark


def _is_condition(node: Node) -> bool:
    return isinstance(node, Group) and node.opener == "(" and not node.of_function


def _last_word(group: Group) -> str:
    last = group.items[-1] if group.items else None
    while isinstance(last, Group):
        last = last.items[-1] if last.items else None
    return last.text if last else "the text"
