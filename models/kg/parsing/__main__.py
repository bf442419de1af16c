"""`crag parse QUESTION`: shows how a question is parsed, step by step."""

import sys
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from functools import partial
from typing import Annotated, Any

import typer

from models.batch_input import read_time
from models.kg.client import command_client
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import Derivation, ParsedQuestion, SemanticParser
from models.ranking.log_linear import score
from utils import cli
from utils.deadline import Deadline
from utils.errors import InputError

_SECONDS = 30.0
_DERIVATIONS = 5
_FEATURES = 8  # shown per derivation, those with the highest weight
app = cli.new_app()


@app.command()
def _main(
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    api: cli.KgApi = None,
    example: cli.ExampleKg = False,
    now: Annotated[
        datetime | None,
        typer.Option(
            parser=read_time,
            metavar="TIME",
            help="the question's time, as 2024-03-05T16:00; without it, no relative times",
        ),
    ] = None,
) -> None:
    """Show how the semantic parser reads a question: names, times, candidates by score, answer."""
    if not question.strip():
        raise InputError("the question is empty")
    reader = SemanticParser(command_client(api, example=example))
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
    weights = reader.model.ranker
    by_score = sorted(parsed.derivations, key=lambda each: -score(each.features, weights))
    yield "derivations, the highest score first; the first with an answer is chosen"
    for place, derivation in enumerate(by_score, 1):
        if place > _DERIVATIONS and derivation is not parsed.chosen:
            continue
        yield f"{place}. {derivation.candidate.rule_label}: {_value_text(derivation)}"
        yield from (f"  {line}" for line in _details(derivation, parsed, reader))
    if parsed.choice is None:
        yield f"no answer: {parsed.refusal}"
    elif parsed.refusal:
        yield f"answer refused: {parsed.choice.answer!r}: {parsed.refusal}"
    else:
        chance = parsed.choice.probability
        yield f"answer: {parsed.choice.answer!r}, right with a probability of {chance:.2f}"


def _value_text(derivation: Derivation) -> str:
    """The value of a derivation, and whether it may be the answer."""
    if derivation.composed is None:
        if derivation.failed:
            return "a call failed"
        has_values = any(outcome.values for outcome in derivation.result.outcomes)
        return "gives no answer" if has_values else "the KG has nothing"
    if derivation.ruled_out:
        return f"{derivation.composed!r}, ruled out"
    return repr(derivation.composed)


def _details(
    derivation: Derivation, parsed: ParsedQuestion, reader: SemanticParser
) -> Iterator[str]:
    candidate = derivation.candidate
    weights = reader.model.ranker
    yield to_text(candidate.program)
    yield f"composed by {_composer_text(candidate.composer)}"
    if parsed.coverage is not None and parsed.coverage.unexplained(candidate):
        unexplained = parsed.coverage.unexplained(candidate)
        yield f"left over: {parsed.coverage.spans.text_of(unexplained)}"
    contributions = {
        name: weights.get(name, 0.0) * value for name, value in derivation.features.items()
    }
    largest = sorted(contributions, key=lambda name: -abs(contributions[name]))[:_FEATURES]
    shares = [f"{name} {contributions[name]:+.2f}" for name in largest]
    yield f"score {score(derivation.features, weights):.2f}: {', '.join(shares)}"


def _composer_text(composer: Any) -> str:
    """The name of a composer and its options, without those at their default."""
    options = [
        f"{field.name}={getattr(composer, field.name)}"
        for field in fields(composer)
        if getattr(composer, field.name) != field.default
    ]
    return f"{type(composer).__name__}({', '.join(options)})"


main = partial(cli.run, app, name="crag parse")

if __name__ == "__main__":
    sys.exit(main())
