"""The events of a chat reply: server-sent events or JSON, whatever its content type says.

Servers put errors into replies of status 200 in many forms; `error_in` knows them.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import requests

from models.llm.errors import ServerRejected

_CHUNK = 1 << 16  # bytes
_MAX_ANSWER = 16 << 20  # bytes of a completion
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"\s+")
_DONE = b"[DONE]"  # the end of a stream
_MOST_LINES = 20  # of data in an event
_MOST_SHOWN = 200  # bytes of what is no event
# The HTTP statuses that codes and types of errors stand for, by what they contain, such as
# "rate_limit_exceeded" and "RateLimitError"; the first one counts.
_STATUSES = (
    (re.compile(r"overloaded"), 529),
    (re.compile(r"rate.?limit|too.?many.?requests|throttl|resource.?exhausted"), 429),
    (re.compile(r"quota|billing|credit"), 402),
    (re.compile(r"authentication|unauthorized|api.?key"), 401),
    (re.compile(r"permission|forbidden"), 403),
    (re.compile(r"not.?found"), 404),
    (re.compile(r"unprocessable|validation"), 422),
    (re.compile(r"bad.?request|invalid|unsupported|unknown.?parameter|context"), 400),
)
# The same of a message without a code.
_STATUSES_OF_MESSAGES = (
    (re.compile(r"rate limit|too many requests", re.I), 429),
    (re.compile(r"(?:invalid|incorrect|missing|no) (?:api )?key|unauthorized", re.I), 401),
    (re.compile(r"model\b.{0,60}\b(?:not found|not exist|unknown)|unknown model", re.I), 404),
)
_FIELDS = ("code", "status", "status_code", "type", "error_type")  # that say what an error is
_UNKNOWN_STATUS = 500
_VALIDATION = 422


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
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest


def _whole_reply(content: bytes) -> Iterator[dict[str, Any] | None]:
    """The objects of a reply that is JSON, or those of its lines."""
    try:
        yield from _objects(content)
    except NotAnEventError:
        for line in content.split(b"\n"):
            data = line.strip().removeprefix(b"data:").strip()
            if data and data != _DONE:
                yield from _objects(data)
    yield None


def _stream(lines: Iterable[bytes]) -> Iterator[dict[str, Any] | None]:
    """The events of a stream's lines; some servers write errors without `data:`.

    Raises:
        NotAnEventError: the data of an event is not JSON, or there is no event.
    """
    name = b""  # of the event
    parts: list[bytes] = []  # lines of data that are no JSON by themselves
    other = b""  # the last line that belongs to no event
    for line in chain(lines, [b""]):
        line = line.strip()
        before, _, after = line.partition(b":")
        field = before.lower()
        data = after.strip()
        if not line:  # the end of an event
            if name == b"error" and parts:
                yield _error_event(b"\n".join(parts))
            else:
                other = b"\n".join(parts) or other
            name = b""
            parts = []
        elif line.startswith(b"{"):
            yield from _objects(line)
        elif field == b"event":
            name = data
        elif field == b"error" and data:
            yield {"error": _object_or_text(data)}
        elif field == b"data" and data == _DONE:
            yield None
        elif field == b"data" and data:
            parts = [*parts[-_MOST_LINES:], data]
            objects = None if name == b"error" else _complete(parts)
            if objects is not None:
                yield from objects
                parts = []  # else the event may go on in the next line
        elif field not in (b"", b"data", b"id", b"retry"):
            other = line
    if other:
        raise NotAnEventError(f"a line is no event: {_shown(other)}")


def _complete(parts: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects in the lines of an event's data, or in the last one; None if they are no JSON."""
    for data in (b"\n".join(parts), parts[-1]):
        with suppress(NotAnEventError):
            return _objects(data)
    return None


def _error_event(data: bytes) -> dict[str, Any]:
    """The event of the data of an error, which may be text."""
    event = _object_or_text(data)
    return event if error_in(event) else {"error": event}


def _objects(data: bytes) -> list[dict[str, Any]]:
    """The objects in JSON: one, several, or those of lists; other values are left out.

    Raises:
        NotAnEventError: it is not JSON.
    """
    try:
        text = data.decode().strip()
        values: list[Any] = []
        start = 0
        while start < len(text):
            value, end = _DECODER.raw_decode(text, start)
            values += value if isinstance(value, list) else [value]
            blanks = _BLANKS.match(text, end)
            start = end if blanks is None else blanks.end()
    except (ValueError, RecursionError) as error:
        raise NotAnEventError(f"an event is not JSON: {error}: {_shown(data)}") from error
    return [value for value in values if isinstance(value, dict)]


def _shown(data: bytes) -> str:
    return data[:_MOST_SHOWN].decode(errors="replace")


def _object_or_text(data: bytes) -> Any:
    try:
        return next(iter(_objects(data)), None) or data.decode(errors="replace")
    except NotAnEventError:
        return data.decode(errors="replace")


def error_in(event: Any) -> Any:
    """The error that an event carries; None if it carries none.

    >>> error_in({"object": "error", "message": "no such model", "code": 404})["code"]
    404
    """
    if not isinstance(event, Mapping):
        return None
    error = event.get("error") or event.get("errors")
    if error and not _says_nothing(error):
        has_more = not isinstance(error, Mapping | list) and any(map(event.get, _FIELDS))
        return event if has_more else error
    if event.get("object") == "error" or event.get("type") == "error":
        return event
    choices = event.get("choices")
    if choices is None and (isinstance(event.get("detail"), list) or _has_error_code(event)):
        return event
    if not isinstance(choices, list):
        return None
    for choice in choices:
        message = choice.get("message") if isinstance(choice, Mapping) else None
        for part in (choice, message):
            error = part.get("error") if isinstance(part, Mapping) else None
            if error and not _says_nothing(error):
                return error
    return None


def message_in(event: Mapping[str, Any]) -> str:
    """What an event says beside its choices: an error, if no text comes after it."""
    message = event.get("message") or event.get("detail")
    return "" if event.get("choices") or not message else str(message)


def _says_nothing(error: Any) -> bool:
    """Whether a server filled a field for errors with nothing, or with success."""
    if isinstance(error, Mapping):
        return not any(error.values()) or str(error.get("code")) in ("0", "200")
    return str(error).lower() in ("none", "null", "ok", "success", "false")


def _has_error_code(event: Mapping[str, Any]) -> bool:
    """Whether an event has the code of an error."""
    codes = (str(event.get(name)) for name in ("code", "status", "status_code"))
    return any(code.isdecimal() and 400 <= int(code) < 600 for code in codes)


def status_of(error: Any) -> int:
    """The HTTP status that an error within a reply would have had; 500 if it is not known.

    >>> status_of({"code": "404"}), status_of({"code": "context_length_exceeded"})
    (404, 400)
    """
    if isinstance(error, list) and error:
        error = error[0]
    while isinstance(error, Mapping) and isinstance(error.get("error"), Mapping):
        error = error["error"]
    message = error
    if isinstance(error, Mapping):
        message = error.get("message")
        if isinstance(error.get("detail"), list):
            return _VALIDATION
        for name in _FIELDS:
            value = str(error.get(name) or "").lower()
            if value.isdecimal() and 400 <= int(value) < 600:
                return int(value)
            for pattern, status in _STATUSES:
                if pattern.search(value):
                    return status
    for pattern, status in _STATUSES_OF_MESSAGES:
        if pattern.search(str(message)):
            return status
    return _UNKNOWN_STATUS
