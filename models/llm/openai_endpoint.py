"""A server: where it is, what it is sent with each request, and how many it is sent at once."""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3

from models.llm.errors import ServerRejected, ServerUnavailable
from utils.deadline import Deadline

_CHUNK = 1 << 16
_MOST_ASIDE = 4 << 20  # bytes of a list of models, or of tokens
_LEAST_TIMEOUT = 0.05  # requests takes 0 for no time-out
FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


class Gate:
    """How many requests may be under way: half as many after a 429, slowly more after successes."""

    def __init__(self, most: int = 16) -> None:
        self._most = self._limit = float(most)
        self._busy = 0
        self._lowered = 0.0
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        return int(self._limit)

    def enter(self, deadline: Deadline) -> bool:
        """Wait for a place, no longer than `deadline`: whether there is one."""
        with self._changed:
            free = self._changed.wait_for(
                lambda: self._busy < int(self._limit), timeout=deadline.remaining()
            )
            self._busy += free
            return free

    def leave(self, began: float, *, refused: bool | None) -> None:
        """Give the place back; `refused` None: it is not known how the request would have ended.
        Of requests that were under way together one lowers the limit."""
        with self._changed:
            self._busy -= 1
            if refused is False:
                self._limit = min(self._most, self._limit + 1 / self._limit)
            elif refused and began > self._lowered:
                self._limit = max(1.0, self._limit / 2)
                self._lowered = time.monotonic()
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server.

    Attributes:
        url: the base URL of its API, which usually ends in /v1.
        headers: sent with each request, beside the key.
        attempts: of a request on which the connection breaks off.
        wait: seconds before the second attempt, twice as long before each further one.
        gate: how many requests it is sent at once.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    attempts: int = 5
    wait: float = 0.5
    gate: Gate = field(default_factory=Gate, compare=False)

    @property
    def shown(self) -> str:
        """The URL without what stands before its host, which may be a password."""
        return re.sub(r"//[^/@]*@", "//", self.url)

    @property
    def headers(self) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return {**key, **self.extra_headers}

    def get(self, path: str, deadline: Deadline) -> Any:
        """The JSON at `path`. Raises ServerUnavailable, ServerRejected."""
        return self._ask("GET", self.url + path, None, deadline)

    def post_root(self, path: str, body: Mapping[str, Any], deadline: Deadline) -> Any:
        """What the server beside its /v1 answers. Raises ServerUnavailable, ServerRejected."""
        return self._ask("POST", self.url.removesuffix("/v1") + path, body, deadline)

    def _ask(self, how: str, url: str, body: Any, deadline: Deadline) -> Any:
        timeout = max(_LEAST_TIMEOUT, deadline.remaining())
        try:
            with requests.request(
                how, url, json=body, headers=self.headers, timeout=timeout, stream=True
            ) as reply:
                content = read_body(reply, _MOST_ASIDE, lambda: deadline.expired)
                if reply.ok:
                    return json.loads(content)
        except (*FAILURES, ValueError, RecursionError) as error:
            raise ServerUnavailable(f"{self.shown}: {type(error).__name__}: {error}") from error
        said = content[:300].decode(errors="replace")
        raise ServerRejected(f"{self.shown}: status {reply.status_code}: {said}", reply.status_code)


def read_body(reply: requests.Response, most: int, over: Callable[[], bool]) -> bytes:
    """The body, of which no more than `most` bytes are read, and none when it is `over`."""
    content = b""
    while not over() and (chunk := reply.raw.read1(_CHUNK, decode_content=True)):
        content += chunk
        if len(content) > most:
            return content[:most]
    return content
