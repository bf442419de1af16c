"""One chat request to an OpenAI-compatible server, streamed, so that what came is never lost."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3

from models.llm.errors import ContextTooLong, LLMError, ServerRejected, ServerUnavailable
from utils.deadline import Deadline

_CHUNK = 1 << 16
_MOST_BYTES = 16 << 20  # of one answer
_LONGEST_WAIT = 30.0
_LEAST_TIMEOUT = 0.05  # requests takes 0 for no time-out
_CONTEXT = re.compile(r"(?:context length|context size|context window)\D*(\d+)", re.I)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server: `url` ends in /v1 or what stands for it; `attempts` is of each request."""

    url: str
    api_key: str | None = field(default=None, repr=False)
    attempts: int = 4
    wait: float = 0.5

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}

    def get(self, path: str, deadline: Deadline) -> Any:
        """The JSON at `path`. Raises ServerUnavailable, ServerRejected."""
        return self._ask("GET", self.url + path, None, deadline)

    def post_root(self, path: str, body: Mapping[str, Any], deadline: Deadline) -> Any:
        """What the server beside its /v1 answers. Raises ServerUnavailable, ServerRejected."""
        return self._ask("POST", self.url.removesuffix("/v1") + path, body, deadline)

    def _ask(self, how: str, url: str, body: Any, deadline: Deadline) -> Any:
        timeout = max(_LEAST_TIMEOUT, deadline.remaining())
        try:
            reply = requests.request(how, url, json=body, headers=self.headers, timeout=timeout)
            if reply.ok:
                return reply.json()
        except requests.RequestException as error:  # JSON that is none among them
            raise ServerUnavailable(f"{url}: {type(error).__name__}: {error}") from error
        raise ServerRejected(f"{url}: status {reply.status_code}: {reply.text[:300]}")


@dataclass(slots=True)
class Written:
    """What came of one sample."""

    text: str = ""
    reason: str | None = None
    logprobs: list[float] = field(default_factory=list)


class _Again(Exception):
    """The request may be sent once more, after `wait` seconds at least."""

    def __init__(self, problem: str, wait: float = 0.0) -> None:
        super().__init__(problem)
        self.wait = wait


class Call:
    """A request that runs on a thread of its own choosing and can be looked at from another."""

    def __init__(
        self, endpoint: Endpoint, body: Mapping[str, Any], n: int, deadline: Deadline
    ) -> None:
        self._endpoint = endpoint
        self._body = {**body, "stream": True, "stream_options": {"include_usage": True}}
        self._n = n
        self._deadline = deadline
        self._lock = threading.Lock()
        self._left = threading.Event()
        self._samples = [Written() for _ in range(n)]
        self.usage: int | None = None
        self.error: LLMError | None = None
        self.ended = False

    def leave(self) -> None:
        """Let the request end by itself as soon as it sees this; its caller goes on."""
        self._left.set()

    def samples(self) -> list[Written]:
        """A copy of what has come so far."""
        with self._lock:
            return [Written(s.text, s.reason, list(s.logprobs)) for s in self._samples]

    def run(self) -> None:
        """Send, read, and try again where that helps; errors are left in `error`."""
        try:
            self._run()
        except LLMError as error:
            self.error = error
        self.ended = True

    def _run(self) -> None:
        problem = "no time left"
        best = self.samples()  # the longest of what broke off
        for attempt in range(self._endpoint.attempts):
            if self._left.is_set() or self._deadline.expired:
                return
            try:
                self._once()
                return
            except _Again as error:
                best = max(best, self.samples(), key=_length)
                problem = str(error)
                wait = min(_LONGEST_WAIT, max(error.wait, self._endpoint.wait * 2**attempt))
            if attempt + 1 < self._endpoint.attempts:
                self._left.wait(min(wait, self._deadline.remaining()))
        with self._lock:
            self._samples = max(best, self._samples, key=_length)
        if not self._deadline.expired:
            raise ServerUnavailable(
                f"{self._endpoint.url}: gave up after {self._endpoint.attempts} attempts: {problem}"
            )

    def _once(self) -> None:
        with self._lock:
            self._samples = [Written() for _ in range(self._n)]
        timeout = max(_LEAST_TIMEOUT, self._deadline.remaining())
        try:
            with requests.post(
                self._endpoint.url + "/chat/completions",
                json=self._body,
                headers=self._endpoint.headers,
                timeout=timeout,
                stream=True,
            ) as reply:
                if reply.status_code >= 400:
                    _refuse(reply)
                for event in _events(reply, self._over):
                    self._take(event)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _Again(f"{type(error).__name__}: {error}") from error
        if not self._over() and any(sample.reason is None for sample in self._samples):
            raise _Again("the stream broke off before its end")

    def _over(self) -> bool:
        return self._left.is_set() or self._deadline.expired

    def _take(self, event: dict[str, Any]) -> None:
        if "error" in event:
            _fail(event["error"])
        try:
            with self._lock:
                if event.get("usage"):
                    self.usage = int(event["usage"]["completion_tokens"])
                for choice in event.get("choices") or ():
                    self._choose(choice)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise ServerRejected(f"the answer is no chat completion: {error!r}") from error

    def _choose(self, choice: dict[str, Any]) -> None:
        sample = self._samples[choice.get("index", 0)]
        sample.text += (choice.get("delta") or {}).get("content") or ""
        logprobs = (choice.get("logprobs") or {}).get("content") or ()
        sample.logprobs += [float(token["logprob"]) for token in logprobs]
        sample.reason = choice.get("finish_reason") or sample.reason


def _events(reply: requests.Response, over: Callable[[], bool]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events, until its end or until `over`."""
    left, seen = b"", 0
    while not over() and (chunk := reply.raw.read1(_CHUNK, decode_content=True)):
        seen += len(chunk)
        if seen > _MOST_BYTES:
            raise ServerRejected(f"an answer of more than {_MOST_BYTES >> 20} MiB")
        *lines, left = (left + chunk).split(b"\n")
        for line in lines:
            data = line.removeprefix(b"data:").strip()
            if not line.startswith(b"data:") or not data:
                continue
            if data == b"[DONE]":
                return
            try:
                event = json.loads(data)
            except ValueError as error:
                raise _Again(f"an event is no JSON: {error}") from error
            if isinstance(event, dict):
                yield event


def _refuse(reply: requests.Response) -> None:
    """Raise what the reply's status means."""
    asked = reply.headers.get("Retry-After", "")
    _raise(reply.status_code, reply.text[:1000], float(asked) if asked.isdecimal() else 0.0)


def _fail(error: Any) -> None:
    """Raise what an error in a stream means, whose status is gone by then."""
    code = error.get("code") if isinstance(error, dict) else None
    _raise(code if isinstance(code, int) else 500, str(error)[:1000], 0.0)


def _raise(status: int, text: str, wait: float) -> None:
    if status == 429 or status >= 500:
        raise _Again(f"status {status}: {text[:200]}", wait)
    length = _CONTEXT.search(text)
    if status in (400, 413, 422) and length:
        context = int(length[1])
        # The longest number near is what was asked for: servers word it differently.
        asked_for = max(map(int, _NUMBER.findall(text[length.start() :])), default=context)
        raise ContextTooLong(max(1, asked_for - context), context)
    raise ServerRejected(f"status {status}: {text[:300]}", status)


def _length(samples: Sequence[Written]) -> int:
    return sum(len(sample.text) for sample in samples)
