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

from models.llm.protocol import Completion, FinishReason, Prompt, WrappedLLM
from utils.deadline import Deadline
from utils.errors import InputError

AT_A_TIME = 16  # prompts of one call of an engine; each call's completions are kept when it ends

_log = logging.getLogger(__name__)


def ended(completion: Completion) -> bool:
    """Whether all samples ended by themselves or at their bound, and nothing is wrong with them."""
    return all(sample.finished and not sample.error for sample in completion.samples)


class Calls:
    """Completions by key, in an SQLite file that threads and processes may share.

    Each write is committed at once, so a run may be killed at any time. A file that later becomes
    unusable only costs repeated calls, and is logged.
    """

    def __init__(self, file: Path) -> None:
        """Open or make `file`. Raises InputError where it cannot be used."""
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
        try:
            with self._lock:
                found = self._db.execute("SELECT said FROM calls WHERE key = ?", (key,))
                row = found.fetchone()
            self._looked_up["prompts asked" if row is None else "prompts remembered"] += 1
            return None if row is None else _completion(json.loads(row[0]))
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            _log.warning("the cache %s cannot be read: %r", self._file, error)
            return None

    def looked_up(self) -> Counter[str]:
        """The number of prompts not in the cache, and of those in it."""
        return self._looked_up

    def put(self, completions: Mapping[str, Completion]) -> None:
        rows = [(key, json.dumps(asdict(one))) for key, one in completions.items()]
        try:
            with self._lock, self._db:
                self._db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            _log.warning("the cache %s cannot be written: %s", self._file, error)


@dataclass(frozen=True)
class RememberingLLM(WrappedLLM):
    """An engine in front of a cache: a prompt is sent again only if its completion was not kept.

    Attributes:
        name: distinguishes the engine and its model from others in `calls`.
        keep: which completions are kept.
    """

    name: str
    calls: Calls
    keep: Callable[[Completion], bool] = ended

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion per prompt, in order; see the protocol."""
        keys = [_key(self.name, prompt) for prompt in prompts]
        found = {key: kept for key in set(keys) if (kept := self.calls.get(key)) is not None}
        by_key = dict(zip(keys, prompts, strict=True))
        new = [key for key in by_key if key not in found]
        for start in range(0, len(new), AT_A_TIME):
            asked = new[start : start + AT_A_TIME]
            said = self.llm.generate([by_key[key] for key in asked], deadline=deadline)
            made = dict(zip(asked, said, strict=True))
            self.calls.put({key: one for key, one in made.items() if self.keep(one)})
            found |= made
        return [found[key] for key in keys]


def _key(name: str, prompt: Prompt) -> str:
    plain = json.dumps([name, asdict(prompt)], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def _completion(row: Mapping[str, Any]) -> Completion:
    return Completion(
        row["text"],
        FinishReason(row["finish_reason"]),
        row["tokens"],
        tuple(row["logprobs"]),
        tuple(map(_completion, row["others"])),
    )
