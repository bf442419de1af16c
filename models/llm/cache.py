"""A cache of completions on disk, so that a resumed run sends no prompt twice."""

import hashlib
import json
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from models.llm.protocol import (
    Completion,
    FinishReason,
    OnEnd,
    Prompt,
    WrappedLLM,
    ignore_end,
)
from utils.deadline import Deadline
from utils.errors import InputError

AT_A_TIME = 16  # prompts of one call of an engine; completions are stored after each call

_log = logging.getLogger(__name__)


def ended(completion: Completion) -> bool:
    """Whether all samples ended by themselves or at their token limit, without an error."""
    return all(sample.finished and not sample.error for sample in completion.samples)


class Calls:
    """Completions by key, in an SQLite file that threads and processes may share.

    Each write is committed at once, so a run may be killed at any time. A file that later becomes
    unusable only costs repeated calls, and is logged.
    """

    def __init__(self, file: Path) -> None:
        """Open or create `file`.

        Raises:
            InputError: the file cannot be used.
        """
        self._file = file
        self._lock = Lock()
        self._looked_up: Counter[str] = Counter()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file, timeout=30.0, check_same_thread=False)
            with self._db:
                self._db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, said)")
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"the cache {file} cannot be used: {error}") from error

    def get(self, key: str) -> Completion | None:
        """The completion of `key`; None if there is none, or if the file cannot be read."""
        try:
            with self._lock:
                cursor = self._db.execute("SELECT said FROM calls WHERE key = ?", (key,))
                row = cursor.fetchone()
            if row is None:
                self._looked_up["prompts asked"] += 1
                return None
            self._looked_up["prompts remembered"] += 1
            return _completion_of(json.loads(row[0]))
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            _log.warning("the cache %s cannot be read: %r", self._file, error)
            return None

    def looked_up(self) -> Counter[str]:
        """The number of prompts that were not in the cache, and of those that were."""
        return self._looked_up

    def put(self, completions: Mapping[str, Completion]) -> None:
        """Store completions by key."""
        rows = [(key, json.dumps(asdict(completion))) for key, completion in completions.items()]
        try:
            with self._lock, self._db:
                self._db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            _log.warning("the cache %s cannot be written: %s", self._file, error)


@dataclass(frozen=True)
class RememberingLLM(WrappedLLM):
    """An engine behind a cache: it gets only prompts whose completion is not in the cache.

    Attributes:
        name: distinguishes the engine and its model from others in `calls`.
        calls: the cache.
        keep: whether a completion is stored.
    """

    name: str
    calls: Calls
    keep: Callable[[Completion], bool] = ended

    def generate(
        self, prompts: Sequence[Prompt], *, deadline: Deadline, on_end: OnEnd = ignore_end
    ) -> list[Completion]:
        """One completion per prompt, in order; see the protocol."""
        keys = [_cache_key(self.name, prompt) for prompt in prompts]
        prompts_by_key = dict(zip(keys, prompts, strict=True))
        completions: dict[str, Completion] = {}
        new_keys = []
        for key in prompts_by_key:
            cached = self.calls.get(key)
            if cached is None:
                new_keys.append(key)
            else:
                completions[key] = cached
                on_end()
        for start in range(0, len(new_keys), AT_A_TIME):
            group = new_keys[start : start + AT_A_TIME]
            replies = self.llm.generate(
                [prompts_by_key[key] for key in group], deadline=deadline, on_end=on_end
            )
            new = dict(zip(group, replies, strict=True))
            self.calls.put({key: reply for key, reply in new.items() if self.keep(reply)})
            completions |= new
        return [completions[key] for key in keys]


def _cache_key(name: str, prompt: Prompt) -> str:
    text = json.dumps([name, asdict(prompt)], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _completion_of(row: Mapping[str, Any]) -> Completion:
    """The completion of a row that `Calls.put` wrote."""
    return Completion(
        text=row["text"],
        finish_reason=FinishReason(row["finish_reason"]),
        tokens=row["tokens"],
        logprobs=tuple(row["logprobs"]),
        others=tuple(map(_completion_of, row["others"])),
    )
