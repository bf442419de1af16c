"""An OpenAI-compatible server over HTTP: requests that are bounded, streamed and retried.

docs/engines.md says why it does not use the `openai` package.
"""

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3

from models.llm.dialects import context_error
from models.llm.errors import LLMError, ServerBusy, ServerRejected, ServerUnavailable
from utils.deadline import Deadline
from utils.secrets import without_secrets

_CHUNK = 1 << 16
_MAX_REPLY = 4 << 20  # bytes of a list of models, or of tokens
_MAX_ANSWER = 16 << 20  # bytes of a completion
_MAX_ERROR = 1 << 14
_MAX_WAIT = 4.0  # seconds between attempts, where the server does not say how long
_MIN_TIMEOUT = 0.05  # requests takes 0 for no time-out
_BUSY = 429
_TRANSIENT = (_BUSY, 502, 503, 504, 529)  # retried until the deadline
_RETRIED = (408, 409, 425)  # retried a few times, as other 5xx are, which the request may cause
_CONNECTION = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_TIMEOUT = (requests.ReadTimeout, urllib3.exceptions.ReadTimeoutError)  # before, in the body
# What reading the fields of an event raises where it is no chat completion.
_MALFORMED = (AttributeError, LookupError, OverflowError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class LLMServer:
    """A server.

    Attributes:
        url: the base URL of its API, which usually ends in /v1.
        extra_headers: sent with each request, beside the key.
        attempts: of a request on which the connection breaks.
        wait: seconds before the second attempt, twice as long before each further one.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    attempts: int = 5
    wait: float = 0.5

    @property
    def shown(self) -> str:
        """The URL without secrets."""
        return without_secrets(self.url)

    def hide(self, text: str) -> str:
        """`text`, which may repeat the request, without its secrets."""
        return without_secrets(text, (self.api_key, *self.extra_headers.values()))

    def get(self, path: str, deadline: Deadline) -> Any:
        """The JSON at `path`. Raises ServerUnavailable, ServerRejected."""
        return self._json("GET", self.url + path, None, deadline)

    def post_root(self, path: str, body: Mapping[str, Any], deadline: Deadline) -> Any:
        """The JSON reply of a path beside /v1. Raises ServerUnavailable, ServerRejected."""
        return self._json("POST", self.url.removesuffix("/v1") + path, body, deadline)

    def _json(self, method: str, url: str, body: Any, deadline: Deadline) -> Any:
        try:
            with self.send(method, url, body, deadline) as reply:
                content = _read(reply, _MAX_REPLY, lambda: deadline.expired)
                if reply.ok:
                    return json.loads(content)
        except (*_CONNECTION, ValueError, RecursionError) as error:
            says = self.hide(f"{type(error).__name__}: {error}")
            raise ServerUnavailable(f"{self.shown}: {says}") from error
        said = self.hide(content.decode(errors="replace"))[:300]
        raise ServerRejected(f"{self.shown}: status {reply.status_code}: {said}", reply.status_code)

    def send(self, method: str, url: str, body: Any, deadline: Deadline) -> requests.Response:
        """The reply as soon as its headers are there; each read of it ends with a time-out."""
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        timeout = max(_MIN_TIMEOUT, deadline.remaining())
        return requests.request(
            method, url, json=body, headers={**key, **self.extra_headers}, timeout=timeout,
            stream=True,
        )  # fmt: skip


@dataclass(slots=True)
class Written:
    """What has arrived of one sample."""

    text: str = ""
    reason: str | None = None
    logprobs: list[float] = field(default_factory=list)
    refusal: str = ""
    thoughts: int = 0  # characters of thoughts that arrived apart from the text


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counts them, of all samples together."""

    prompt: int
    cached: int
    completion: int | None


class _Again(Exception):
    """The request may be sent again, after at least `wait` seconds."""

    def __init__(self, problem: str, wait: float = 0.0, status: int | None = None) -> None:
        super().__init__(problem)
        self.wait = wait
        self.status = status


class ServerCall:
    """One chat request, run by a thread; other threads may read `samples` at any time."""

    def __init__(
        self, endpoint: LLMServer, body: Mapping[str, Any], n: int, deadline: Deadline
    ) -> None:
        self.body = dict(body)
        self.samples = [Written() for _ in range(n)]
        self.usage: Usage | None = None
        self.error: LLMError | None = None  # while it is retried: why
        self._endpoint = endpoint
        self._deadline = deadline
        self._left = threading.Event()

    def leave(self) -> None:
        """Let its thread stop when it can."""
        self._left.set()

    def run(self) -> None:
        """Send, read, and retry: while the server is busy until the deadline, after other failures
        a few times. Errors are left in `error`."""
        tries = failures = 0
        while failures < self._endpoint.attempts and not self._over():
            try:
                self._attempt()
                self.error = None
                return
            except _Again as again:
                problem = again
            except LLMError as error:
                self.error = error
                return
            except _MALFORMED as error:
                self.error = ServerRejected(f"the answer is no chat completion: {error!r}")
                return
            tries += 1
            failures += problem.status not in _TRANSIENT
            kind = ServerBusy if problem.status == _BUSY else ServerUnavailable
            shown = f"{self._endpoint.shown}: gave up after {tries} attempts: {problem}"
            self.error = kind(shown, problem.status)
            left = self._deadline.remaining()
            if problem.wait > left:
                return
            wait = problem.wait or min(_MAX_WAIT, self._endpoint.wait * 2 ** (tries - 1))
            if failures < self._endpoint.attempts:
                self._left.wait(min(wait * random.uniform(0.8, 1.2), left))

    def _attempt(self) -> None:
        self.samples = [Written() for _ in self.samples]
        url = self._endpoint.url + "/chat/completions"
        try:
            with self._endpoint.send("POST", url, self.body, self._deadline) as reply:
                if reply.status_code >= 400:
                    text = _read(reply, _MAX_ERROR, self._over).decode(errors="replace")
                    text = self._endpoint.hide(text)
                    asked = reply.headers.get("Retry-After", "")
                    wait = float(asked) if asked.isdecimal() else 0.0
                    raise _refusal(reply.status_code, text, wait)
                for event in _events(reply, self._over):
                    if event is None:
                        self._end()
                    else:
                        self._take(event)
        except _CONNECTION as error:
            if isinstance(error, _TIMEOUT) and self._over():
                return  # the deadline came first: the server has not failed
            raise _Again(self._endpoint.hide(f"{type(error).__name__}: {error}")) from error
        if not self._over() and all(sample.reason is None for sample in self.samples):
            raise _Again("the stream broke off before its end")

    def _over(self) -> bool:
        return self._left.is_set() or self._deadline.expired

    def _end(self) -> None:
        """The server said that it is done: samples without a reason ended by themselves."""
        for sample in self.samples:
            sample.reason = sample.reason or ("stop" if sample.text else None)

    def _take(self, event: dict[str, Any]) -> None:
        if error := event.get("error"):  # in a stream, whose status is long gone
            code = error.get("code") if isinstance(error, dict) else None
            raise _refusal(
                code if isinstance(code, int) else 500, self._endpoint.hide(str(error))[:1000], 0.0
            )
        if usage := event.get("usage"):
            details = usage.get("prompt_tokens_details") or {}
            self.usage = Usage(
                int(usage.get("prompt_tokens") or 0),
                int(details.get("cached_tokens") or 0),
                None if (n := usage.get("completion_tokens")) is None else int(n),
            )
        for choice in event.get("choices") or ():
            sample = self.samples[choice.get("index") or 0]
            delta = choice.get("delta") or choice.get("message") or {}
            content = delta.get("content") or ""
            if isinstance(content, list):  # of parts, as some servers write it
                content = "".join(part.get("text") or "" for part in content)
            sample.text += content
            sample.refusal += delta.get("refusal") or ""
            sample.thoughts += len(delta.get("reasoning_content") or delta.get("reasoning") or "")
            logprobs = (choice.get("logprobs") or {}).get("content") or ()
            sample.logprobs += [float(token["logprob"]) for token in logprobs]
            if reason := choice.get("finish_reason"):
                sample.reason = str(reason)


def run_calls(calls: Sequence[ServerCall], workers: int, deadline: Deadline) -> None:
    """Run `calls` on daemon threads until all have ended or the deadline has come.

    Nobody waits for a thread: one that hangs in a read ends with the time-out of its socket.
    """
    left = iter(calls)
    lock, ended = threading.Lock(), threading.Semaphore(0)

    def work() -> None:
        while True:
            with lock:
                call = next(left, None)
            if call is None:
                return
            try:
                call.run()
            finally:
                ended.release()

    for number in range(min(workers, len(calls))):
        threading.Thread(target=work, name=f"llm-{number}", daemon=True).start()
    for _ in calls:
        if not ended.acquire(timeout=max(0.001, deadline.remaining())):
            break
    for call in calls:
        call.leave()


def _read(reply: requests.Response, most: int, over: Callable[[], bool]) -> bytes:
    """At most `most` bytes of the body; reading stops when `over`."""
    content = b""
    while len(content) < most and not over():
        chunk = reply.raw.read1(_CHUNK, decode_content=True)
        if not chunk:
            break
        content += chunk
    return content[:most]


def _events(reply: requests.Response, over: Callable[[], bool]) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a stream of server-sent events, or of a reply in one piece, until its end
    or until `over`; None where the server says that it is done."""
    if reply.headers.get("Content-Type", "").startswith("application/json"):
        yield _object(_read(reply, _MAX_ANSWER, over))
        yield None
        return
    rest, size = b"", 0
    while not over() and (chunk := reply.raw.read1(_CHUNK, decode_content=True)):
        size += len(chunk)
        if size > _MAX_ANSWER:
            raise ServerRejected(f"an answer of more than {_MAX_ANSWER >> 20} MiB")
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield from _event(line)
    yield from _event(rest)


def _event(line: bytes) -> Iterator[dict[str, Any] | None]:
    data = line.removeprefix(b"data:").strip()
    if line.startswith(b"data:") and data:
        yield None if data == b"[DONE]" else _object(data)


def _object(data: bytes) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _Again(f"an event is no JSON: {error}") from error
    return event if isinstance(event, dict) else {}


def _refusal(status: int, text: str, wait: float) -> Exception:
    """What an HTTP status of 400 or more means."""
    if status in (_BUSY, *_RETRIED) or status >= 500:
        return _Again(f"status {status}: {text[:200]}", wait, status)
    if status in (400, 413, 422) and (error := context_error(text)):
        return error
    return ServerRejected(f"status {status}: {text[:300]}", status)
