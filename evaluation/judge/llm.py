"""A judge that asks a chat model: the three-way scheme of the CRAG paper (section 4.1)."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from evaluation.judge.cache import VerdictCache, key_of
from evaluation.judge.prompting import messages, parse
from evaluation.judge.protocol import Item, Judgement, Verdict
from evaluation.judge.shortcuts import settle
from utils.errors import JudgeError

_LONGEST_WAIT = 60.0  # seconds, whatever a server asks for


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
        workers: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Make a judge; nothing is sent yet.

        Args:
            url: base URL of the endpoint, without "/chat/completions".
            model: name of the model that the endpoint serves.
            api_key: bearer token.
            cache: SQLite file of earlier verdicts.
            timeout: seconds for connecting and for each read.
            attempts: how often a request is sent before its item fails.
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
        self._workers = workers
        self._sleep = sleep

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """The judgements, in the items' order."""
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="judge")
        try:
            return list(pool.map(self._judge_one, items))
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt does not wait for the queue

    def _judge_one(self, item: Item) -> Judgement:
        settled = settle(item)
        if settled is not None:
            return settled
        prompt = messages(item)
        key = key_of(self._model, prompt)
        kept = self._cache.get(key) if self._cache else None
        if kept is not None:
            return Judgement(kept, f"{self._model}, from the cache")
        try:
            verdict = self._ask(prompt)
        except JudgeError as error:
            return Judgement(Verdict.UNSCORED, str(error), failed=True)
        if self._cache:
            self._cache.put(key, verdict)
        return Judgement(verdict, f"{self._model} says so")

    def _ask(self, prompt: list[dict[str, str]]) -> Verdict:
        body = {"model": self._model, "messages": prompt, "temperature": 0}
        reply = self._send(body)
        try:
            content = reply.json()["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise JudgeError(f"the endpoint's answer is no chat completion: {error!r}") from error
        verdict = parse(content) if isinstance(content, str) else None
        if verdict is None:
            raise JudgeError(f"no verdict in the reply {str(content)[:120]!r}")
        return verdict

    def _send(self, body: dict[str, object]) -> requests.Response:
        """The endpoint's answer. Tries again after a broken connection, time-out, 429 or 5xx."""
        problem = "no attempt was made"
        for attempt in range(self._attempts):
            wait = min(_LONGEST_WAIT, 2.0**attempt)
            try:
                reply = requests.post(
                    self._url, json=body, headers=self._headers, timeout=self._timeout
                )
            except (requests.ConnectionError, requests.Timeout) as error:
                problem = type(error).__name__
            except requests.RequestException as error:
                raise JudgeError(f"the request cannot be sent: {error}") from error
            else:
                if reply.ok:
                    return reply
                problem = f"status {reply.status_code}"
                if reply.status_code != 429 and reply.status_code < 500:
                    raise JudgeError(f"{problem}: {reply.text[:200]}")
                wait = max(wait, _asked_wait(reply))
            if attempt + 1 < self._attempts:
                self._sleep(wait)
        raise JudgeError(f"gave up after {self._attempts} attempts: {problem}")


def _asked_wait(reply: requests.Response) -> float:
    """The seconds that the server asks to wait, or 0."""
    asked = reply.headers.get("Retry-After", "")
    return min(_LONGEST_WAIT, float(asked)) if asked.isdecimal() else 0.0
