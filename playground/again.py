"""A step that is run again with another prompt, program or passages; nothing else changes."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import MAX_LENGTH, parse
from models.kg.language.printer import to_text
from models.kg.parsing.parser import SemanticParser
from models.kg.run import explain, run
from models.kg.wording.sentences import sentences
from models.llm.factory import LLMs
from models.llm.protocol import Message
from models.llm.replies import CleanLLM
from models.ranking.log_linear import score
from models.runtime.rounds import confidence_figures
from models.runtime.trace import Step
from models.subtasks.answer_web import ExtractiveReader
from playground.asking import Asked
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError, InputError

SECONDS = 30.0  # for a step, as for a whole question
CANDIDATES = 5  # of the parser, that are shown


class PromptChange(BaseModel):
    """Another prompt for an LLM's step; its constraint and its stops stay."""

    model_config = ConfigDict(extra="forbid")

    turns: list[tuple[Literal["system", "user", "assistant"], str]]
    adapter: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Field(ge=1, le=2048)] = 75
    samples: Annotated[int, Field(ge=1, le=16)] = 1


class ProgramChange(BaseModel):
    """Another program of the KG language."""

    model_config = ConfigDict(extra="forbid")

    program: Annotated[str, Field(max_length=MAX_LENGTH)]


class PassagesChange(BaseModel):
    """The passages to read: their numbers from 0, in the order in which they are read."""

    model_config = ConfigDict(extra="forbid")

    passages: list[int]


def prompt_again(asked: Asked, llms: LLMs, number: int, change: PromptChange) -> Step:
    """The step `number` with another prompt.

    Raises:
        InputError: no LLM wrote this step, or its engine has no such adapter.
        CragError: the engine failed.
    """
    if number not in asked.prompts:
        raise InputError(f"step {number} has no prompt")
    step = asked.steps[number]
    llm, _ = llms.of(step.name)
    prompt = replace(
        asked.prompts[number],
        messages=tuple(Message(role, text) for role, text in change.turns),
        adapter=change.adapter or None,
        temperature=change.temperature,
        max_tokens=change.max_tokens,
        n=change.samples,
    )
    start = time.perf_counter()
    [completion] = llm.generate([prompt], deadline=Deadline.after(SECONDS))
    if completion.error is not None:
        raise completion.error
    return replace(
        step,
        output="\n---\n".join(sample.text for sample in completion.samples),
        seconds=time.perf_counter() - start,
        adapter=prompt.adapter,
        tokens=sum(sample.tokens for sample in completion.samples),
        confidence=confidence_figures(completion),
        prompt_tokens=completion.prompt_tokens,
        cached_tokens=completion.cached_tokens,
        cost=llm.cost(completion) if isinstance(llm, CleanLLM) else 0.0,
    )


def program_again(program: str, client: KgClient | None, now: datetime | None) -> dict[str, Any]:
    """What a program returns, its plan, its repairs, and the first place that is not the language.

    Returns:
        problem: `message` and `offset`, or None; `plan`, `repairs` and `output` are empty if the
            program cannot be run.

    Raises:
        InputError: there is no KG.
    """
    if client is None:
        raise InputError("there is no KG: start with --example or --api URL")
    found: dict[str, Any] = {"problem": None, "plan": "", "repairs": [], "output": "", "errors": []}
    try:
        parse(program, strict=True)
    except QuerySyntaxError as error:
        found["problem"] = {"message": error.message, "offset": error.offset, "text": str(error)}
    start = time.perf_counter()
    try:
        parsed = parse(program)
        result = run(parsed.program, client, now, Deadline.after(SECONDS))
        found["plan"] = explain(parsed.program)
        found["repairs"] = list(parsed.repairs)
        found["output"] = "\n".join(result.sentences)
        found["errors"] = list(map(str, result.errors))
    except CragError as error:
        if found["problem"] is None:
            found["errors"] = [str(error)]
    return {**found, "seconds": time.perf_counter() - start}


def passages_again(asked: Asked, numbers: Sequence[int]) -> dict[str, Any]:
    """What the reader without an LLM finds in these passages.

    Raises:
        InputError: there are no such passages.
    """
    retrieved = asked.retrieved
    if retrieved is None or not all(0 <= each < len(retrieved.passages) for each in numbers):
        raise InputError(f"there are no passages {numbers}")
    start = time.perf_counter()
    reader = ExtractiveReader()
    passages = [retrieved.passages[number] for number in numbers]
    choice = reader.choice(asked.question, passages, retrieved.texts)
    answer = reader.answer_of(choice)
    refused = "" if answer.known else reader.refusal(choice)
    seconds = time.perf_counter() - start
    return {"output": answer.text, "refused": refused, "seconds": seconds}


def candidates(asked: Asked, client: KgClient | None) -> list[dict[str, Any]]:
    """The semantic parser's best readings of the question, the likeliest first.

    Returns:
        of each: its `program`, `answer` or None, `sentences`, `score`, and each of its `features`
        with value and contribution to the score.

    Raises:
        InputError: there is no KG.
        CragError: a search of the KG failed.
    """
    if client is None:
        raise InputError("there is no KG: start with --example or --api URL")
    parser = SemanticParser(client)
    question = asked.question
    parsed = parser.parse(question.text, question.asked_at, Deadline.after(SECONDS))
    weights = parser.model.ranker
    rows = []
    for derivation in islice(parsed.ranked(parser.model), CANDIDATES):
        features = [
            (name, value, value * weights.get(name, 0.0))
            for name, value in derivation.features.items()
        ]
        rows.append(
            {
                "program": to_text(derivation.candidate.program),
                "answer": derivation.answer,
                "sentences": " ".join(sentences(derivation.outcomes)),
                "score": score(derivation.features, weights),
                "features": sorted(features, key=lambda row: -abs(row[2])),
            }
        )
    return rows
