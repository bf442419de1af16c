"""The events of a chat reply: server-sent events or JSON, whatever its content type says.

Servers put errors into replies of status 200 in many forms; `error_in` knows them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import requests

from models.llm.errors import ServerRejected

_CHUNK = 1 << 16  # bytes
_MAX_ANSWER = 16 << 20  # bytes of a completion
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_SHOWN = 200  # bytes of what is no event
# The HTTP statuses that stand for the codes and types of errors.
_STATUSES = {
    "authentication_error": 401,
    "bad_request": 400,
    "badrequesterror": 400,
    "context_length_exceeded": 400,
    "exceed_context_size_error": 400,
    "insufficient_quota": 402,
    "invalid_api_key": 401,
    "invalid_request_error": 400,
    "model_not_found": 404,
    "not_found_error": 404,
    "notfounderror": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "unsupported_parameter": 400,
    "unsupported_value": 400,
    "validation_error": 422,
}
_UNKNOWN_STATUS = 500


class NotAnEventError(Exception):
    """A reply, or a part of it, is not JSON."""


def events_of(
    reply: requests.Response, over: Callable[[], bool]
) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a reply, until its end or until `over`; None when the server is done.

    Raises:
        NotAnEventError: the reply is neither a stream of events nor JSON.
        ServerRejected: the reply is too long.
    """
    lines = _lines(reply, over)
    first = b""
    while not first:
        line = next(lines, None)
        if line is None:
            return
        first = line.removeprefix(_BYTE_ORDER_MARK).strip()
    if first.startswith((b"{", b"[")):
        content = b"\n".join([first, *lines])
        if not over():
            yield from _whole_reply(content)
    else:
        yield from _stream(chain([first], lines))


def _lines(reply: requests.Response, over: Callable[[], bool]) -> Iterator[bytes]:
    """The lines of a reply as they arrive."""
    size = 0
    rest = b""  # the beginning of a line whose end has not arrived
    while not over():
        chunk = reply.raw.read1(_CHUNK, decode_content=True)
        if not chunk:
            break
        size += len(chunk)
        if size > _MAX_ANSWER:
            raise ServerRejected(f"an answer of more than {_MAX_ANSWER >> 20} MiB")
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest


def _whole_reply(content: bytes) -> Iterator[dict[str, Any] | None]:
    """The object of a reply that is JSON, or those of its lines."""
    try:
        yield _object(content)
    except NotAnEventError:
        lines = filter(bytes.strip, content.split(b"\n"))
        yield from map(_object, lines)
    yield None


def _stream(lines: Iterable[bytes]) -> Iterator[dict[str, Any] | None]:
    """The events of a stream's lines; some servers write errors without `data:`."""
    is_error = False
    for line in lines:
        name, _, data = line.strip().partition(b":")
        data = data.strip()
        if line.startswith(b"{"):
            yield _object(line)
        elif name == b"event":
            is_error = data == b"error"
        elif name == b"error" and data:
            yield {"error": _object_or_text(data)}
        elif name == b"data" and data == b"[DONE]":
            yield None
        elif name == b"data" and data and is_error:
            event = _object_or_text(data)
            yield event if error_in(event) else {"error": event}
        elif name == b"data" and data:
            yield _object(data)


def _object(data: bytes) -> dict[str, Any]:
    """The object in JSON; empty if the JSON is something else."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        shown = data[:_MOST_SHOWN].decode(errors="replace")
        raise NotAnEventError(f"an event is not JSON: {error}: {shown}") from error
    return event if isinstance(event, dict) else {}


def _object_or_text(data: bytes) -> Any:
    try:
        return _object(data) or data.decode(errors="replace")
    except NotAnEventError:
        return data.decode(errors="replace")


def error_in(event: Any) -> Any:
    """The error that an event carries; None if it carries none.

    >>> error_in({"object": "error", "message": "no such model", "code": 404})["code"]
    404
    """
    if not isinstance(event, Mapping):
        return None
    if event.get("error"):
        return event["error"]
    if event.get("object") == "error" or event.get("type") == "error":
        return event
    choices = event.get("choices")
    if choices is None and (event.get("detail") or event.get("message")):
        return event
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("error"):
            return choice["error"]
    return None


def status_of(error: Any) -> int:
    """The HTTP status that an error within a reply would have had; 500 if it is not known.

    >>> status_of({"code": "404"}), status_of({"code": "context_length_exceeded"})
    (404, 400)
    """
    if not isinstance(error, Mapping):
        return _UNKNOWN_STATUS
    for name in ("code", "status", "status_code", "type"):
        value = str(error.get(name)).lower()
        if value.isdecimal() and 400 <= int(value) < 600:
            return int(value)
        if value in _STATUSES:
            return _STATUSES[value]
    return _UNKNOWN_STATUS
