"""Verdicts kept on disk between runs."""

import hashlib
import json
import sqlite3
from pathlib import Path
from threading import Lock

from evaluation.judge.protocol import Verdict
from utils.errors import JudgeError


class VerdictCache:
    """Verdicts by key, in an SQLite file. Each is committed at once: safe to interrupt.

    Threads may share one; so may processes that use one file.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the file at `path`. Raises JudgeError where it cannot be used."""
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30.0, check_same_thread=False)
            with self._db:
                self._db.execute(
                    "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT)"
                )
        except (OSError, sqlite3.Error) as error:
            raise JudgeError(f"the cache {path} cannot be used: {error}") from error

    def get(self, key: str) -> Verdict | None:
        """The verdict kept under `key`, or None. Raises JudgeError on a broken file."""
        try:
            with self._lock:
                found = self._db.execute("SELECT verdict FROM verdicts WHERE key = ?", (key,))
                row = found.fetchone()
        except sqlite3.Error as error:
            raise JudgeError(f"the cache cannot be read: {error}") from error
        return Verdict(row[0]) if row and row[0] in set(Verdict) else None

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep `verdict` under `key`. Raises JudgeError where it cannot be written."""
        try:
            with self._lock, self._db:
                self._db.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", (key, verdict))
        except sqlite3.Error as error:
            raise JudgeError(f"the cache cannot be written: {error}") from error

    def close(self) -> None:
        with self._lock:
            self._db.close()


def key_of(model: str, messages: list[dict[str, str]]) -> str:
    """A hash of the model's name and the whole prompt."""
    plain = json.dumps([model, messages], ensure_ascii=False)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
