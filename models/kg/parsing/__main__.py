"""`crag parse QUESTION`: shows how a question is parsed, step by step."""

import sys
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Annotated

import typer

from models.kg.language.printer import to_text
from models.kg.parsing.parser import Derivation, ParsedQuestion, SemanticParser
from models.ranking.log_linear import score
from utils import cli
from utils.crag_api import DEFAULT_URL, CragClient
from utils.deadline import Deadline

_SECONDS = 30.0
_DERIVATIONS = 5
_FEATURES = 8  # shown per derivation, those with the highest weight
_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]
app = typer.Typer(add_completion=False)


@app.command(help=__doc__)
def _main(
    question: str,
    api: Annotated[str, typer.Option(help="URL of the KG API")] = DEFAULT_URL,
    now: Annotated[
        datetime | None,
        typer.Option(formats=_TIMES, help="the question's time; without it, no relative times"),
    ] = None,
) -> None:
    with CragClient(api) as client:
        reader = SemanticParser(client)
        parsed = reader.parse(question, now, Deadline.after(_SECONDS))
    sys.stdout.write("\n".join(explained(parsed, reader)) + "\n")


def explained(parsed: ParsedQuestion, reader: SemanticParser) -> Iterator[str]:
    """Spans, the best derivations with their features, unexplained words, the answer."""
    if parsed.coverage is None:
        yield "not read: too long, or empty"
        return
    spans = parsed.coverage.spans
    yield "spans"
    for thing in spans.things:
        doubt = ", doubtful" if thing.doubtful else ""
        yield f"  {thing.type}: {thing.name!r}, named {thing.mention!r} ({thing.score:.2f}{doubt})"
    for time, positions in spans.times:
        yield f"  time: {spans.text_of(positions)!r} is {time.period.first} to {time.period.last}"
    for name, places in spans.operators.items():
        yield f"  {name}: {', '.join(repr(spans.text_of(place)) for place in places)}"
    for place, derivation in enumerate(parsed.ranked(reader.model)[:_DERIVATIONS], 1):
        yield f"{place}. {derivation.candidate.rule_label}: {derivation.answer!r}"
        yield from (f"  {line}" for line in _details(derivation, parsed, reader))
    choice = parsed.choice
    if choice is None:
        yield "no answer: no derivation has one"
        return
    verdict = "given" if parsed.answer is not None else "withheld"
    yield f"answer: {choice.answer!r}, {choice.probability:.2f} likely right: {verdict}"


def _details(
    derivation: Derivation, parsed: ParsedQuestion, reader: SemanticParser
) -> Iterator[str]:
    candidate = derivation.candidate
    weights = reader.model.ranker
    yield to_text(candidate.program)
    yield f"composed by {candidate.composer}"
    if parsed.coverage is not None and parsed.coverage.unexplained(candidate):
        unexplained = parsed.coverage.unexplained(candidate)
        yield f"left over: {parsed.coverage.spans.text_of(unexplained)}"
    contributions = {
        name: weights.get(name, 0.0) * value for name, value in derivation.features.items()
    }
    largest = sorted(contributions, key=lambda name: -abs(contributions[name]))[:_FEATURES]
    shares = [f"{name} {contributions[name]:+.2f}" for name in largest]
    yield f"score {score(derivation.features, weights):.2f}: {', '.join(shares)}"


main = partial(cli.run, app, name="crag parse")

if __name__ == "__main__":
    sys.exit(main())
