"""A judge that asks a chat model: the three-way scheme of the CRAG paper (section 4.1)."""

import json
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import requests
from urllib3.exceptions import HTTPError, ReadTimeoutError

from evaluation.judge.cache import VerdictCache, key_of
from evaluation.judge.prompting import messages, parse
from evaluation.judge.protocol import Item, Judgement, Verdict
from evaluation.judge.shortcuts import settle
from utils.deadline import Deadline
from utils.errors import DeadlineExceeded, JudgeError

_log = logging.getLogger(__name__)
_LONGEST_WAIT = 60.0  # seconds, whatever a server asks for
_MOST_BYTES = 4 << 20  # of one answer: a verdict is a few words
_CHUNK = 1 << 16


class _Line:
    """Whether anybody answers at the endpoint, for one batch.

    After `limit` broken connections with no answer between them it is dead: what is left of the
    batch fails at once instead of waiting out its attempts.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._broken = 0
        self._lock = Lock()

    @property
    def dead(self) -> bool:
        return self._broken >= self._limit

    def answered(self) -> None:
        with self._lock:
            if not self.dead:
                self._broken = 0

    def broke(self) -> None:
        with self._lock:
            self._broken += 1


class LlmJudge:
    """Judges through an OpenAI-compatible chat endpoint, several items at a time.

    What needs no model (missing, invalid question, exact match) is settled first and costs no
    request. An item whose judging fails is UNSCORED and marked as failed; the others go on.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        cache: Path | None = None,
        timeout: float = 60.0,
        attempts: int = 5,
        broken: int = 10,
        workers: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Make a judge; nothing is sent yet.

        Args:
            url: base URL of the endpoint, without "/chat/completions".
            model: name of the model that the endpoint serves.
            api_key: bearer token.
            cache: SQLite file of earlier verdicts.
            timeout: seconds for one request, from connecting to the last byte.
            attempts: how often a request is sent before its item fails.
            broken: connections that break in a row before the rest of a batch fails at once.
            workers: how many requests run at once.
            sleep: waits the given seconds between attempts.
        """
        self.name = f"openai:{model}"
        self._url = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._cache = VerdictCache(cache) if cache is not None else None
        self._timeout = timeout
        self._attempts = attempts
        self._broken = broken
        self._workers = workers
        self._sleep = sleep

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """The judgements, in the items' order."""
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="judge")
        try:
            line = _Line(self._broken)
            return list(pool.map(lambda item: self._judge_one(item, line), items))
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt does not wait for the queue

    def _judge_one(self, item: Item, line: _Line) -> Judgement:
        settled = settle(item)
        if settled is not None:
            return settled
        prompt = messages(item)
        key = key_of(self._model, prompt)
        try:
            kept = self._cache.get(key) if self._cache else None
            if kept is not None:
                return Judgement(kept, f"{self._model}, from the cache")
            verdict = self._ask(prompt, line)
        except JudgeError as error:
            return Judgement(Verdict.UNSCORED, str(error), failed=True)
        try:
            if self._cache:
                self._cache.put(key, verdict)
        except JudgeError as error:  # the verdict stands; it will be asked for again
            _log.warning("%s", error)
        return Judgement(verdict, f"{self._model} says so")

    def _ask(self, prompt: list[dict[str, str]], line: _Line) -> Verdict:
        body = {"model": self._model, "messages": prompt, "temperature": 0}
        reply = self._send(body, line)
        try:
            content = json.loads(reply)["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise JudgeError(f"the endpoint's answer is no chat completion: {error!r}") from error
        verdict = parse(content) if isinstance(content, str) else None
        if verdict is None:
            raise JudgeError(f"no verdict in the reply {str(content)[:120]!r}")
        return verdict

    def _send(self, body: dict[str, object], line: _Line) -> bytes:
        """The endpoint's answer. Tries again after a broken connection, time-out, 429 or 5xx."""
        problem = "no attempt was made"
        for attempt in range(self._attempts):
            if line.dead:
                raise JudgeError(f"nobody answers at {self._url}: not tried ({problem})")
            wait = min(_LONGEST_WAIT, 2.0**attempt)
            try:
                status, asked, content = self._post(body)
            except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
                problem = type(error).__name__
                if not isinstance(error, requests.Timeout) or isinstance(
                    error, requests.ConnectTimeout
                ):
                    line.broke()
            except (requests.Timeout, DeadlineExceeded) as error:
                problem = f"Timeout: {error}"
            except requests.RequestException as error:
                raise JudgeError(f"the request cannot be sent: {error}") from error
            else:
                line.answered()
                if status < 400:
                    return content
                problem = f"status {status}"
                if status != 429 and status < 500:
                    raise JudgeError(f"{problem}: {content[:200].decode(errors='replace')}")
                wait = max(wait, asked)
            if attempt + 1 < self._attempts and not line.dead:
                self._sleep(wait)
        raise JudgeError(f"gave up after {self._attempts} attempts: {problem}")

    def _post(self, body: dict[str, object]) -> tuple[int, float, bytes]:
        """(status, seconds that the server asks to wait, body), all within the time-out.

        `requests` bounds each read alone, so a body that trickles would have no end: it is
        streamed, and the deadline seen between the reads.
        """
        deadline = Deadline.after(self._timeout)
        with requests.post(
            self._url, json=body, headers=self._headers, timeout=self._timeout, stream=True
        ) as reply:
            content = bytearray()
            try:
                while chunk := reply.raw.read1(_CHUNK, decode_content=True):
                    content += chunk
                    deadline.check("the judge's answer")
                    if len(content) > _MOST_BYTES:
                        raise JudgeError(f"an answer of more than {_MOST_BYTES >> 20} MiB")
            except ReadTimeoutError as error:
                raise requests.ReadTimeout(str(error)) from error
            except HTTPError as error:
                raise requests.ConnectionError(str(error)) from error
            return reply.status_code, _asked_wait(reply), bytes(content)


def _asked_wait(reply: requests.Response) -> float:
    """The seconds that the server asks to wait, or 0."""
    asked = reply.headers.get("Retry-After", "")
    return min(_LONGEST_WAIT, float(asked)) if asked.isdecimal() else 0.0
