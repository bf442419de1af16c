"""The client of the CRAG mock API, and `CRAG`, a drop-in replacement for the official wrapper.

`python -m utils.crag_api` prints docs/kg_api.md, generated from the table of endpoints.
"""

import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from threading import Lock, Thread
from typing import Any, Protocol
from urllib.parse import unquote

from cachetools import LRUCache
from urllib3 import BaseHTTPResponse, PoolManager, Timeout
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.util import Url, make_headers, parse_url

from utils.crag_endpoints import ENDPOINTS, Endpoint, docs_page, find_endpoint
from utils.deadline import Deadline
from utils.errors import (
    ApiError,
    ApiGarbage,
    ApiRejected,
    ApiUnavailable,
    CragError,
    DeadlineExceeded,
    SettingsError,
)
from utils.secrets import without_secrets

MAX_RESPONSE_BYTES = 8 * 2**20  # the largest real answer, a year of five soccer leagues: 5.6 MB
MAX_BYTES_TOGETHER = 32 * 2**20  # of one `call_many`; parsed, they need 35 times as much
MAX_CACHE_BYTES = 64 * 2**20
DEFAULT_URL = "http://127.0.0.1:8000"
ON_DISK = "file:"  # before the path of a KG
_TIMEOUT_S = 10.0  # of one attempt, and of a whole call by `CRAG`
_WORKERS = 8  # calls of one `call_many` that run at once
_ENTRY_BYTES = 500  # overhead of a cache entry, beyond the text of request and response
_BACKOFF_S = 0.1
_CHUNK_BYTES = 64 * 2**10
_LEAST_WAIT_S = 0.001  # a timeout of 0 is refused
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # so that the limit on a response limits the bytes read
}


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call: an endpoint's path or method name, and its parameters."""

    endpoint: str
    params: Mapping[str, Any] = field(default_factory=dict)


class KgClient(Protocol):
    """What the query language needs of a client; `CragClient` is one."""

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        """The value of each call, in order, or the error of a call that failed."""
        ...


class CragClient(AbstractContextManager["CragClient"]):
    """Calls the API within a deadline: pooled connections, retries, and a bounded cache.

    Thread-safe. The cache keeps the response bytes of successful calls and parses them at every
    hit, so that a caller may modify a returned value. Calls run on daemon threads, and a caller
    stops waiting at its deadline: a server that hangs delays neither later calls nor the exit of
    the process.
    """

    def __init__(
        self, base_url: str, *, retries: int = 2, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Opens no connection yet.

        Raises:
            SettingsError: `base_url` is not a server's URL.
        """
        self._base_url = base_url.rstrip("/")
        self._headers = _HEADERS | _login_header(base_url)
        self._pool = PoolManager(num_pools=2, maxsize=_WORKERS, retries=False)
        self._cache: LRUCache[tuple[str, bytes], _CacheEntry]
        self._cache = LRUCache(MAX_CACHE_BYTES, getsizeof=lambda entry: entry.size)
        self._lock = Lock()
        self._retries = retries
        self._sleep = sleep

    def call(self, endpoint: str, /, *, deadline: Deadline, **params: Any) -> Any:
        """The value under "result".

        Args:
            endpoint: a path or a method name of the table.
            deadline: bounds the whole call: waiting, retries, and a response that arrives slowly.
            params: the fields of the body, by their own names or those of the official wrapper.

        Raises:
            ApiRejected: no such endpoint or parameters (nothing was sent), or a 4xx response.
            ApiUnavailable: no connection, a timeout or a 5xx response, after all retries.
            ApiGarbage: the response is not `{"result": ...}`, or larger than 8 MiB.
            DeadlineExceeded: the deadline passed first.
        """
        (outcome,) = self._outcomes([ApiCall(endpoint, params)], deadline)
        if isinstance(outcome, CragError):
            raise outcome
        return outcome

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        """The values of `calls`, in their order, fetched in parallel.

        A call that fails has its error as its value and does not affect the others; the value of a
        call that the deadline cut off is an `ApiUnavailable`.
        """
        values: list[Any | ApiError] = []
        for outcome in self._outcomes(calls, deadline):
            if isinstance(outcome, DeadlineExceeded):
                values.append(ApiUnavailable(str(outcome)))
            else:
                values.append(outcome)
        return values

    def _outcomes(self, calls: Sequence[ApiCall], deadline: Deadline) -> list[Any | CragError]:
        """The value or the error of each call.

        Cached values are returned at once. The other calls run on at most `_WORKERS` daemon
        threads.
        """
        tasks: list[Future[Any]] = [Future() for _ in calls]
        uncached: deque[tuple[Endpoint, bytes, Future[Any]]] = deque()
        for call, task in zip(calls, tasks, strict=True):
            with _errors_set_on(task):
                row = find_endpoint(call.endpoint)
                body = json.dumps(row.body(dict(call.params))).encode()
                deadline.check(row.path)
                with self._lock:
                    entry = self._cache.get((row.path, body))
                if entry is None:
                    uncached.append((row, body, task))
                else:
                    task.set_result(_result_in(entry.response))
        allowance = _ByteAllowance(MAX_BYTES_TOGETHER)

        def work() -> None:
            while True:
                try:
                    row, body, task = uncached.popleft()
                except IndexError:
                    return
                with _errors_set_on(task):
                    task.set_result(self._fetch(row, body, deadline, allowance))

        for number in range(min(_WORKERS, len(uncached))):
            Thread(target=work, name=f"crag-api-{number}", daemon=True).start()
        return [_outcome_of(task, deadline) for task in tasks]

    def __exit__(self, *_: object) -> None:
        """Close idle connections."""
        self._pool.clear()

    def _fetch(
        self, row: Endpoint, body: bytes, deadline: Deadline, allowance: "_ByteAllowance"
    ) -> Any:
        """The value that the server returns, which is then cached."""
        response = self._post_with_retries(row, body, deadline, allowance)
        value = _result_in(response)
        with self._lock:
            self._cache[row.path, body] = _CacheEntry(body, response)
        return value

    def _post_with_retries(
        self, row: Endpoint, body: bytes, deadline: Deadline, allowance: "_ByteAllowance"
    ) -> bytes:
        retries_left = self._retries
        delay = _BACKOFF_S
        while True:
            deadline.check(row.path)
            try:
                return self._post(row, body, deadline, allowance)
            except ApiUnavailable:
                deadline.check(row.path)
                if not retries_left or delay >= deadline.remaining():
                    raise
            self._sleep(delay)
            retries_left -= 1
            delay *= 2

    def _post(
        self, row: Endpoint, body: bytes, deadline: Deadline, allowance: "_ByteAllowance"
    ) -> bytes:
        """The body of the response to one request."""
        wait = max(min(_TIMEOUT_S, deadline.remaining()), _LEAST_WAIT_S)
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
                content = _body_of(response, row.path, deadline, allowance)
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
    endpoint table. A number may be given as text, and text as a number. Unlike in the official
    wrapper, a failure raises an `ApiError` or, after 10 s, `DeadlineExceeded`.
    """

    def __init__(self, server: str | None = None) -> None:
        """A wrapper of `server`, else of `CRAG_MOCK_API_URL`, else of `CRAG_SERVER`, the official
        wrapper's variable, else of the default address."""
        names = ("CRAG_MOCK_API_URL", "CRAG_SERVER")
        addresses = [server, *map(os.environ.get, names), DEFAULT_URL]
        self.server = next(address for address in addresses if address)
        self._client = CragClient(self.server)

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        try:
            row = find_endpoint(name)
        except ApiRejected:
            raise AttributeError(f"{type(self).__name__!r} has no method {name!r}") from None
        signature = Signature(
            [
                Parameter(param.argument, Parameter.POSITIONAL_OR_KEYWORD, default=None)
                for param in row.params
            ]
        )

        def method(*args: Any, **kwargs: Any) -> dict[str, Any]:
            params = signature.bind(*args, **kwargs).arguments
            for param in row.params:
                if param.argument in params:
                    params[param.argument] = param.kind.coerced(params[param.argument])
            deadline = Deadline.after(_TIMEOUT_S)
            return {"result": self._client.call(name, deadline=deadline, **params)}

        method.__name__ = name
        method.__doc__ = row.summary
        return method

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(row.method for row in ENDPOINTS)]


@dataclass(frozen=True, slots=True)
class _CacheEntry:
    """The texts of a request and its response."""

    request: bytes
    response: bytes

    @property
    def size(self) -> int:
        """In bytes."""
        return _ENTRY_BYTES + len(self.request) + len(self.response)


class _ByteAllowance:
    """How many bytes concurrent calls may still read in total; thread-safe."""

    def __init__(self, size: int) -> None:
        self._remaining = size
        self._lock = Lock()

    def take(self, count: int) -> bool:
        """Take `count` bytes; false if there were not as many."""
        with self._lock:
            self._remaining -= count
            return self._remaining >= 0

    def give_back(self, count: int) -> None:
        """Make `count` bytes available to the other calls."""
        with self._lock:
            self._remaining += count


def _body_of(
    response: BaseHTTPResponse, path: str, deadline: Deadline, allowance: _ByteAllowance
) -> bytes:
    """The body of a response, read in pieces so that the deadline is checked between them."""
    content = bytearray()
    while True:
        chunk = response.read1(_CHUNK_BYTES, decode_content=True)
        if not chunk:
            return bytes(content)
        content += chunk
        deadline.check(path)
        if len(content) > MAX_RESPONSE_BYTES:
            raise ApiGarbage(f"{path}: more than {MAX_RESPONSE_BYTES >> 20} MiB")
        if not allowance.take(len(chunk)):
            allowance.give_back(len(content))
            limit = MAX_BYTES_TOGETHER >> 20
            raise ApiGarbage(f"{path}: responses of parallel calls exceed {limit} MiB together")


def _result_in(content: bytes) -> Any:
    """The value under "result" in the text of a response.

    Raises:
        ApiGarbage: there is none.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ApiGarbage(f"not JSON: {error}") from error
    if not isinstance(value, dict) or "result" not in value:
        raise ApiGarbage('the answer is not {"result": ...}')
    return value["result"]


@contextmanager
def _errors_set_on(task: "Future[Any]") -> Iterator[None]:
    """Make an error that is raised inside the outcome of `task`."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - `_outcome_of` raises it again or returns it
        task.set_exception(error)


def _outcome_of(task: "Future[Any]", deadline: Deadline) -> Any | CragError:
    """The result of `task`, or its error. Waits until the deadline at most."""
    try:
        return task.result(timeout=deadline.remaining())
    except TimeoutError:
        return DeadlineExceeded("the KG API did not answer in time")
    except CragError as error:
        return error


def _login_header(base_url: str) -> dict[str, str]:
    """The header for the user name and password in a URL; empty if there are none.

    Raises:
        SettingsError: `base_url` is not a server's URL.
    """
    try:
        url = parse_url(base_url)
    except LocationParseError:
        url = Url()
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError(f"{without_secrets(base_url)!r} is not the address of a server")
    if not url.auth:
        return {}
    return make_headers(basic_auth=unquote(url.auth))


if __name__ == "__main__":
    sys.stdout.write(docs_page())
