"""Errors as OpenAI's API gives them, for all requests."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from utils.errors import CragError, InputError


class NotFound(InputError):
    """There is no question, page or row of this name."""


class Stopped(CragError):
    """The server was stopped before the question was answered."""


class Busy(InputError):
    """Too many questions wait."""


def error_body(
    message: str,
    type: str = "invalid_request_error",
    *,
    param: str | None = None,
    code: str | None = None,
) -> dict[str, Any]:
    """An error as an object."""
    return {"error": {"message": message, "type": type, "param": param, "code": code}}


def add_handlers(app: FastAPI) -> None:
    """Let an application answer errors so: 400 for bad input, 404 for what is not there, 429 where
    too many questions wait, 502 where an engine or the KG failed."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(CragError, _failed)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse(error_body(str(error.detail)), error.status_code, error.headers)


def _invalid(request: Request, error: Exception) -> Response:
    """400 with the first field that is wrong."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return JSONResponse(error_body(f"the body is not JSON: {first['msg']}"), 400)
    field = ".".join(str(part) for part in first["loc"] if part != "body")
    if not field:
        problem = f"the body: {first['msg']}; send an object with Content-Type: application/json"
        return JSONResponse(error_body(problem), 400)
    return JSONResponse(error_body(f"{field}: {first['msg']}", param=field), 400)


def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, Busy):
        return JSONResponse(error_body(str(error), "rate_limit_error"), 429)
    if isinstance(error, InputError):
        status = 404 if isinstance(error, NotFound) else 400
        return JSONResponse(error_body(str(error)), status)
    return JSONResponse(error_body(str(error), "server_error"), 502)
