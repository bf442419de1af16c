"""The client of the CRAG mock API, and `CRAG`, which stands in for the official wrapper.

`python -m utils.crag_api` prints the page of docs that the table of endpoints makes.
"""

import json
import os
import select
import socket
import ssl
import sys
import threading
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from utils.crag_endpoints import ENDPOINTS, docs_page, find_endpoint
from utils.deadline import Deadline
from utils.errors import (
    ApiError,
    ApiGarbage,
    ApiRejected,
    ApiUnavailable,
    DeadlineExceeded,
    SettingsError,
)

MAX_RESPONSE_BYTES = 64 * 2**20
MAX_CACHE_BYTES = 64 * 2**20
DEFAULT_URL = "http://127.0.0.1:8000"
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call to make: an endpoint's path or method name, and its parameters."""

    endpoint: str
    params: Mapping[str, Any] = field(default_factory=dict)


class _Request(NamedTuple):
    """A call that was found right, as it is sent; also its key in the cache."""

    path: str
    body: bytes


class CragClient:
    """Calls the API within a deadline: pooled connections, retries, and a bounded cache.

    Safe to share between threads. The cache keeps the bytes that the server sent, for successes
    only, and every hit parses them anew: what a caller does to a returned value reaches nobody.
    A call runs on its caller's thread, further ones of `call_many` on daemon threads that end with
    it: no hung server holds up a later call or the end of the process.
    """

    def __init__(
        self,
        base_url: str,
        *,
        cache_size: int = 4096,
        retries: int = 2,
        backoff_s: float = 0.1,
        workers: int = 16,
        timeout_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Open nothing yet; `workers` calls at most will be under way at a time.

        Raises:
            SettingsError: `base_url` is not that of a server.
        """
        self._server = _Server(base_url, workers, timeout_s)
        self._cache = _ByteCache(cache_size, MAX_CACHE_BYTES)
        self._retries = retries
        self._backoff_s = backoff_s
        self._workers = workers
        self._sleep = sleep

    def call(self, endpoint: str, /, *, deadline: Deadline, **params: Any) -> Any:
        """The value under "result".

        Args:
            endpoint: a path or a method name of the table.
            deadline: bounds the whole call: waiting, retries, and a body that only drips in.
            params: the fields of the body, by their own or the official wrapper's names.

        Raises:
            ApiRejected: no such endpoint or parameters (nothing was sent), or a 4xx answer.
            ApiUnavailable: no connection, time-outs or 5xx, `retries` times over.
            ApiGarbage: the answer is not `{"result": ...}`, or larger than 64 MiB.
            DeadlineExceeded: the deadline passed first.
        """
        found = self._look_up(Call(endpoint, params), deadline)
        return self._fetch(found, deadline) if isinstance(found, _Request) else found

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        """The values of `calls`, in their order, fetched in parallel.

        A call that fails has its error as its value and costs no other call anything; one that
        the deadline cut off has an `ApiUnavailable`.
        """
        found = [_outcome(self._look_up, call, deadline) for call in calls]
        places = [place for place, item in enumerate(found) if isinstance(item, _Request)]
        left = iter(places)  # one for all threads, so that each place goes to one of them
        fetch = partial(_outcome, self._fetch, deadline=deadline)

        def work() -> None:
            for place in left:
                found[place] = fetch(found[place])

        # The caller's thread is one of them: where threads are short it does everything itself.
        helpers = _start(work, min(self._workers, len(places)) - 1)
        work()
        for helper in helpers:
            helper.join(deadline.remaining())
        # What a helper still holds is late by now, and says so when asked for again.
        return [fetch(item) if isinstance(item, _Request) else item for item in found]

    def close(self) -> None:
        """Drop the connections; calls under way end, and no other begins."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look_up(self, call: Call, deadline: Deadline) -> Any | _Request:
        """The value, where the cache has it; else what is to be sent."""
        row = find_endpoint(call.endpoint)
        request = _Request(row.path, json.dumps(row.body(dict(call.params))).encode())
        deadline.check(row.path)
        cached = self._cache.get(request)
        return request if cached is None else _parse(cached)

    def _fetch(self, request: _Request, deadline: Deadline) -> Any:
        tries_left, delay = self._retries, self._backoff_s
        while True:
            deadline.check(request.path)
            try:
                content = self._post(request, deadline)
            except ApiUnavailable:
                deadline.check(request.path)
                if not tries_left or not self._server.close.alive or delay >= deadline.remaining():
                    raise
            else:
                value = _parse(content)
                self._cache.put(request, content)
                return value
            self._sleep(delay)
            tries_left, delay = tries_left - 1, delay * 2

    def _post(self, request: _Request, deadline: Deadline) -> bytes:
        path = request.path
        if not self._server.close.alive:
            raise ApiUnavailable(f"{path}: the client was closed")
        try:
            status, content = self._server.post(request, deadline)
        except (HTTPException, OSError, UnicodeError) as error:
            raise ApiUnavailable(f"{path}: {type(error).__name__}: {error}") from error
        if status >= 500:
            raise ApiUnavailable(f"{path}: HTTP {status}")
        if status >= 400:
            reason = content[:200].decode(errors="replace")
            raise ApiRejected(f"{path}: HTTP {status}: {reason}")
        if status != 200:
            raise ApiGarbage(f"{path}: HTTP {status}")
        return content


class CRAG:
    """Stands in for the official wrapper: its method names, its arguments, the whole answer.

    `CRAG().movie_get_movie_info("...")` returns `{"result": ...}`. The methods are the rows of the
    endpoint table. Unlike the official one, a failure raises an `ApiError` or `DeadlineExceeded`.
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


class _ByteCache:
    """The most recently used `size` answers, `max_bytes` at most; safe to share."""

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


class _Socket(socket.socket):
    """Waits `most_s` at most for the other side, and never past `deadline`.

    It looks before every receive, so a server that drips out a head or a body holds nobody.
    """

    deadline: Deadline
    most_s: float

    def limit(self) -> None:
        left = self.deadline.remaining()
        if left <= 0.0:
            raise TimeoutError("the deadline passed")
        self.settimeout(min(self.most_s, left))

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        self.limit()
        return super().recv_into(*args, **kwargs)

    def sendall(self, *args: Any, **kwargs: Any) -> None:
        self.limit()
        super().sendall(*args, **kwargs)


class _TlsSocket(_Socket, ssl.SSLSocket):
    pass


class _Server:
    """Kept-alive connections to one server, `most` in use at a time. Safe to share."""

    def __init__(self, base_url: str, most: int, timeout_s: float) -> None:
        try:
            url = urlsplit(base_url)
            usual_port = {"http": 80, "https": 443}[url.scheme if url.hostname else ""]
            self._address = url.hostname, url.port or usual_port
        except (ValueError, KeyError):
            raise SettingsError(f"{base_url!r} is not the address of a server") from None
        self._path = url.path.rstrip("/")
        self._new: Callable[..., HTTPConnection] = HTTPConnection
        if url.scheme == "https":
            context = ssl.create_default_context()
            context.sslsocket_class = _TlsSocket
            self._new = partial(HTTPSConnection, context=context)
        self._timeout_s = timeout_s
        self._places = threading.Semaphore(most)
        self._idle: deque[HTTPConnection] = deque()
        self.close = weakref.finalize(self, _close_all, self._idle)

    def post(self, request: _Request, deadline: Deadline) -> tuple[int, bytes]:
        """The status and the body; raises OSError or HTTPException where they do not come whole."""
        if not self._places.acquire(timeout=deadline.remaining()):
            raise TimeoutError("other calls took all the time")
        try:
            connection = self._take() or self._connect(deadline)
            whole = False
            try:
                sock: Any = connection.sock
                sock.deadline, sock.most_s = deadline, self._timeout_s
                connection.request("POST", self._path + request.path, request.body, _HEADERS)
                with connection.getresponse() as response:
                    content = _read(response, request.path)
                whole = connection.sock is not None  # None: the server ends it after this answer
                return response.status, content
            finally:
                if whole and self.close.alive:
                    self._idle.append(connection)
                else:
                    connection.close()
        finally:
            self._places.release()

    def _take(self) -> HTTPConnection | None:
        """The connection that was used last and that the server has kept."""
        with suppress(IndexError):  # there is none
            while connection := self._idle.pop():
                poll = select.poll()
                poll.register(connection.sock, select.POLLIN)
                if not poll.poll(0):
                    return connection
                connection.close()  # nothing was asked, so what can be read is its end
        return None

    def _connect(self, deadline: Deadline) -> HTTPConnection:
        """A new connection, made on a thread: to look up a name has no time-out, and may hang."""
        made: Future[HTTPConnection] = Future()
        seconds = min(self._timeout_s, deadline.remaining())

        def connect() -> None:
            try:
                connection = self._new(*self._address, timeout=seconds)
                connection.connect()
                if not isinstance(connection.sock, _Socket):
                    connection.sock = _Socket(fileno=connection.sock.detach())
                made.set_result(connection)
            except (OSError, HTTPException, UnicodeError) as error:
                made.set_exception(error)

        if not _start(connect, 1):
            connect()
        return made.result(timeout=deadline.remaining())


def _close_all(idle: deque[HTTPConnection]) -> None:
    with suppress(IndexError):
        while True:
            idle.pop().close()


def _read(response: HTTPResponse, path: str) -> bytes:
    content = bytearray()
    while chunk := response.read1(2**16):
        content += chunk
        if len(content) > MAX_RESPONSE_BYTES:
            raise ApiGarbage(f"{path}: more than {MAX_RESPONSE_BYTES >> 20} MiB")
    if response.length:
        raise IncompleteRead(bytes(content), response.length)
    return bytes(content)


def _start(work: Callable[[], None], count: int) -> list[threading.Thread]:
    """`work` on `count` threads, or on fewer where the system has no more."""
    threads: list[threading.Thread] = []
    with suppress(RuntimeError):
        for _ in range(count):
            thread = threading.Thread(target=work, daemon=True, name="crag-api")
            thread.start()
            threads.append(thread)
    return threads


def _parse(content: bytes) -> Any:
    """The value under "result"; raises `ApiGarbage` where there is none."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ApiGarbage(f"not JSON: {error}") from error
    if not isinstance(value, dict) or "result" not in value:
        raise ApiGarbage('the answer is not {"result": ...}')
    return value["result"]


def _outcome(make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any | ApiError:
    try:
        return make(*args, **kwargs)
    except ApiError as error:
        return error
    except DeadlineExceeded as error:
        late = ApiUnavailable(str(error))
        late.__cause__ = error
        return late


if __name__ == "__main__":
    sys.stdout.write(docs_page())
