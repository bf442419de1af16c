"""`/v1/chat/completions`: any chat client can put a question to a system.

The last message of the user is the question; the model is a system's name. Beside OpenAI's fields,
the body may have `crag`, a question's time, task and pages, and the reply has `crag`, too: the
answer's source and its id in the playground. Passages are `annotations` of the message, as OpenAI's
web search has them, each with its `text` beside.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from models.records import IDK, Source
from playground.asking import Asked, AskRequest, PageInput, Playground
from playground.errors import error_body


class ChatMessage(BaseModel):
    """A turn; its content is a text or a list of parts with texts."""

    role: str
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """The texts of all parts."""
        if isinstance(self.content, list):
            return " ".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


class CragFields(BaseModel):
    """What a CRAG question has beside its text; see `AskRequest`."""

    time: str = ""
    task: int | None = None
    preset: str = ""
    pages: list[PageInput] = []


class ChatRequest(BaseModel):
    """The part of OpenAI's request that is used; other fields (temperature, …) are ignored."""

    model: str
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool = False
    crag: CragFields = CragFields()


def add_chat(app: FastAPI, playground: Playground) -> None:
    """Add the routes of OpenAI's API to an application."""

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        rows = [
            {"id": name, "object": "model", "created": 0, "owned_by": "crag"}
            for name in playground.systems
        ]
        return {"object": "list", "data": rows}

    @app.post("/v1/chat/completions")
    def complete(request: ChatRequest) -> Response:
        if request.model not in playground.systems:
            message = f"there is no model {request.model!r}; there are {playground.systems}"
            error = error_body(message, param="model", code="model_not_found")
            return JSONResponse(error, 404)
        users = [message.text for message in request.messages if message.role == "user"]
        if not users:
            return JSONResponse(error_body("no message is the user's", param="messages"), 400)
        asked = playground.ask(
            AskRequest(question=users[-1], system=request.model, **request.crag.model_dump())
        )
        if request.stream:
            return StreamingResponse(_chunks(asked), media_type="text/event-stream")
        for _ in asked.follow():
            pass
        if _failure(asked):
            return JSONResponse(_error(asked), 502)
        said = {
            "role": "assistant",
            "content": asked.answer.text,
            "refusal": None,
            "annotations": _citations(asked),
        }
        choice = {"index": 0, "message": said, "logprobs": None, "finish_reason": "stop"}
        return JSONResponse(
            {**_head(asked, "chat.completion"), "choices": [choice], "usage": _usage(asked)}
        )


def _chunks(asked: Asked) -> Iterator[str]:
    """The events of a stream: the role at once, the answer when it is there."""

    def event(delta: dict[str, Any], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**_head(asked, "chat.completion.chunk"), "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    for _ in asked.follow():
        pass
    if _failure(asked):
        yield _event(_error(asked))
        return
    yield event({"content": asked.answer.text, "annotations": _citations(asked)})
    yield event({}, "stop")
    yield "data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    """What every object of a reply has."""
    return {
        "id": f"chatcmpl-{asked.id}",
        "object": kind,
        "created": int(time.time()),
        "model": asked.system,
        "crag": {"id": asked.id, "source": asked.answer.source},
    }


def _failure(asked: Asked) -> str:
    """Why there is no answer, if a failure is why; else empty."""
    if asked.answer.text != IDK or not asked.failures:
        return ""
    return str(asked.failures[0].error)


def _error(asked: Asked) -> dict[str, Any]:
    return error_body(_failure(asked), "server_error")


def _citations(asked: Asked) -> list[dict[str, Any]]:
    """The passages of an answer that comes from pages, best first."""
    if asked.answer.source is not Source.WEB:
        return []
    span = {"start_index": 0, "end_index": len(asked.answer.text)}
    return [
        {
            "type": "url_citation",
            "url_citation": {**span, "url": passage["url"], "title": passage["title"]},
            "text": passage["text"],
        }
        for passage in asked.passages
    ]


def _usage(asked: Asked) -> dict[str, int]:
    """The tokens of all steps."""
    read = sum(step.prompt_tokens for step in asked.steps)
    written = sum(step.tokens for step in asked.steps)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
