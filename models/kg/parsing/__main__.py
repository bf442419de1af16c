"""`python -m models.kg.parsing QUESTION`: shows how a question is parsed, step by step."""

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
    if parsed.rules is None:
        yield "not read: too long, or empty"
        return
    spans = parsed.rules.spans
    yield "spans"
    for thing in spans.things:
        doubt = ", doubtful" if thing.doubtful else ""
        yield f"  {thing.type}: {thing.name!r}, said {thing.said!r} ({thing.score:.2f}{doubt})"
    for time, used in spans.times:
        yield f"  time: {spans.said(used)!r} is {time.period.first} to {time.period.last}"
    for name, places in spans.operators.items():
        yield f"  {name}: {', '.join(repr(spans.said(used)) for used in places)}"
    for place, derivation in enumerate(parsed.ranked(reader.model)[:_DERIVATIONS], 1):
        yield f"{place}. {derivation.candidate.rule}: {derivation.answer!r}"
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
    assert parsed.rules is not None
    candidate, weights = derivation.candidate, reader.model.ranker
    left = parsed.rules.unexplained(candidate)
    yield to_text(candidate.program)
    yield f"composed by {candidate.composer}"
    if left:
        yield f"left over: {parsed.rules.spans.said(left)}"
    weighed = {n: weights.get(n, 0.0) * value for n, value in derivation.features.items()}
    most = sorted(weighed, key=lambda name: -abs(weighed[name]))[:_FEATURES]
    yield f"score {score(derivation.features, weights):.2f}: " + ", ".join(
        f"{name} {weighed[name]:+.2f}" for name in most
    )


main = partial(cli.run, app, name="python -m models.kg.parsing")

if __name__ == "__main__":
    sys.exit(main())
