"""Pages read and cut by a second process beside this one, where a question has many of them.

The parser holds Python's lock, so threads bring nothing; a second process nearly halves the time
that fifty pages take (docs/web.md). It runs this file, and ends when its input does.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from models.records import Page
from models.web.chunking import Chunk, cut_page, make_chunker
from models.web.extractors import make_reader
from models.web.page import PageText
from models.web.settings import WebSettings

MANY = 3_000_000  # characters of a question's pages, from which on it pays
_ROOT = Path(__file__).resolve().parents[2]

Indexed = tuple[int, Page]
Read = tuple[PageText, list[Chunk], Counter[str]]
T = TypeVar("T")


class Asked:
    """Pages that are being read: `read` grows in their order, by texts, chunks and counts."""

    def __init__(self) -> None:
        self.read: list[Read] = []
        self.done: Future[None] = Future()

    def wait(self, seconds: float) -> bool:
        """Wait for all, so long at most; False where the process died and the rest never comes."""
        wait([self.done], timeout=max(seconds, 0.0))
        return not (self.done.done() and self.done.exception())


class Beside:
    """A process that reads pages as `settings` have it; safe to use from several threads.

    One that died is started again, one that could not be started is not.
    """

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "pages")  # the only one to talk to the process
        self._lock = threading.Lock()
        self._starting: Future[None] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def up(self) -> bool:
        """Whether it takes pages by now; the first call starts it, and nobody waits for that."""
        with self._lock:
            if self._starting is None:
                self._starting = self._thread.submit(self._start)
            return self._starting.done() and not self._starting.exception()

    def read(self, pages: Sequence[Indexed]) -> Asked:
        """Begin to read pages, each with its index."""
        asked = Asked()
        asked.done = self._thread.submit(self._talk, pages, asked)
        return asked

    def close(self) -> None:
        """End the process, when it has read what it was given."""
        self._thread.shutdown()
        self._end()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "models.web.beside"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # an interrupt is for this process alone
        )
        source, sink = self._pipes()
        _send(self._settings, sink)
        _take(source)  # it is up

    def _talk(self, pages: Sequence[Indexed], asked: Asked) -> None:
        try:
            source, sink = self._pipes()
            # pickled one by one, so that the process holds one page's text at a time
            _send([(index, pickle.dumps(page)) for index, page in pages], sink)
            for _ in pages:
                asked.read.append(_take(source))
        except (EOFError, OSError, pickle.UnpicklingError):
            self._end()
            with self._lock:
                self._starting = None
            raise

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        process = self._process
        if process is None or process.stdout is None or process.stdin is None:
            raise EOFError("the process that reads pages beside this one is gone")
        return process.stdout, process.stdin

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError), process:  # closes its pipes, the one in full too, and waits
                pass


def halves(parts: Sequence[tuple[float, T]]) -> tuple[list[tuple[float, T]], list[tuple[float, T]]]:
    """`parts` of (size, what) as two lists of about the same size, each in its order."""
    first: list[tuple[float, T]] = []
    second: list[tuple[float, T]] = []
    ahead = 0.0
    for part in parts:
        (first if ahead <= 0 else second).append(part)
        ahead += part[0] if ahead <= 0 else -part[0]
    return first, second


def _send(what: object, sink: IO[bytes]) -> None:
    pickle.dump(what, sink, protocol=pickle.HIGHEST_PROTOCOL)
    sink.flush()


def _take(source: IO[bytes]) -> Any:
    return pickle.load(source)  # noqa: S301  (what our own process sent)


def main() -> None:
    """Read what comes in until nothing does."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    settings: WebSettings = _take(source)
    reader = make_reader(settings.extractors, settings.max_html_chars, tables=settings.tables)
    chunker = make_chunker(settings)
    _send("up", sink)
    while True:
        try:
            pages: list[tuple[int, bytes]] = _take(source)
        except EOFError:
            return
        for index, pickled in pages:
            counts: Counter[str] = Counter()
            text = reader.read(pickle.loads(pickled), counts)  # noqa: S301  (as above)
            _send((text, cut_page(chunker, text, index, counts), counts), sink)


if __name__ == "__main__":
    main()
