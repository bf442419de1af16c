"""Parses a program: strictly first, with repairs if that fails."""

import itertools
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from models.kg.language.ast import Call, Invalid, Program, Query, Statement
from models.kg.language.builder import Builder, suggested
from models.kg.language.errors import Notes, Problem, QuerySyntaxError, Repair
from models.kg.language.functions import Type, functions
from models.kg.language.grammar import grammar_text
from models.kg.language.repair import read
from models.kg.language.schema import fits

MAX_LENGTH = 10_000  # characters; a model writes a few hundred
MAX_NESTING = 32  # nested brackets
MAX_STATEMENTS = 16  # of a program with errors

# Tokens that may be expected at an error, in plain words.
TERMINALS = {
    "FUNCTION": "a function",
    "OPERATOR": "a condition",
    "REDUCE": "AVG (or SUM, MIN, MAX)",
    "ALL": "ALL",
    "SORT": "sort",
    "NONE": "None",
    "FLAG": "true or false",
    "STAR": "*",
    "MINUS": '"-"',
    "STRING": "a text in quotes",
    "NUMBER": "a number",
    "NAME": "a word",
    "_COMMA": "a comma",
    "_SEP": '";"',
    "LPAR": '"("',
    "RPAR": '")"',
    "LSQB": '"["',
    "RSQB": '"]"',
    "COLON": '":"',
    "$END": "the end",
}

_STRING_OR_BRACKET = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[“”„][^“”\n]*[“”]|([(\[])|([)\]])'
)
_WORD = re.compile(r"\w+")
_CALLED = re.compile(r"\w+\s*\(")
_QUOTES = frozenset("\"'“”„‘")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A program, and the repairs made in its text: one plain sentence each."""

    program: Program
    repairs: tuple[str, ...] = ()


def parse(text: str, *, strict: bool = False) -> Parsed:
    """The program in `text`, with repairs if it does not parse.

    A statement that cannot be parsed becomes `Invalid` if others can be.

    Raises:
        QuerySyntaxError: no statement can be parsed; with `strict`, nothing is repaired.
    """
    try:
        return _in_order(_read(text), Notes()) if not strict else Parsed(_read(text))
    except QuerySyntaxError as error:
        if strict or len(text) > MAX_LENGTH:
            raise
        return _repaired(text, error)


def _repaired(text: str, failed: QuerySyntaxError) -> Parsed:
    """The intended program of a text that does not parse; raises `failed` if there is none."""
    notes = Notes()
    builder = Builder(text, functions(), notes)
    statements: list[Statement] = []
    errors: list[QuerySyntaxError] = []
    for source, tree in itertools.islice(
        read(text, functions(), MAX_NESTING, notes), MAX_STATEMENTS
    ):
        try:
            if isinstance(tree, QuerySyntaxError):
                raise tree
            statements.append(builder.statement(tree))
        except QuerySyntaxError as error:
            errors.append(error)
            statements.append(Invalid(source, error.message))
    if statements and (not errors or any(isinstance(each, Query) for each in statements)):
        return _in_order(Program(tuple(statements)), notes)
    raise errors[0] if errors and notes.sentences() else failed


def _in_order(program: Program, notes: Notes) -> Parsed:
    """The program with its calls' arguments reordered by their types."""
    statements = tuple(
        _ordered(statement, notes) if isinstance(statement, Query) else statement
        for statement in program.statements
    )
    return Parsed(Program(statements), notes.sentences())


def _ordered(query: Query, notes: Notes) -> Query:
    call = query.source
    if not isinstance(call, Call):
        return query
    arguments = [_ordered(a, notes) if isinstance(a, Query) else a for a in call.arguments]
    parameters = functions().parameters_of(call.function)
    given = list(zip(parameters, arguments, strict=False))
    wrong = [i for i, (p, a) in enumerate(given) if not fits(p.type, a)]
    for i in wrong:
        for j, (other, argument) in enumerate(given):
            if other.type is Type.TEXT and fits(parameters[i].type, argument) and argument:
                arguments[i], arguments[j] = arguments[j], arguments[i]
                notes.tell(Repair.SWAPPED, call.function)
                break
    return replace(query, source=replace(call, arguments=tuple(arguments)))


def _read(text: str) -> Program:
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(text, MAX_LENGTH, Problem.LONG.format(MAX_LENGTH))
    _check_nesting(text)
    try:
        tree: Tree[Token] = _parser().parse(text)
    except UnexpectedInput as error:
        raise _explained(text, error) from None
    return Builder(text, functions()).program(tree)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark(grammar_text(), parser="lalr", maybe_placeholders=False)


def _check_nesting(text: str) -> None:
    if text.count("(") + text.count("[") <= MAX_NESTING:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += bool(match[1]) - bool(match[2])
        if depth > MAX_NESTING:
            raise QuerySyntaxError(text, match.start(), Problem.DEEP)


def _explained(text: str, error: UnexpectedInput) -> QuerySyntaxError:
    offset = error.pos_in_stream or 0
    expected: set[str] = set()
    if isinstance(error, UnexpectedToken):
        expected = error.accepts or error.expected
        if error.token.type == "$END":
            return QuerySyntaxError(text, len(text.rstrip()), Problem.ENDS, _plain(expected))
        offset = error.token.start_pos or 0
    elif isinstance(error, UnexpectedCharacters):
        expected = error.allowed or set()
    word = _WORD.match(text, offset)
    if word and "FUNCTION" in expected and _CALLED.match(text, offset):
        nearest = functions().nearest(word[0])
        return QuerySyntaxError(text, offset, Problem.FUNCTION.format(word[0], suggested(nearest)))
    found = word[0] if word else text[offset : offset + 1]
    if found in _QUOTES and "STRING" in expected:
        return QuerySyntaxError(text, offset, Problem.QUOTE)
    return QuerySyntaxError(text, offset, Problem.UNEXPECTED.format(found), _plain(expected))


def _plain(expected: set[str]) -> tuple[str, ...]:
    return tuple(words for name, words in TERMINALS.items() if name in expected)
