"""The HTTP side: a route for every row of the endpoint table; no request ends in a status 500."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi_offline import FastAPIOffline
from pydantic import BaseModel, create_model
from starlette.responses import JSONResponse

from mock_api.answers import ANSWERS
from mock_api.json_text import dump
from mock_api.store import Store
from utils.crag_endpoints import ENDPOINTS, Endpoint, ParameterKind
from utils.errors import InputError
from utils.http_server import BodyLimit

MAX_BODY_BYTES = 2**20
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The body is not text in UTF-8"},
    413: {"description": f"The body is larger than {MAX_BODY_BYTES} bytes"},
}
_TYPES: dict[ParameterKind, Any] = {
    ParameterKind.TEXT: str,
    ParameterKind.INTEGER: int,
    ParameterKind.TEXTS: list[str],
}


def make_app(store: Store) -> FastAPI:
    """The application over `store`: the 38 endpoints, `/`, `/health` and `/docs`."""
    app = FastAPIOffline(  # FastAPI, with the scripts of /docs served from here
        title="CRAG mock API",
        description="The knowledge-graph API of the Comprehensive RAG Benchmark.",
        strict_content_type=False,  # the official server reads a body of no or any JSON type
    )
    app.add_middleware(BodyLimit, limit=MAX_BODY_BYTES)
    app.add_exception_handler(RequestValidationError, _refuse_body)
    app.add_exception_handler(InputError, _refuse_value)
    for row in ENDPOINTS:
        app.post(
            row.path,
            summary=row.summary,
            response_description=row.returns,
            tags=[row.domain],
            response_class=_Json,
            response_model=ResultBody,
            responses=_REFUSALS,
        )(_handler(row, store))

    @app.get("/", response_class=_Json, response_model=dict[str, str])
    async def root() -> Response:
        return _Json('{"message":"The CRAG API service is running"}')

    @app.get("/health", response_class=_Json, response_model=Health)
    async def health() -> Response:
        return _Json(dump({"status": "ok", "rows": store.row_counts}))

    return app


class _Json(JSONResponse):
    """JSON that is written already."""

    def render(self, content: str) -> bytes:
        return content.encode()


class ResultBody(BaseModel):
    """The body of an answer."""

    result: Any


class Health(BaseModel):
    """Whether the server works, and how many rows each table has."""

    status: str
    rows: dict[str, int]


def _handler(row: Endpoint, store: Store) -> Callable[..., Awaitable[Response]]:
    """The function that answers requests to an endpoint.

    It is asynchronous: a typical answer takes 27 microseconds, less than passing it to a thread.
    """
    answer = ANSWERS[row.path]

    async def respond(**bodies: BaseModel) -> Response:
        try:
            fields: dict[str, Any] = dict(*bodies.values())  # there is one body, or none
            return _Json(f'{{"result":{answer(store, **fields)}}}')
        except UnicodeEncodeError:
            raise InputError("Text must not hold half of a surrogate pair") from None

    body = Parameter("body", Parameter.KEYWORD_ONLY, annotation=_body_model(row))
    respond.__signature__ = Signature([body] if row.params else [])  # type: ignore[attr-defined]
    respond.__name__ = row.method
    return respond


def _body_model(row: Endpoint) -> type[BaseModel]:
    """The type of the body of a request."""
    fields: dict[str, Any] = {}
    for param in row.params:
        body_type = _TYPES[param.kind]
        fields[param.name] = (body_type, ...) if param.required else (body_type | None, None)
    return create_model(f"{row.method}_body", **fields)


def _refuse_body(request: Request, error: Exception) -> Response:
    """422 in FastAPI's form; input that JSON cannot hold is left out."""
    details = error.errors() if isinstance(error, RequestValidationError) else []
    try:
        return _refusal(details)
    except (TypeError, ValueError, RecursionError):
        without_input = [{key: detail[key] for key in ("type", "loc", "msg")} for detail in details]
        return _refusal(without_input)


def _refuse_value(request: Request, error: Exception) -> Response:
    """422 with the reason, where the official server fails with a 500."""
    return _refusal([{"type": "value_error", "loc": ["body"], "msg": str(error)}])


def _refusal(details: Sequence[Any]) -> Response:
    """A response of status 422."""
    return _Json(dump({"detail": details}), status_code=422)
