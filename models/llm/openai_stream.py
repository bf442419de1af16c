"""One chat request to an OpenAI-compatible server, streamed, so that what came is never lost."""

import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3

from models.llm.errors import (
    Broken,
    ContextTooLong,
    LLMError,
    ServerBusy,
    ServerRejected,
    ServerUnavailable,
)
from utils.deadline import Deadline

_CHUNK = 1 << 16
_MOST_BYTES = 16 << 20  # of one answer
_MOST_ASIDE = 4 << 20  # of a list of models, or of tokens
_MOST_ERROR = 1 << 14
_LONGEST_WAIT = 4.0  # where the server does not say how long
_LEAST_TIMEOUT = 0.05  # requests takes 0 for no time-out
_CONTEXT = re.compile(r"(?:context length|context size|context window)\D*(\d+)", re.I)
_NUMBER = re.compile(r"\d{1,9}")
_BUSY = 429
_FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


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

    def leave(self, began: float, *, refused: bool) -> None:
        """Give the place back. Of requests that were under way together one lowers the limit."""
        with self._changed:
            self._busy -= 1
            if not refused:
                self._limit = min(self._most, self._limit + 1 / self._limit)
            elif began > self._lowered:
                self._limit = max(1.0, self._limit / 2)
                self._lowered = time.monotonic()
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server.

    Attributes:
        url: ends in /v1 or what stands for it.
        headers: sent with each request, beside the key.
        attempts: of a request on which the connection breaks off.
        wait: seconds before the second attempt, twice as long before each further one.
        gate: how many requests it is sent at once.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    attempts: int = 4
    wait: float = 0.5
    gate: Gate = field(default_factory=Gate, compare=False)

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
                content = _read(reply, _MOST_ASIDE, lambda: deadline.expired)
                if reply.ok:
                    return json.loads(content)
        except (*_FAILURES, ValueError, RecursionError) as error:
            raise ServerUnavailable(f"{url}: {type(error).__name__}: {error}") from error
        said = content[:300].decode(errors="replace")
        raise ServerRejected(f"{url}: status {reply.status_code}: {said}", reply.status_code)


@dataclass(slots=True)
class Written:
    """What came of one sample."""

    text: str = ""
    reason: str | None = None
    logprobs: list[float] = field(default_factory=list)
    refusal: str = ""
    thoughts: int = 0  # characters of thoughts that came apart from the text


class _Again(Exception):
    """The request may be sent once more, after `wait` seconds at least; `status` says why."""

    def __init__(self, problem: str, wait: float = 0.0, status: int | None = None) -> None:
        super().__init__(problem)
        self.wait = wait
        self.status = status


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counts them, of all samples together."""

    prompt: int
    cached: int
    completion: int


class Call:
    """A request that runs on a thread of its own choosing and can be looked at from another."""

    def __init__(
        self, endpoint: Endpoint, body: Mapping[str, Any], n: int, deadline: Deadline
    ) -> None:
        self.body = dict(body)
        self._endpoint = endpoint
        self._n = n
        self._deadline = deadline
        self._lock = threading.Lock()
        self._left = threading.Event()
        self._samples = [Written() for _ in range(n)]
        self._best = self._samples  # the longest of what broke off
        self.usage: Usage | None = None
        self.error: LLMError | None = None  # while it is tried again, why

    def leave(self) -> None:
        """Let the request end by itself as soon as it sees this; its caller goes on."""
        self._left.set()

    def samples(self) -> list[Written]:
        """A copy of what has come so far; halves of a character that came apart are one again."""
        with self._lock:
            return [
                Written(_whole(s.text), s.reason, list(s.logprobs), s.refusal, s.thoughts)
                for s in max(self._samples, self._best, key=_length)
            ]

    def run(self) -> None:
        """Send, read, and try again where that helps; errors are left in `error`."""
        try:
            self._run()
        except LLMError as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 - whatever a server sends costs its own request
            self.error = ServerRejected(f"the answer is no chat completion: {error!r}")

    def _run(self) -> None:
        """While the server is busy or fails, until the deadline; a connection that breaks off, and
        one that cannot be had, so many times."""
        tries = broken = 0
        gate = self._endpoint.gate
        while broken < self._endpoint.attempts and not self._over() and gate.enter(self._deadline):
            began, refused = time.monotonic(), False
            try:
                self._once()
                self.error = None
                return
            except _Again as again:
                problem, refused = again, again.status == _BUSY
            finally:
                gate.leave(began, refused=refused)
            tries += 1
            broken += problem.status is None
            with self._lock:
                self._best = max(self._best, self._samples, key=_length)
                self._samples = [Written() for _ in range(self._n)]
            self.error = self._failed(problem, tries)
            wait = problem.wait or min(_LONGEST_WAIT, self._endpoint.wait * 2 ** (tries - 1))
            if problem.wait > self._deadline.remaining():
                return
            if broken < self._endpoint.attempts:
                self._left.wait(min(wait * random.uniform(0.8, 1.2), self._deadline.remaining()))

    def _failed(self, problem: _Again, tries: int) -> LLMError:
        if problem.status == _BUSY:
            kind: type[LLMError] = ServerBusy
        else:
            kind = Broken if _length(self._best) else ServerUnavailable
        return kind(f"{self._endpoint.url}: gave up after {tries} attempts: {problem}")

    def _once(self) -> None:
        with self._lock:
            self._samples = [Written() for _ in range(self._n)]
        try:
            with requests.post(
                self._endpoint.url + "/chat/completions",
                json=self.body,
                headers=self._endpoint.headers,
                timeout=max(_LEAST_TIMEOUT, self._deadline.remaining()),
                stream=True,
            ) as reply:
                if reply.status_code >= 400:
                    _refuse(reply, self._over)
                for event in _events(reply, self._over):
                    self._take(event)
        except _FAILURES as error:
            raise _Again(f"{type(error).__name__}: {error}") from error
        if not self._over() and all(sample.reason is None for sample in self._samples):
            raise _Again("the stream broke off before its end")

    def _over(self) -> bool:
        return self._left.is_set() or self._deadline.expired

    def _take(self, event: dict[str, Any]) -> None:
        if event.get("error"):
            _fail(event["error"])
        with self._lock:
            if usage := event.get("usage"):
                details = usage.get("prompt_tokens_details") or {}
                self.usage = Usage(
                    int(usage.get("prompt_tokens") or 0),
                    int(details.get("cached_tokens") or 0),
                    int(usage.get("completion_tokens") or 0),
                )
            for choice in event.get("choices") or ():
                self._choose(choice)

    def _choose(self, choice: dict[str, Any]) -> None:
        sample = self._samples[choice.get("index") or 0]
        delta = choice.get("delta") or {}
        sample.text += delta.get("content") or ""
        sample.refusal += delta.get("refusal") or ""
        sample.thoughts += len(delta.get("reasoning_content") or delta.get("reasoning") or "")
        logprobs = (choice.get("logprobs") or {}).get("content") or ()
        sample.logprobs += [float(token["logprob"]) for token in logprobs]
        if reason := choice.get("finish_reason"):
            sample.reason = str(reason)


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read(reply: requests.Response, most: int, over: Callable[[], bool]) -> bytes:
    """The body, of which no more than `most` bytes are read, and none when it is `over`."""
    content = b""
    while not over() and (chunk := reply.raw.read1(_CHUNK, decode_content=True)):
        content += chunk
        if len(content) > most:
            return content[:most]
    return content


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
            except (ValueError, RecursionError) as error:
                raise _Again(f"an event is no JSON: {error}") from error
            if isinstance(event, dict):
                yield event


def _refuse(reply: requests.Response, over: Callable[[], bool]) -> None:
    """Raise what the reply's status means."""
    text = _read(reply, _MOST_ERROR, over).decode(errors="replace")
    asked = reply.headers.get("Retry-After", "")
    _raise(reply.status_code, text, float(asked) if asked.isdecimal() else 0.0)


def _fail(error: Any) -> None:
    """Raise what an error in a stream means, whose status is gone by then."""
    code = error.get("code") if isinstance(error, dict) else None
    _raise(code if isinstance(code, int) else 500, str(error)[:1000], 0.0)


def _raise(status: int, text: str, wait: float) -> None:
    if status == _BUSY or status >= 500:
        raise _Again(f"status {status}: {text[:200]}", wait, status)
    length = _CONTEXT.search(text)
    if status in (400, 413, 422) and length:
        context = int(length[1][:9])
        # The longest number near is what was asked for: servers word it differently.
        asked_for = max(map(int, _NUMBER.findall(text[length.start() :])), default=context)
        raise ContextTooLong(max(1, asked_for - context), context)
    raise ServerRejected(f"status {status}: {text[:300]}", status)


def _length(samples: Sequence[Written]) -> int:
    return sum(len(sample.text) for sample in samples)
