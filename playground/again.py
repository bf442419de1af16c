"""A step that is run again with another prompt, program or passages; nothing else changes."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parse import MAX_LENGTH, parse
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import Derivation, SemanticParser
from models.kg.run import explain, run
from models.llm.errors import AdapterUnknown, CutOff
from models.llm.llms import LLMs
from models.llm.protocol import Message, Prompt
from models.llm.replies import CleanLLM
from models.ranking.log_linear import score
from models.runtime.rounds import confidence_figures, written_prompt
from models.runtime.trace import Step
from models.subtasks.answer_web import ExtractiveReader
from playground.inquiry import Inquiry
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError, InputError

SECONDS = 30.0  # for a step, as for a whole question
READINGS = 5  # of the parser, that are shown


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


def prompt_again(inquiry: Inquiry, llms: LLMs, number: int, change: PromptChange) -> Step:
    """The step `number` with another prompt.

    Raises:
        InputError: no LLM wrote this step, its engine has no such adapter, or several samples are
            asked for without a temperature.
        CragError: the engine failed.
    """
    if number not in inquiry.requests:
        raise InputError(f"step {number} has no prompt")
    if change.samples > 1 and not change.temperature:
        raise InputError("several samples need a temperature above 0: without one all are the same")
    prompt = replace(
        inquiry.requests[number].prompt,
        messages=tuple(Message(role, text) for role, text in change.turns),
        adapter=change.adapter or None,
        temperature=change.temperature,
        max_tokens=change.max_tokens,
        n=change.samples,
    )
    return _completed(inquiry.steps[number], llms, prompt)


def _completed(step: Step, llms: LLMs, prompt: Prompt) -> Step:
    """The step as its engine completes this prompt.

    Raises:
        InputError: the engine has no such adapter.
        CragError: it failed.
    """
    llm, _ = llms.of(step.name)
    start = time.perf_counter()
    try:
        [completion] = llm.generate([prompt], deadline=Deadline.after(SECONDS))
    except AdapterUnknown as error:
        raise InputError(str(error)) from error
    if completion.error is not None:
        raise completion.error
    if not completion.finished:
        raise CutOff(f"{step.name} was cut off after {SECONDS:.0f} s")
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
        problem: its `message`, `offset` and `text`, or None; `plan`, `repairs` and `output` are
            empty if the program cannot be run.

    Raises:
        InputError: there is no KG.
    """
    result: dict[str, Any] = {
        "problem": None,
        "plan": "",
        "repairs": [],
        "output": "",
        "errors": [],
    }
    kg = _kg(client)
    try:
        parse(program, strict=True)
    except QuerySyntaxError as error:
        result["problem"] = {"message": error.message, "offset": error.offset, "text": str(error)}
    start = time.perf_counter()
    try:
        answer = run(program, kg, now, Deadline.after(SECONDS))
        result["plan"] = explain(answer.program)
        result["repairs"] = list(answer.repairs)
        result["output"] = "\n".join(answer.sentences)
        result["errors"] = list(map(str, answer.errors))
    except CragError as error:
        if result["problem"] is None:
            result["errors"] = [str(error)]
    return {**result, "seconds": time.perf_counter() - start}


def passages_again(inquiry: Inquiry, llms: LLMs, numbers: Sequence[int]) -> dict[str, Any]:
    """What the step that read the passages makes of these ones, in this order.

    An LLM gets its prompt as its system writes it; db3, for example, puts passages into the order
    of their pages.

    Returns:
        before: what the step made of all passages; `output`, `refused` (why there is no answer)
            and `seconds` of the new reading.

    Raises:
        InputError: there are no such passages, or no step has read them.
        CragError: the engine failed.
    """
    rows = inquiry.passages
    if not all(0 <= number < len(rows) for number in numbers):
        raise InputError(f"there are no passages {numbers}")
    texts = [row["text"].strip() for row in rows]
    readers = []
    for number, written in inquiry.requests.items():
        is_read = any(_place(text, texts) is not None for text in written.request.passages)
        chooses = written.prompt.constraint is not None  # among answers, not from passages
        if is_read and not chooses:
            readers.append(number)
    if not readers:
        return _read_without_llm(inquiry, numbers)
    step = inquiry.steps[readers[-1]]
    request = inquiry.requests[readers[-1]].request
    others = []  # facts of the KG
    as_read = dict(enumerate(texts))
    for text in request.passages:
        place = _place(text, texts)
        if place is None:
            others.append(text)
        else:
            as_read[place] = text
    passages = [*others, *(as_read[number] for number in numbers)]
    llm, adapter = llms.of(request.subtask)
    prompt, _ = written_prompt(replace(request, passages=passages), llm, adapter)
    again = _completed(step, llms, prompt)
    return {"before": step.output, "output": again.output, "refused": "", "seconds": again.seconds}


def _place(passage: str, texts: Sequence[str]) -> int | None:
    """The number of the text that a step has read as this passage, which may begin with a word of
    its own (electricsheep's tables); None: it is none of them."""
    for number, text in enumerate(texts):
        if passage.strip().endswith(text):
            return number
    return None


def _read_without_llm(inquiry: Inquiry, numbers: Sequence[int]) -> dict[str, Any]:
    """What the reader without an LLM finds in these passages.

    Raises:
        InputError: it has not read them before.
        WeightsError: the reader's encoder is not there.
    """
    steps = [step for step in inquiry.steps if step.name == "answer_web"]
    retrieved = inquiry.retrieved
    if retrieved is None or not steps:
        raise InputError("no step has read the passages: the answer is not from the pages")
    start = time.perf_counter()
    reader = ExtractiveReader()
    passages = [retrieved.passages[number] for number in numbers]
    deadline = Deadline.after(SECONDS)
    best = reader.choice(inquiry.question, passages, retrieved.texts, deadline)
    answer = reader.answer_of(best)
    return {
        "before": steps[-1].output,
        "output": answer.text,
        "refused": "" if answer.known else reader.refusal(best),
        "seconds": time.perf_counter() - start,
    }


def readings(inquiry: Inquiry, client: KgClient | None) -> list[dict[str, Any]]:
    """The semantic parser's best readings of the question, the likeliest first.

    Returns:
        of each: its `program`, `answer` or None, `sentences`, `score`, and its `features`: name,
            value and contribution to the score, the largest first.

    Raises:
        InputError: there is no KG.
        CragError: a call of the KG failed, and no reading has an answer.
    """
    parser = SemanticParser(_kg(client))
    question = inquiry.question
    weights = parser.model.ranker
    parsed = parser.parse(question.text, question.asked_at, Deadline.after(SECONDS))
    best = parsed.ranked()[:READINGS]
    if parsed.errors and all(derivation.answer is None for derivation in best):
        raise parsed.errors[0]
    return [_reading(derivation, weights) for derivation in best]


def _reading(derivation: Derivation, weights: Mapping[str, float]) -> dict[str, Any]:
    features = [
        (name, value, value * weights.get(name, 0.0)) for name, value in derivation.features.items()
    ]
    return {
        "program": to_text(derivation.candidate.program),
        "answer": derivation.answer,
        "sentences": " ".join(derivation.result.sentences),
        "score": score(derivation.features, weights),
        "features": sorted(features, key=lambda row: -abs(row[2])),
    }


def _kg(client: KgClient | None) -> KgClient:
    if client is None:
        raise InputError("there is no KG: start with --example or --api URL")
    return client
