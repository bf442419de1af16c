"""Pages read and cut by a second process beside this one, where a question has many of them.

Three quarters of the reading hold Python's lock, so threads bring nothing; a second process
nearly halves the time that fifty pages take (docs/web.md). It runs this file, and ends when its
input does.
"""

import math
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from models.records import Page
from models.web.chunking import Chunk, cut_page, make_chunker
from models.web.extractors import make_reader
from models.web.page import PageText
from models.web.settings import WebSettings

MANY = 3_000_000  # characters of a question's pages, from which on it pays
PATIENCE = 2.0  # seconds to wait for a page: none should take as long
_PIPE = 1 << 20  # bytes, so that neither process waits for the other to take what it sends
_ROOT = Path(__file__).resolve().parents[2]

Todo = dict[int, int]  # pages' indices, likeliest first, and their characters
Read = tuple[PageText, list[Chunk], Counter[str]]


class Help:
    """Pages that are being read, in the order of `sent`: `read` grows by their indices."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.read: dict[int, Read] = {}
        self.done: Future[None] = Future()

    def wait(self, seconds: float, patience: float = math.inf) -> bool:
        """Wait for all, so long at most, and for each page no longer than `patience`; whether all
        has come."""
        end = time.monotonic() + seconds
        while not self.done.done():
            before, left = len(self.read), end - time.monotonic()
            wait([self.done], timeout=max(min(left, patience), 0.0))
            if left <= patience or len(self.read) == before:
                break
        return self.done.done() and not self.done.exception()

    def stuck(self) -> set[int]:
        """The page that it is at, if it is at one."""
        return set([index for index in self.sent if index not in self.read][:1])


class Beside:
    """A process that reads pages as `settings` have it; safe to use from several threads.

    One that died is started again, one that could not be started is not.
    """

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._now: Future[None] | None = None  # what it does, and it does one thing at a time
        self._no_use = False

    def help(self, pages: Sequence[Page], todo: Todo) -> Help | None:
        """Begin to take of `pages` what stands in `todo`, the largest first; so may the caller.

        None where the process is not up, which starts it, or is at another question's pages.
        """
        with self._lock:
            if self._no_use or (self._now is not None and not self._now.done()):
                return None
            if self._process is None:
                self._now = _begin(self._start)
                return None
            given = Help()
            self._now = given.done = _begin(lambda: self._read(pages, todo, given))
            return given

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError), process:  # closes its pipes, a full one too, and waits for it
                pass

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "models.web.beside"],
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pipesize=_PIPE,
                start_new_session=True,  # an interrupt is for this process alone
            )
            weakref.finalize(self, self._process.kill)  # it may be at a page that takes long
            source, sink = _pipes(self._process)
            _send(self._settings, sink)
            _take(source)  # it is up
        except Exception:
            self._no_use = True
            self.close()
            raise

    def _read(self, pages: Sequence[Page], todo: Todo, given: Help) -> None:
        sent: SimpleQueue[int | None] = SimpleQueue()
        room = threading.Semaphore()  # for one page on its way while the one before is read
        try:
            source, sink = _pipes(self._process)
            fed = _begin(lambda: self._feed(pages, todo, given, sink, sent, room))
            for index in iter(sent.get, None):
                given.read[index] = _take(source)
                room.release()
            fed.result()
        except Exception:
            self.close()
            room.release()  # nobody waits for what is gone
            raise

    def _feed(
        self,
        pages: Sequence[Page],
        todo: Todo,
        given: Help,
        sink: IO[bytes],
        sent: SimpleQueue[int | None],
        room: threading.Semaphore,
    ) -> None:
        most = self._settings.max_html_chars
        try:
            for _, index in taken(todo, largest_first=True):  # small ones are left for the end
                given.sent.append(index)
                sent.put(index)
                _send((index, replace(pages[index], html=pages[index].html[:most])), sink)
                room.acquire()
        finally:
            sent.put(None)


def taken(todo: Todo, *, largest_first: bool = False) -> Iterator[tuple[int, int]]:
    """The (size, index) of pages in `todo`, taken from it one by one, as another thread may too."""
    pages = list(todo.copy().items())
    if largest_first:
        pages.sort(key=lambda page: -page[1])
    for index, size in pages:
        if todo.pop(index, None) is not None:
            yield size, index


def _begin(work: Callable[[], None]) -> Future[None]:
    """Do `work` in a thread that keeps no process from ending."""
    done: Future[None] = Future()

    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  (for who waits for it)
            done.set_exception(error)
        else:
            done.set_result(None)

    threading.Thread(target=run, name="pages", daemon=True).start()
    return done


def _pipes(process: subprocess.Popen[bytes] | None) -> tuple[IO[bytes], IO[bytes]]:
    if process is None or process.stdout is None or process.stdin is None:
        raise EOFError("the process that reads pages beside this one is gone")
    return process.stdout, process.stdin


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
            index, page = _take(source)
        except EOFError:
            return
        counts: Counter[str] = Counter()
        text = reader.read(page, counts)
        _send((text, cut_page(chunker, text, index, counts), counts), sink)


if __name__ == "__main__":
    main()
