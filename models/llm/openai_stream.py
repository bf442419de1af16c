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

from models.llm.errors import (
    Broken,
    ContextTooLong,
    LLMError,
    ServerBusy,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.openai_endpoint import FAILURES, Endpoint, read_body
from utils.deadline import Deadline

_CHUNK = 1 << 16
_MOST_BYTES = 16 << 20  # of one answer
_MOST_ERROR = 1 << 14
_LONGEST_WAIT = 4.0  # where the server does not say how long
_LEAST_TIMEOUT = 0.05  # requests takes 0 for no time-out
# How servers say how long their model's context is, when a prompt is longer.
_CONTEXT = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"n_ctx\W{1,4}(\d[\d,]*)",
        r"(\d[\d,]*)(?: tokens?)? (?:maximum )?context (?:length|size|window)",
        r"(?:context|model|sequence)[ _](?:length|size|window)\D{0,40}?(\d[\d,]*)",
        r"must be <= (\d[\d,]*)",
    )
)
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|model length|input length|too many tokens|too long|must be <=",
    re.I,
)
_LEAST_CONTEXT = 256
_NUMBER = re.compile(r"\d[\d,]{0,9}")
_BUSY = 429
_UNTIL_THE_DEADLINE = (_BUSY, 502, 503, 504, 529)  # these pass; others may be the request's fault
_TRIED_AGAIN = (408, 409, 425)


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
    completion: int | None


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
        self._inside: float | None = None  # since when it has a place of the gate
        self._samples = [Written() for _ in range(n)]
        self._best = self._samples  # the longest of what broke off
        self.usage: Usage | None = None
        self.error: LLMError | None = None  # while it is tried again, why

    def leave(self) -> None:
        """Let the request end by itself as soon as it sees this; its caller goes on."""
        self._left.set()
        self._give_back(refused=None)

    def _give_back(self, *, refused: bool | None) -> None:
        with self._lock:
            began, self._inside = self._inside, None
        if began is not None:
            self._endpoint.gate.leave(began, refused=refused)

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
        """While the server is busy, until the deadline; where it fails, a connection breaks off or
        cannot be had, so many times."""
        tries = broken = 0
        gate = self._endpoint.gate
        while broken < self._endpoint.attempts and not self._over() and gate.enter(self._deadline):
            self._inside, refused = time.monotonic(), False
            try:
                self._once()
                self.error, self._best = None, self._samples
                return
            except _Again as again:
                problem, refused = again, again.status == _BUSY
            finally:
                self._give_back(refused=refused)
            tries += 1
            broken += problem.status not in _UNTIL_THE_DEADLINE
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
        said = f"{self._endpoint.shown}: gave up after {tries} attempts: {problem}"
        if _length(self._best):
            return Broken(said)
        kind = ServerBusy if problem.status == _BUSY else ServerUnavailable
        return kind(said, problem.status)

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
                    if event is None:
                        self._end()
                    else:
                        self._take(event)
        except FAILURES as error:
            raise _Again(f"{type(error).__name__}: {error}") from error
        if not self._over() and all(sample.reason is None for sample in self._samples):
            raise _Again("the stream broke off before its end")

    def _end(self) -> None:
        """What the server ends without a word has come to its end."""
        with self._lock:
            for sample in self._samples:
                sample.reason = sample.reason or ("stop" if sample.text else None)

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
                    None if (n := usage.get("completion_tokens")) is None else int(n),
                )
            for choice in event.get("choices") or ():
                self._choose(choice)

    def _choose(self, choice: dict[str, Any]) -> None:
        sample = self._samples[choice.get("index") or 0]
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


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _events(reply: requests.Response, over: Callable[[], bool]) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a stream of server-sent events, or of a whole reply, until its end or
    until `over`; None where the server says that it is done."""
    if reply.headers.get("Content-Type", "").startswith("application/json"):
        yield _object(read_body(reply, _MOST_BYTES, over))
        yield None
        return
    left, seen = b"", 0
    while not over() and (chunk := reply.raw.read1(_CHUNK, decode_content=True)):
        seen += len(chunk)
        if seen > _MOST_BYTES:
            raise ServerRejected(f"an answer of more than {_MOST_BYTES >> 20} MiB")
        *lines, left = (left + chunk).split(b"\n")
        for line in lines:
            yield from _of_line(line)
    yield from _of_line(left)


def _of_line(line: bytes) -> Iterator[dict[str, Any] | None]:
    data = line.removeprefix(b"data:").strip()
    if line.startswith(b"data:") and data:
        yield None if data == b"[DONE]" else _object(data)


def _object(data: bytes) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _Again(f"an event is no JSON: {error}") from error
    return event if isinstance(event, dict) else {}


def _refuse(reply: requests.Response, over: Callable[[], bool]) -> None:
    """Raise what the reply's status means."""
    text = read_body(reply, _MOST_ERROR, over).decode(errors="replace")
    asked = reply.headers.get("Retry-After", "")
    _raise(reply.status_code, text, float(asked) if asked.isdecimal() else 0.0)


def _fail(error: Any) -> None:
    """Raise what an error in a stream means, whose status is gone by then."""
    code = error.get("code") if isinstance(error, dict) else None
    _raise(code if isinstance(code, int) else 500, str(error)[:1000], 0.0)


def _raise(status: int, text: str, wait: float) -> None:
    if status in (_BUSY, *_TRIED_AGAIN) or status >= 500:
        raise _Again(f"status {status}: {text[:200]}", wait, status)
    too_long = status in (400, 413, 422) and _TOO_LONG.search(text)
    found = (pattern.search(text) for pattern in _CONTEXT)
    context = next((_int(match[1]) for match in found if match), 0)
    if too_long and context >= _LEAST_CONTEXT:
        # The longest number is what was asked for: servers word it differently.
        asked_for = max(map(_int, _NUMBER.findall(text)), default=context)
        raise ContextTooLong(max(1, asked_for - context), context)
    hint = "; give llms.NAME.context" if too_long else ""
    raise ServerRejected(f"status {status}: {text[:300]}{hint}", status)


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def _length(samples: Sequence[Written]) -> int:
    return sum(len(sample.text) for sample in samples)


def run_calls(calls: Sequence[Call], workers: int, deadline: Deadline) -> None:
    """Run `calls` on daemon threads until all have ended or the deadline is there.

    Nobody waits for a thread: one that hangs in a read ends with the time-out of its socket.
    """
    left = iter(calls)
    lock, slots = threading.Lock(), threading.Semaphore(0)

    def work() -> None:
        while True:
            with lock:
                call = next(left, None)
            if call is None:
                return
            try:
                call.run()
            finally:
                slots.release()

    for number in range(min(workers, len(calls))):
        threading.Thread(target=work, name=f"llm-{number}", daemon=True).start()
    for _ in calls:
        if not slots.acquire(timeout=max(0.001, deadline.remaining())):
            break
    for call in calls:
        call.leave()
