"""Programs in one form that a small model can learn: it copies names and times from the question.

The semantic parser writes the KG's own names ("Apple Inc. Common Stock") and resolved days
("2024-02-27"). A small model knows neither. The query language reads names and time phrases as
people write them, so a program may hold the words of its question instead. A rewritten program is
kept if it returns the same; a string that differs from the question's words in their case alone is
replaced without that test.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from models.kg.language.ast import (
    Calculation,
    Condition,
    FunctionCall,
    NameList,
    Program,
    Query,
    Sort,
    Take,
)
from models.kg.language.grammar import IMPLICIT_TIMES
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import ParsedQuestion
from training.kg import NOTHING, Kg
from training.records import Pair

Rewrite = Callable[[Any], Any]  # a node or value of a program, and what stands in its place
IsSame = Callable[[Program], bool]  # whether a rewritten program returns what the first one does

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LEADING_WORDS = re.compile(r"(?:(?:on|in|for|at|from|of|during|the|over|by|as of) )+", re.I)
_LONGEST_RUN = 8  # words of a question that stand for a string
_LEAST_LIKENESS = 70  # per cent, of such words and the string
_MOST_RUNS = 12  # that are tried
_LEAST_PAIRS = 3  # that have a string which stands in no question, such as "Director"
_LEAST_SEEN = 5  # programs that decide whether a key has lists
_LIST_SHARE = 0.1  # of these, with more than one value


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """How a question names things and times.

    Attributes:
        text: the question.
        mentions: the words for a thing, by the KG's name of it.
        times: the time phrases, the shortest first.
    """

    text: str
    mentions: Mapping[str, Sequence[str]]
    times: Sequence[str]

    @classmethod
    def of(cls, text: str, parsed: ParsedQuestion) -> "QuestionWords":
        """The words that the semantic parser recognises in the question `text`."""
        if parsed.coverage is None:
            return cls(text, {}, ())
        spans = parsed.coverage.spans
        mentions: dict[str, list[str]] = {}
        for thing in spans.things:
            mentions.setdefault(str(thing.name), []).append(thing.mention)
        times: set[str] = set()
        for time, _ in spans.times:
            phrase = spans.corrected.spelled(time.span)
            times |= {phrase, _LEADING_WORDS.sub("", phrase)}
        return cls(text, mentions, sorted(times, key=len))


def copy_words(program: Program, question: QuestionWords, same: IsSame) -> Program:
    """`program` with as many strings as possible replaced by words of the question.

    Args:
        program: of the semantic parser, or an annotator's.
        question: how it names things and times.
        same: whether a rewritten program returns what `program` does.
    """
    for text in strings_in(program):
        words = as_in_question(text, question.text)
        if words is not None:
            program = _with_string(program, text, words)
            continue
        mentions = sorted(question.mentions.get(text, ()), key=len, reverse=True)
        for mention in [*mentions, *_runs_like(text, question.text)]:
            words = as_in_question(mention, question.text)
            if words is None:
                continue
            other = _with_string(program, text, words)
            if same(other):
                program = other
                break
    for phrase in [*question.times, *IMPLICIT_TIMES]:
        for other in _with_time(program, as_in_question(phrase, question.text) or phrase):
            if same(other):
                program = other
                break
    return program


def strings_in(program: Program) -> list[str]:
    """The strings of a program's arguments and conditions, in order, each once."""
    texts: dict[str, None] = {}  # a set in order

    def note(value: Any) -> Any:
        if isinstance(value, str):
            texts[value] = None
        return value

    rewrite_program(program, note)
    return list(texts)


def as_in_question(text: str, question: str) -> str | None:
    """The whole words of `question` that are `text`, whatever the case; None if there are none.

    >>> as_in_question("toy story", "Who voiced Toy Story?")
    'Toy Story'
    >>> as_in_question("toy", "who made toys?") is None
    True
    """
    match = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE)
    return match[0] if text and match else None


def unify_form(pairs: Sequence[Pair], kg: Kg, others: Sequence[Pair] = ()) -> list[Pair]:
    """The pairs whose programs a model can copy, with ALL where a key usually has several values
    and nowhere else: one form of what is often the same.

    Left out are pairs with an argument that is neither in the question nor in `IMPLICIT_TIMES`,
    those with a rare string in a condition, and those without a program: a small model that has
    seen them writes none for half of what the KG can answer (docs/LOG.md, 26 November).

    Args:
        pairs: to rewrite.
        kg: what their programs are run over.
        others: pairs that decide with them which keys have several values and what is rare.
    """
    lists = _ListKeys.of([*others, *pairs], kg)
    unified = [replace(pair, program=lists.program(pair, kg)) for pair in pairs]
    copied_pairs = [
        pair for pair in unified if pair.program != NOTHING and not _foreign_arguments(pair)
    ]
    counts: Counter[str] = Counter()
    for pair in (*others, *copied_pairs):
        counts.update(_foreign_strings(pair))
    return [
        pair
        for pair in copied_pairs
        if all(counts[text] >= _LEAST_PAIRS for text in _foreign_strings(pair))
    ]


@dataclass(frozen=True, slots=True)
class _ListKeys:
    """How many programs read a key of a function, and how many of them found several values."""

    seen: Counter[tuple[str, str]]
    lists: Counter[tuple[str, str]]

    @classmethod
    def of(cls, pairs: Sequence[Pair], kg: Kg) -> "_ListKeys":
        keys = cls(Counter(), Counter())
        for pair in pairs:
            program = parse(pair.program).program
            if len(program.statements) > 1 or not _reads_key(program.statements[0]):
                continue
            first = _with_take(program, lambda _: Take(1))
            returned = kg.returned(
                to_text(_with_take(program, lambda _: Take(None))), pair.query_time
            )
            if returned.something:
                key = _function_and_key(program.statements[0])
                keys.seen[key] += 1
                alone = kg.returned(to_text(first), pair.query_time)
                if alone.values != returned.values:
                    keys.lists[key] += 1
        return keys

    def program(self, pair: Pair, kg: Kg) -> str:
        """The program of a pair, with ALL as its keys want it, if it returns the same."""
        returns_something = kg.returned(pair.program, pair.query_time).something

        def take(query: Query) -> Take:
            key = _function_and_key(query)
            if self.seen[key] < _LEAST_SEEN:
                return Take(1) if returns_something else query.take
            return Take(None if self.lists[key] >= _LIST_SHARE * self.seen[key] else 1)

        text = to_text(_with_take(parse(pair.program).program, take))
        if returns_something and not kg.same(text, pair.program, pair.query_time):
            return pair.program
        return text


def _reads_key(node: Any) -> bool:
    """Whether a node is a query that reads a key of all rows, or of the first."""
    if not isinstance(node, Query) or not isinstance(node.source, FunctionCall):
        return False
    is_plain = node.reduce is None and not node.distinct and node.key is not None
    return is_plain and node.take in (Take(None), Take(1))


def _function_and_key(query: Any) -> tuple[str, str]:
    return query.source.function, query.key


def _with_take(program: Program, take: Callable[[Query], Take]) -> Program:
    """The program with other slices where a query reads a key."""

    def rewrite(node: Any) -> Any:
        return replace(node, take=take(node)) if _reads_key(node) else node

    return rewrite_program(program, rewrite)


def _foreign_arguments(pair: Pair) -> list[str]:
    """The arguments of calls that the grammar of copied names does not allow."""
    texts: list[str] = []

    def note(node: Any) -> Any:
        if isinstance(node, FunctionCall):
            for argument in node.arguments:
                if isinstance(argument, NameList):
                    texts.extend(argument.items)
                elif isinstance(argument, str):
                    texts.append(argument)
        return node

    rewrite_program(parse(pair.program).program, note)
    return [text for text in texts if _is_foreign(text, pair)]


def _foreign_strings(pair: Pair) -> list[str]:
    """The strings of a pair's program that its question does not have."""
    strings = strings_in(parse(pair.program).program)
    return [text for text in strings if _is_foreign(text, pair)]


def _is_foreign(text: str, pair: Pair) -> bool:
    return text not in IMPLICIT_TIMES and as_in_question(text, pair.question) != text


def _with_string(program: Program, text: str, other: str) -> Program:
    return rewrite_program(program, lambda value: other if value == text else value)


def _runs_like(text: str, question: str) -> list[str]:
    """Runs of the question's words that resemble a string, the most alike first."""
    if _DAY.fullmatch(text):
        return []
    spans = [match.span() for match in re.finditer(r"[\w'&.-]*\w", question)]
    likeness: dict[str, float] = {}
    for first, (start, _) in enumerate(spans):
        for _, end in spans[first : first + _LONGEST_RUN]:
            run = question[start:end].lower()
            score = max(fuzz.ratio(run, text.lower()), fuzz.token_set_ratio(run, text.lower()))
            likeness[run] = score + len(run) / 1000  # of two that are alike, the longer one
    alike = [run for run, score in likeness.items() if score >= _LEAST_LIKENESS]
    return sorted(alike, key=likeness.__getitem__, reverse=True)[:_MOST_RUNS]


def _with_time(program: Program, phrase: str) -> Iterator[Program]:
    """The programs in which one day, or a first and a last day, is replaced by a time phrase."""
    with_period = rewrite_program(program, lambda node: _with_period(node, phrase))
    if with_period != program:
        yield with_period
    for text in strings_in(program):
        if _DAY.fullmatch(text):
            yield _with_string(program, text, phrase)


def _with_period(node: Any, phrase: str) -> Any:
    """A call whose last two arguments are the days of a period has the phrase instead."""
    if not isinstance(node, FunctionCall) or len(node.arguments) < 2:
        return node
    *others, first, last = node.arguments
    if isinstance(first, str) and isinstance(last, str):
        if _DAY.fullmatch(first) and _DAY.fullmatch(last):
            return replace(node, arguments=(*others, phrase))
    return node


def rewrite_program(program: Program, rewrite: Rewrite) -> Program:
    """The program whose nodes and values are replaced from the leaves up."""
    whole: Program = _rewrite(program, rewrite)
    return whole


def _rewrite(node: Any, rewrite: Rewrite) -> Any:
    match node:
        case Program():
            statements = [_rewrite(statement, rewrite) for statement in node.statements]
            node = replace(node, statements=tuple(statements))
        case Query():
            node = replace(node, source=_rewrite(node.source, rewrite))
        case FunctionCall():
            arguments = tuple(_rewrite(argument, rewrite) for argument in node.arguments)
            where = tuple(_rewrite(condition, rewrite) for condition in node.where)
            node = replace(node, arguments=arguments, where=where)
        case Sort():
            node = replace(node, where=tuple(_rewrite(each, rewrite) for each in node.where))
        case Calculation():
            left = _rewrite(node.left, rewrite)
            node = replace(node, left=left, right=_rewrite(node.right, rewrite))
        case Condition():
            node = replace(node, value=_rewrite(node.value, rewrite))
        case NameList():
            node = replace(node, items=tuple(rewrite(item) for item in node.items))
    return rewrite(node)
