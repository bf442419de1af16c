"""`/v1/chat/completions`: any chat client can put a question to a system.

The last message of the user is the question; the model is a system's name. Beside OpenAI's fields,
the body may have `crag`, see `CragFields`, and the reply has `crag`, too: the
answer's source and its id in the playground. Passages are `annotations` of the message, as OpenAI's
web search has them, each with its `text` beside.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field, ValidationError

from models.records import Source
from models.runtime.case import Failure
from playground.errors import error_body
from playground.inquiry import POLL_S, AskRequest, CragFields, Inquiry
from playground.service import Playground

_CLIENT_LEFT = 499  # a status that nobody reads


class ChatPart(BaseModel):
    """A part of a message; one of another type than "text" is ignored."""

    type: str
    text: str | None = None


class ChatMessage(BaseModel):
    """A turn; its content is a text or a list of parts."""

    role: str
    content: str | list[ChatPart] | None = None

    @property
    def text(self) -> str:
        """The texts of all parts."""
        if isinstance(self.content, list):
            return " ".join(part.text or "" for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """OpenAI's: whether the last chunk of a stream has the tokens."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """The part of OpenAI's request that is used; other fields (temperature, …) are ignored."""

    model: str
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    tool_choice: Literal["none", "auto"] | None = None
    crag: CragFields | None = None


def add_chat(app: FastAPI, playground: Playground) -> None:
    """Add the routes of OpenAI's API to an application."""

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        return {"object": "list", "data": list(map(_model_row, playground.systems))}

    @app.get("/v1/models/{name}")
    def model(name: str) -> Response:
        if name not in playground.systems:
            return _no_model(name, playground.systems)
        return JSONResponse(_model_row(name))

    @app.post("/v1/chat/completions")
    async def complete(request: ChatRequest, connection: Request) -> Response:
        if request.model not in playground.systems:
            return _no_model(request.model, playground.systems)
        users = [message.text for message in request.messages if message.role == "user"]
        if not users or not users[-1].strip():
            problem = "the user's last message is the question, and there is no text of one"
            return JSONResponse(error_body(problem, param="messages"), 400)
        fields = (request.crag or CragFields()).model_dump()
        try:
            ask = AskRequest(question=users[-1], system=request.model, **fields)
        except ValidationError as error:
            problem = f"the user's last message, the question: {error.errors()[0]['msg']}"
            return JSONResponse(error_body(problem, param="messages"), 400)
        inquiry = await run_in_threadpool(playground.ask, ask)
        created = int(time.time())
        if request.stream:
            options = request.stream_options or StreamOptions()
            chunks = _chunks(inquiry, created, with_usage=options.include_usage)
            watched = _withdrawn_at_the_end(chunks, inquiry, playground)
            return StreamingResponse(watched, media_type="text/event-stream")
        while not inquiry.done:
            if await connection.is_disconnected():
                playground.withdraw(inquiry)
                return Response(status_code=_CLIENT_LEFT)
            await asyncio.sleep(POLL_S)
        failure = _failure(inquiry)
        if failure is not None:
            return JSONResponse(_error(failure), 502)
        message = {
            "role": "assistant",
            "content": inquiry.answer.text,
            "refusal": None,
            "annotations": _citations(inquiry),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        head = _head(inquiry, "chat.completion", created)
        return JSONResponse({**head, "choices": [choice], "usage": _usage(inquiry)})


def _model_row(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "crag"}


def _no_model(name: str, systems: Sequence[str]) -> Response:
    problem = f"there is no model {name!r}; there are {systems}"
    return JSONResponse(error_body(problem, param="model", code="model_not_found"), 404)


async def _withdrawn_at_the_end(
    chunks: AsyncIterator[str], inquiry: Inquiry, playground: Playground
) -> AsyncIterator[str]:
    """The chunks of a stream; a client that leaves ends them, and withdraws the question."""
    try:
        async for chunk in chunks:
            yield chunk
    finally:
        if not inquiry.done:
            playground.withdraw(inquiry)


async def _chunks(inquiry: Inquiry, created: int, *, with_usage: bool) -> AsyncIterator[str]:
    """The events of a stream: the role at once, the answer when it is there."""

    def event(delta: dict[str, Any], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**_head(inquiry, "chat.completion.chunk", created), "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    await inquiry.wait()
    failure = _failure(inquiry)
    if failure is not None:
        yield _event(_error(failure))
        return
    yield event({"content": inquiry.answer.text, "annotations": _citations(inquiry)})
    yield event({}, "stop")
    if with_usage:
        head = _head(inquiry, "chat.completion.chunk", created)
        yield _event({**head, "choices": [], "usage": _usage(inquiry)})
    yield "data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _head(inquiry: Inquiry, kind: str, created: int) -> dict[str, Any]:
    """What every object of a reply has; `created`: when it was asked, in seconds since 1970."""
    return {
        "id": f"chatcmpl-{inquiry.id}",
        "object": kind,
        "created": created,
        "model": inquiry.system,
        "crag": {"id": inquiry.id, "source": inquiry.answer.source},
    }


def _failure(inquiry: Inquiry) -> Failure | None:
    """Why there is no answer, if a failure is why."""
    if inquiry.answer.known or not inquiry.failures:
        return None
    return inquiry.failures[0]


def _error(failure: Failure) -> dict[str, Any]:
    return error_body(str(failure.error) or failure.kind, "server_error")


def _citations(inquiry: Inquiry) -> list[dict[str, Any]]:
    """The passages of an answer that comes from pages, best first."""
    if inquiry.answer.source is not Source.WEB:
        return []
    span = {"start_index": 0, "end_index": len(inquiry.answer.text)}
    return [
        {
            "type": "url_citation",
            "url_citation": {**span, "url": passage["url"], "title": passage["title"]},
            "text": passage["text"],
        }
        for passage in inquiry.passages
    ]


def _usage(inquiry: Inquiry) -> dict[str, int]:
    """The tokens of all steps."""
    prompts = sum(step.prompt_tokens for step in inquiry.steps)
    completions = sum(step.tokens for step in inquiry.steps)
    return {
        "prompt_tokens": prompts,
        "completion_tokens": completions,
        "total_tokens": prompts + completions,
    }
