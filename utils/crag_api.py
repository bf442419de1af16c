"""The client of the CRAG mock API, and `CRAG`, a drop-in replacement for the official wrapper.

`python -m utils.crag_api` prints docs/kg_api.md, generated from the table of endpoints.
"""

import json
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from urllib3 import BaseHTTPResponse, PoolManager, Timeout
from urllib3.exceptions import HTTPError
from urllib3.util import make_headers

from utils.crag_endpoints import ENDPOINTS, Endpoint, docs_page, find_endpoint
from utils.deadline import Deadline
from utils.errors import (
    ApiError,
    ApiGarbage,
    ApiRejected,
    ApiUnavailable,
    DeadlineExceeded,
    SettingsError,
)
from utils.secrets import without_secrets

MAX_RESPONSE_BYTES = 8 * 2**20  # a year of five soccer leagues, the largest real answer: 5.6 MB
MAX_BYTES_TOGETHER = 32 * 2**20  # of one `call_many`; parsed, it needs 35 times as much
MAX_CACHE_BYTES = 64 * 2**20
DEFAULT_URL = "http://127.0.0.1:8000"
_CHUNK_BYTES = 64 * 2**10
_LEAST_WAIT_S = 0.001  # a timeout of 0 is refused
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # so that the limit on a response limits the bytes read
}


@dataclass(frozen=True, slots=True)
class _Request:
    row: Endpoint
    body: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """One call: an endpoint's path or method name, and its parameters."""

    endpoint: str
    params: Mapping[str, Any] = field(default_factory=dict)


class CragClient(AbstractContextManager["CragClient"]):
    """Calls the API within a deadline: pooled connections, retries, and a bounded cache.

    Thread-safe. The cache keeps the response bytes of successful calls and parses them at every
    hit, so that a caller may modify a returned value. Calls run on daemon threads, and a caller
    stops waiting at its deadline: a server that hangs delays neither later calls nor the exit of
    the process.
    """

    def __init__(
        self,
        base_url: str,
        *,
        cache_size: int = 4096,
        retries: int = 2,
        backoff_s: float = 0.1,
        workers: int = 8,
        timeout_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Opens no connection yet; at most `workers` calls of one `call_many` run concurrently.

        Raises:
            SettingsError: `base_url` is not a server's URL.
        """
        _check_address(base_url)
        self._base_url = base_url.rstrip("/")
        self._headers = _HEADERS | _login(base_url)
        self._pool = PoolManager(num_pools=2, maxsize=workers, retries=False)
        self._cache = _ByteCache(cache_size, MAX_CACHE_BYTES)
        self._retries = retries
        self._backoff_s = backoff_s
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._workers = workers
        self._closed = False

    def call(self, endpoint: str, /, *, deadline: Deadline, **params: Any) -> Any:
        """The value under "result".

        Args:
            endpoint: a path or a method name of the table.
            deadline: bounds the whole call: waiting, retries, and a response that arrives slowly.
            params: the fields of the body, by their own or the official wrapper's names.

        Raises:
            ApiRejected: no such endpoint or parameters (nothing was sent), or a 4xx response.
            ApiUnavailable: no connection, timeouts or 5xx, `retries` times in a row.
            ApiGarbage: the response is not `{"result": ...}`, or larger than 8 MiB.
            DeadlineExceeded: the deadline passed first.
        """
        found = self._look_up(Call(endpoint, params), deadline)
        if not isinstance(found, _Request):
            return found
        (task,) = self._fetch_all([found], deadline)
        return _result(task, deadline)

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        """The values of `calls`, in their order, fetched in parallel.

        A call that fails has its error as its value and does not affect the others; one that the
        deadline cut off has an `ApiUnavailable`.
        """
        found = [_outcome(self._look_up, call, deadline) for call in calls]
        requested = [item for item in found if isinstance(item, _Request)]
        tasks = iter(self._fetch_all(requested, deadline))
        return [
            _outcome(_result, next(tasks), deadline) if isinstance(item, _Request) else item
            for item in found
        ]

    def close(self) -> None:
        """Close idle connections and reject further calls."""
        self._closed = True
        self._pool.clear()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look_up(self, call: Call, deadline: Deadline) -> "Any | _Request":
        """The cached value, or the request to send."""
        row = find_endpoint(call.endpoint)
        body = json.dumps(row.body(dict(call.params))).encode()
        deadline.check(row.path)
        if self._closed:
            raise ApiUnavailable(f"{row.path}: the client was closed")
        cached = self._cache.get((row.path, body))
        return _Request(row, body) if cached is None else _parse(cached)

    def _fetch_all(
        self, requested: "Sequence[_Request]", deadline: Deadline
    ) -> "list[Future[Any]]":
        """A future for each request, fetched on daemon threads, `workers` at a time."""
        tasks: list[Future[Any]] = [Future() for _ in requested]
        left = iter(list(zip(requested, tasks, strict=True)))  # shared by all threads
        lock = threading.Lock()
        room = _Room(MAX_BYTES_TOGETHER)

        def work() -> None:
            while True:
                with lock:
                    request, task = next(left, (None, None))
                if request is None or task is None:
                    return
                try:
                    task.set_result(self._fetch(request, deadline, room))
                except (ApiError, DeadlineExceeded) as error:
                    task.set_exception(error)
                finally:
                    task.cancel()  # releases waiting callers; no effect if done

        for number in range(min(self._workers, len(requested))):
            thread = threading.Thread(target=work, name=f"crag-api-{number}", daemon=True)
            thread.start()
        return tasks

    def _fetch(self, request: _Request, deadline: Deadline, room: "_Room") -> Any:
        row, body = request.row, request.body
        tries_left, delay = self._retries, self._backoff_s
        while True:
            deadline.check(row.path)
            try:
                content = self._post(row, body, deadline, room)
            except ApiUnavailable:
                deadline.check(row.path)
                if not tries_left or delay >= deadline.remaining():
                    raise
            else:
                value = _parse(content)
                self._cache.put((row.path, body), content)
                return value
            self._sleep(delay)
            tries_left, delay = tries_left - 1, delay * 2

    def _post(self, row: Endpoint, body: bytes, deadline: Deadline, room: "_Room") -> bytes:
        wait = max(min(self._timeout_s, deadline.remaining()), _LEAST_WAIT_S)
        try:
            response = self._pool.request(
                "POST",
                self._base_url + row.path,
                body=body,
                headers=self._headers,
                timeout=Timeout(wait, wait),
                preload_content=False,
                redirect=False,
            )
            with closing(response):
                content = _read(response, row.path, deadline, room)
            status = response.status
        except (HTTPError, OSError, UnicodeError) as error:  # UnicodeError: the host's name
            reason = without_secrets(f"{type(error).__name__}: {error}")
            raise ApiUnavailable(f"{row.path}: {reason}") from error
        if status >= 500:
            raise ApiUnavailable(f"{row.path}: HTTP {status}")
        if status >= 400:
            reason = content[:200].decode(errors="replace")
            raise ApiRejected(f"{row.path}: HTTP {status}: {reason}")
        if status != 200:
            raise ApiGarbage(f"{row.path}: HTTP {status}")
        return content


class CRAG:
    """Replaces the official wrapper: same method names, arguments and complete responses.

    `CRAG().movie_get_movie_info("...")` returns `{"result": ...}`. The methods are the rows of the
    endpoint table. Unlike there, a failure raises an `ApiError` or `DeadlineExceeded`.
    """

    def __init__(self, server: str | None = None, *, timeout_s: float = 10.0) -> None:
        self.server = server or os.environ.get("CRAG_MOCK_API_URL") or DEFAULT_URL
        self._timeout_s = timeout_s
        self._client = CragClient(self.server, timeout_s=timeout_s)

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        try:
            row = find_endpoint(name)
        except ApiRejected:
            raise AttributeError(f"{type(self).__name__!r} has no method {name!r}") from None
        names = [p.argument for p in row.params]

        def method(*args: Any, **kwargs: Any) -> dict[str, Any]:
            if len(args) > len(names):
                raise TypeError(f"{name}() takes {len(names)} arguments, {len(args)} were given")
            given = dict(zip(names, args, strict=False))
            twice = sorted(given.keys() & kwargs.keys())
            if twice:
                raise TypeError(f"{name}() got {', '.join(twice)} twice")
            deadline = Deadline.after(self._timeout_s)
            return {"result": self._client.call(name, deadline=deadline, **given, **kwargs)}

        method.__name__, method.__doc__ = name, row.summary
        return method

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(row.method for row in ENDPOINTS)]


class _Room:
    """How many bytes concurrent calls may still read in total; thread-safe."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._lock = threading.Lock()

    def take(self, count: int) -> bool:
        with self._lock:
            self._left -= count
            return self._left >= 0


class _ByteCache:
    """The most recently used `size` responses, at most `max_bytes`; thread-safe."""

    def __init__(self, size: int, max_bytes: int) -> None:
        self._size = size
        self._max_bytes = max_bytes
        self._bytes = 0
        self._items: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, bytes]) -> bytes | None:
        with self._lock:
            value = self._items.get(key)
            if value is not None:
                self._items.move_to_end(key)
            return value

    def put(self, key: tuple[str, bytes], value: bytes) -> None:
        with self._lock:
            self._bytes += len(value) - len(self._items.pop(key, b""))
            self._items[key] = value
            while self._items and (len(self._items) > self._size or self._bytes > self._max_bytes):
                self._bytes -= len(self._items.popitem(last=False)[1])


def _read(response: BaseHTTPResponse, path: str, deadline: Deadline, room: _Room) -> bytes:
    """The body, read in pieces so that the deadline is checked between them."""
    content = bytearray()
    while chunk := response.read1(_CHUNK_BYTES, decode_content=True):
        content += chunk
        deadline.check(path)
        if len(content) > MAX_RESPONSE_BYTES:
            raise ApiGarbage(f"{path}: more than {MAX_RESPONSE_BYTES >> 20} MiB")
        if not room.take(len(chunk)):
            room.take(-len(content))  # available to the other calls
            raise ApiGarbage(f"{path}: over {MAX_BYTES_TOGETHER >> 20} MiB with calls beside it")
    return bytes(content)


def _parse(content: bytes) -> Any:
    """The value under "result"; raises `ApiGarbage` if there is none."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ApiGarbage(f"not JSON: {error}") from error
    if not isinstance(value, dict) or "result" not in value:
        raise ApiGarbage('the answer is not {"result": ...}')
    return value["result"]


def _result(task: "Future[Any]", deadline: Deadline) -> Any:
    """The value of a fetch, waited for until the deadline."""
    try:
        return task.result(timeout=deadline.remaining())
    except FutureTimeout:
        raise DeadlineExceeded("the KG API did not answer in time") from None


def _outcome(ask: Callable[..., Any], asked: Any, deadline: Deadline) -> Any | ApiError:
    """The result of `ask`, or its error as a value; a missed deadline is an `ApiUnavailable`."""
    try:
        return ask(asked, deadline)
    except ApiError as error:
        return error
    except DeadlineExceeded as error:
        late = ApiUnavailable(str(error))
        late.__cause__ = error
        return late


def _login(base_url: str) -> dict[str, str]:
    """The header for a user name and password in the address, if there are any."""
    url = urlsplit(base_url)
    if url.username is None:
        return {}
    return make_headers(basic_auth=f"{unquote(url.username)}:{unquote(url.password or '')}")


def _check_address(base_url: str) -> None:
    try:
        url = urlsplit(base_url)
        fits = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise SettingsError(f"{without_secrets(base_url)!r} is not the address of a server")


if __name__ == "__main__":
    sys.stdout.write(docs_page())
