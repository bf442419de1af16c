"""An OpenAI-compatible server over HTTP: requests that are bounded, streamed and retried.

docs/engines.md says why it does not use the `openai` package.
"""

import json
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3

from models.llm.dialects import context_error, refuses_roles
from models.llm.errors import LLMError, ServerBusy, ServerRejected, ServerUnavailable
from models.llm.events import NotAnEventError, error_in, events_of, message_in, status_of
from models.llm.session import ServerSession
from utils.deadline import Deadline
from utils.secrets import without_secrets

_ABOUT_THE_PROMPT = (400, 413, 422, 500)  # HTTP statuses of a prompt that is too long
_CHUNK = 1 << 16  # bytes
_MAX_REPLY = 4 << 20  # bytes of a list of models, or of tokens
_MAX_ERROR = 1 << 14  # bytes of a refusal
_MAX_WAIT = 4.0  # seconds between attempts, unless the server says how long
_MIN_TIMEOUT = 0.05  # seconds; for requests, 0 means no timeout
_BUSY = 429
TRANSIENT = (_BUSY, 502, 503, 504, 529)  # retried until the deadline
_RETRIED = (408, 409, 425)  # retried a few times, as other 5xx are, which the request may cause
_CONNECTION = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_TIMEOUT = (requests.ReadTimeout, urllib3.exceptions.ReadTimeoutError)  # before and in the body
# What reading the fields of an event raises if it is not a chat completion.
_MALFORMED = (AttributeError, LookupError, OverflowError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class LLMServer:
    """A server.

    Attributes:
        url: the base URL of its API, which usually ends in /v1.
        api_key: the bearer token, if any.
        extra_headers: sent with each request, in addition to the key.
        attempts: the most attempts of a request whose connection breaks.
        wait: seconds before the second attempt; twice as long before each further one.
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

    def at(self, path: str) -> str:
        """The address of a path of the API; a query of the URL stands behind it, as Azure wants."""
        base, mark, query = self.url.partition("?")
        return f"{base.rstrip('/')}{path}{mark}{query}"

    def beside(self, path: str) -> str:
        """The address of a path next to /v1."""
        base, mark, query = self.url.partition("?")
        return f"{base.rstrip('/').removesuffix('/v1')}{path}{mark}{query}"

    @property
    def is_azure(self) -> bool:
        """Whether it is Azure's classic API, which takes the key in a header of its own."""
        return "api-version=" in self.url.partition("?")[2]

    def hide(self, text: str) -> str:
        """`text`, which may repeat the request, without its secrets."""
        return without_secrets(text, (self.api_key, *self.extra_headers.values()))

    def get(self, path: str, deadline: Deadline) -> Any:
        """The JSON at `path`.

        Raises:
            ServerUnavailable: there is no connection.
            ServerRejected: the server refuses the request, or the reply is no JSON.
        """
        return self._json("GET", self.at(path), None, deadline)

    def get_root(self, path: str, deadline: Deadline) -> Any:
        """The JSON at a path next to /v1.

        Raises:
            ServerUnavailable: there is no connection.
            ServerRejected: the server refuses the request, or the reply is no JSON.
        """
        return self._json("GET", self.beside(path), None, deadline)

    def post_root(self, path: str, body: Mapping[str, Any], deadline: Deadline) -> Any:
        """The JSON reply of a path next to /v1.

        Raises:
            ServerUnavailable: there is no connection.
            ServerRejected: the server refuses the request, or the reply is no JSON.
        """
        return self._json("POST", self.beside(path), body, deadline)

    def _json(self, method: str, url: str, body: Any, deadline: Deadline) -> Any:
        try:
            with self.send(method, url, body, deadline) as reply:
                content = _read_body(reply, _MAX_REPLY, lambda: deadline.expired)
        except (*_CONNECTION, ValueError) as error:  # ValueError: no URL
            problem = self.hide(f"{type(error).__name__}: {error}")
            raise ServerUnavailable(f"{self.shown}: {problem}") from error
        status = reply.status_code
        if reply.ok and deadline.expired:
            raise ServerUnavailable(f"{self.shown}: no complete reply in time")
        if reply.ok:
            with suppress(ValueError, RecursionError):
                return json.loads(content)
        text = self.hide(content.decode(errors="replace"))[:300]
        problem = "no JSON" if reply.ok else f"status {status}"
        raise ServerRejected(f"{self.shown}: {problem}: {text}", status)

    def send(self, method: str, url: str, body: Any, deadline: Deadline) -> requests.Response:
        """The reply as soon as its headers have arrived; each read of its body has a timeout."""
        headers = {}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
            if self.is_azure:
                headers["api-key"] = self.api_key
        headers.update(self.extra_headers)
        timeout = max(_MIN_TIMEOUT, deadline.remaining())
        with ServerSession() as session:
            return session.request(
                method, url, json=body, headers=headers, timeout=timeout, stream=True
            )


@dataclass(slots=True)
class Written:
    """The part of one sample that has arrived."""

    text: str = ""
    reason: str | None = None
    logprobs: list[float] = field(default_factory=list)
    refusal: str = ""
    thoughts: int = 0  # characters of thoughts that arrived separately from the text


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of all samples together, as the server counts them; `reasoning`: of those of the
    completion."""

    prompt: int
    cached: int
    completion: int | None
    reasoning: int = 0


class _RetryableError(Exception):
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
        """A request for `n` samples; nothing is sent yet."""
        self.body = dict(body)
        self.samples = [Written() for _ in range(n)]
        self.usage: Usage | None = None
        self.error: LLMError | None = None  # between attempts: that of the last one
        self._endpoint = endpoint
        self._deadline = deadline
        self._message = ""  # of the server, beside its samples
        self._only_index: int | None = None  # under which the server sends a single sample
        self._abandoned = threading.Event()

    def abandon(self) -> None:
        """Let its thread stop when it can."""
        self._abandoned.set()

    def run(self) -> None:
        """Send the request, read the reply, and retry; the last error is left in `error`.

        A busy server is retried until the deadline, after other failures a few times.
        """
        tries = 0
        failures = 0
        while failures < self._endpoint.attempts and not self._over():
            try:
                self._attempt()
                self.error = None
                return
            except _RetryableError as error:
                problem = error
            except LLMError as error:
                self.error = error
                return
            except _MALFORMED as error:
                self.error = ServerRejected(f"the answer is no chat completion: {error!r}")
                return
            tries += 1
            if problem.status not in TRANSIENT:
                failures += 1
            kind = ServerBusy if problem.status == _BUSY else ServerUnavailable
            message = f"{self._endpoint.shown}: gave up after {tries} attempts: {problem}"
            self.error = kind(message, problem.status)
            remaining = self._deadline.remaining()
            if problem.wait > remaining:
                return
            wait = problem.wait or min(_MAX_WAIT, self._endpoint.wait * 2 ** (tries - 1))
            if failures < self._endpoint.attempts:
                self._abandoned.wait(min(wait * random.uniform(0.8, 1.2), remaining))

    def _attempt(self) -> None:
        self.samples = [Written() for _ in self.samples]
        self._only_index = None
        self._message = ""
        url = self._endpoint.at("/chat/completions")
        try:
            with self._endpoint.send("POST", url, self.body, self._deadline) as reply:
                if reply.status_code >= 400:
                    raise self._refusal_in(reply)
                for event in events_of(reply, self._over):
                    if event is None:
                        self._finish_samples()
                    else:
                        self._take(event)
        except NotAnEventError as error:
            if all(sample.reason for sample in self.samples):
                return  # the answer was complete before
            raise _RetryableError(self._endpoint.hide(str(error))) from error
        except _CONNECTION as error:
            if isinstance(error, _TIMEOUT) and self._over():
                return  # the deadline came first: the server has not failed
            problem = self._endpoint.hide(f"{type(error).__name__}: {error}")
            raise _RetryableError(problem) from error
        if not self._over() and all(sample.reason is None for sample in self.samples):
            says = f": {self._endpoint.hide(self._message)[:200]}" if self._message else ""
            raise _RetryableError(f"the stream broke off before its end{says}")

    def _over(self) -> bool:
        return self._abandoned.is_set() or self._deadline.expired

    def _refusal_in(self, reply: requests.Response) -> Exception:
        """The error of a reply with a status of 400 or more."""
        text = _read_body(reply, _MAX_ERROR, self._over).decode(errors="replace")
        retry_after = reply.headers.get("Retry-After", "")
        wait = float(retry_after) if retry_after.isdecimal() else 0.0
        return _refusal(reply.status_code, self._endpoint.hide(text), wait)

    def _finish_samples(self) -> None:
        """Note that the server is done: samples without a reason ended by themselves."""
        for sample in self.samples:
            if sample.reason is None and sample.text:
                sample.reason = "stop"

    def _take(self, event: dict[str, Any]) -> None:
        """Add the content of an event to the samples."""
        error = error_in(event)
        if error and all(sample.reason for sample in self.samples):
            return  # the answer was complete before
        self._message = message_in(event) or self._message
        if error:  # within a reply whose status was 200
            raise _refusal(status_of(error), self._endpoint.hide(str(error))[:1000], 0.0)
        self.usage = _usage_of(event.get("usage")) or self.usage
        for choice in event.get("choices") or ():
            if not isinstance(choice, dict):
                continue
            index = _index_of(choice)
            if len(self.samples) == 1:  # a server may count from 1, or write more than one
                if self._only_index is None:
                    self._only_index = index
                if index != self._only_index:
                    continue
                index = 0
            sample = self.samples[index]
            delta = choice.get("delta") or choice.get("message") or {}
            if isinstance(delta, str):
                delta = {"content": delta}
            sample.text += _text_of(delta.get("content"))
            sample.refusal += _text_of(delta.get("refusal"))
            thoughts = delta.get("reasoning_content") or delta.get("reasoning")
            sample.thoughts += len(_text_of(thoughts))
            sample.logprobs += _logprobs_of(choice.get("logprobs"))
            reason = choice.get("finish_reason")
            if reason:
                sample.reason = str(reason)


def _index_of(choice: Mapping[str, Any]) -> int:
    """The number of a choice's sample."""
    with suppress(TypeError, ValueError):
        return int(choice.get("index") or 0)
    return 0


def _text_of(content: Any) -> str:
    """The text of a message, which some servers write as a list of parts; empty if it is none."""
    if isinstance(content, list):
        return "".join(map(_text_of, content))
    if isinstance(content, dict) and content.get("type") in ("reasoning", "thinking"):
        return ""
    if isinstance(content, dict):
        return _text_of(content.get("text") or content.get("value"))
    return content if isinstance(content, str) else ""


def _logprobs_of(logprobs: Any) -> list[float]:
    """The log-probabilities of the tokens of an event; tokens without one are left out."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list):
        return []
    values = []
    for token in tokens:
        with suppress(*_MALFORMED):
            values.append(float(token["logprob"]))
    return values


def _usage_of(usage: Any) -> Usage | None:
    """The tokens that an event states; None if it states none: a text counts without them."""
    if not isinstance(usage, dict):
        return None
    with suppress(*_MALFORMED):
        prompt_details = usage.get("prompt_tokens_details") or {}
        completion_details = usage.get("completion_tokens_details") or {}
        completion = usage.get("completion_tokens")
        return Usage(
            prompt=int(usage.get("prompt_tokens") or 0),
            cached=int(prompt_details.get("cached_tokens") or 0),
            completion=None if completion is None else int(completion),
            reasoning=int(completion_details.get("reasoning_tokens") or 0),
        )
    return None


def run_calls(
    calls: Sequence[ServerCall],
    workers: int,
    deadline: Deadline,
    on_end: Callable[[ServerCall], None],
) -> None:
    """Run `calls` on daemon threads until all have ended or the deadline has come.

    `on_end` hears of each call that ended, by its thread. No thread is joined: one that hangs in a
    read ends with the timeout of its socket.
    """
    waiting = iter(calls)
    lock = threading.Lock()
    ended = threading.Semaphore(0)

    def work() -> None:
        while True:
            with lock:
                call = next(waiting, None)
            if call is None:
                return
            try:
                call.run()
                on_end(call)
            finally:
                ended.release()

    for number in range(min(workers, len(calls))):
        threading.Thread(target=work, name=f"llm-{number}", daemon=True).start()
    for _ in calls:
        if not ended.acquire(timeout=max(0.001, deadline.remaining())):
            break
    for call in calls:
        call.abandon()


def _read_body(reply: requests.Response, limit: int, over: Callable[[], bool]) -> bytes:
    """At most `limit` bytes of the body; reading stops when `over`."""
    content = b""
    while len(content) < limit and not over():
        chunk = reply.raw.read1(_CHUNK, decode_content=True)
        if not chunk:
            break
        content += chunk
    return content[:limit]


def _refusal(status: int, text: str, wait: float) -> Exception:
    """The error of an HTTP status of 400 or more."""
    too_long = context_error(text) if status in _ABOUT_THE_PROMPT else None
    if too_long is not None:
        return too_long
    if status == 500 and refuses_roles(text):
        return ServerRejected(f"status {status}: {text[:300]}", status)
    if status in (_BUSY, *_RETRIED) or status >= 500:
        return _RetryableError(f"status {status}: {text[:200]}", wait, status)
    return ServerRejected(f"status {status}: {text[:300]}", status)
