"""The wording of a question: its words without names and times."""

from models.kg.parsing.parser import ParsedQuestion


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
