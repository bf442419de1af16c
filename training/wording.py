"""The wording of a question: its words without names and times."""

from collections.abc import Sequence

from evaluation.dataset import Example
from models.batch_input import read_query_time
from models.kg.parsing.semantic_parser import ParsedQuestion, SemanticParser
from training.fitting.folds import Fold
from utils.deadline import Deadline
from utils.progress import shown

SECONDS = 60.0  # for reading a question


def wording_of(parsed: ParsedQuestion, query: str) -> str:
    """The stems of a question's words without its names and times, in alphabetical order.

    Questions that differ in names only have the same. Folds keep them together.
    """
    if parsed.coverage is None:
        return query
    spans = parsed.coverage.spans
    named: set[int] = set()  # the places of words
    for thing in spans.things:
        named.update(thing.positions)
    for _, places in spans.times:
        named.update(places)
    stems = {stem for place, stem in enumerate(spans.stems) if place not in named}
    return " ".join(sorted(stems))


def ids_in(fold: Fold, examples: Sequence[Example], parser: SemanticParser) -> list[str]:
    """The ids of the questions whose wording is in the fold."""
    ids = []
    for example in shown(examples, "questions", len(examples)):
        now = read_query_time(example.query_time)
        parsed = parser.parse(example.query, now, Deadline.after(SECONDS))
        if fold.holds(wording_of(parsed, example.query)):
            ids.append(example.id)
    return ids
