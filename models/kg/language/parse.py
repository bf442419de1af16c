"""Parses a program."""

from dataclasses import dataclass

from models.kg.language.ast import Program, Query
from models.kg.language.errors import QuerySyntaxError, RepairLog
from models.kg.language.program_reader import ProgramReader

MAX_LENGTH = 10_000  # characters; a model writes a few hundred


@dataclass(frozen=True, slots=True)
class ParsedProgram:
    """A program, and the repairs made in its text: one plain sentence each."""

    program: Program
    repairs: tuple[str, ...] = ()


def parse(text: str, *, strict: bool = False) -> ParsedProgram:
    """The program in `text`; what models often get wrong is repaired (`program_reader.py`).

    A statement that cannot be parsed becomes an `InvalidStatement` if another one can be.

    >>> parse('get_movie("salt")["Title"]').repairs
    ('the key "Title" was read as "title"',)

    Raises:
        QuerySyntaxError: no statement can be parsed; with `strict`, something needs a repair.
    """
    if len(text) > MAX_LENGTH:
        raise QuerySyntaxError(text, MAX_LENGTH, f"the text is longer than {MAX_LENGTH} characters")
    repairs = RepairLog()
    reader = ProgramReader(text, repairs)
    statements = tuple(reader.statements())
    errors = list(reader.errors)
    if not statements:
        start = len(text) - len(text.lstrip())
        errors.append(QuerySyntaxError(text, start, "this is no function, no sort and not None"))
    if strict:
        for sentence, offset in repairs.offsets.items():
            errors.append(QuerySyntaxError(text, offset, f"needs a repair: {sentence}"))
    any_query = any(isinstance(statement, Query) for statement in statements)
    if errors and (strict or not any_query):
        raise errors[0]
    return ParsedProgram(Program(statements), tuple(repairs.offsets))
