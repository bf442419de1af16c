"""Worker processes that read pages with limits of time and memory.

A parser may take minutes or gigabytes for an adversarial page while it holds the interpreter lock.
A CPU timer kills a worker that takes too long; at the limit of its address space it gets a
MemoryError and exits. Workers are separate commands, since `multiprocessing`, and every pool built
on it, imports the caller's main script again in each process, or forks a process that has threads.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import cast

from models.records import Page
from models.web.page_reader import PageRead, in_process, skipped
from models.web.settings import WebSettings
from utils.deadline import Deadline

_ROOT = Path(__file__).resolve().parents[2]
_OUT_OF_MEMORY = 3  # a worker's exit status
_SECONDS_TO_EXIT = 1.0
_STARTS = 3  # consecutive failed starts before giving up


class PageWorkers:
    """Reads pages in worker processes configured by `settings`; safe to use from several threads.

    Workers start with the first page and are reused. A page that exceeds a limit ends its worker,
    is skipped and counted (`broke:time limit`, `broke:memory limit`, or `broke:page worker` for any
    other exit). If no worker can be started, pages are read in this process; this is counted as
    `broke:page workers`, once per question.
    """

    def __init__(self, settings: WebSettings) -> None:
        """Raises MissingPackageError if a package of an extractor is not installed."""
        self._settings = settings
        self._here = in_process(settings)
        self._lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self.close = weakref.finalize(self, _end, self._workers)  # also at exit

    def read(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        if not self._lock.acquire(timeout=deadline.remaining()):
            return {}
        try:
            done = self._read(pages, indices, deadline)
        finally:
            self._lock.release()
        if self._failed_starts >= _STARTS:
            left = [index for index in indices if index not in done]
            done |= self._here.read(pages, left, deadline)
            for index in left[:1]:
                if index in done:
                    done[index].counts["broke:page workers"] += 1
        return {index: done[index] for index in indices if index in done}

    def _read(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        """The pages that workers read by the deadline; none without a worker."""
        done: dict[int, PageRead] = {}
        todo = deque(indices)
        while len(done) < len(indices) and self._failed_starts < _STARTS and not deadline.expired:
            self._start(min(self._settings.workers, len(todo)))
            self._hand_out(pages, todo)
            busy = {worker.pipe: worker for worker in self._workers if worker.busy}
            for pipe in wait(list(busy), deadline.remaining()) if busy else ():
                self._take(busy[cast(Connection, pipe)], done)
        for worker in [worker for worker in self._workers if worker.page is not None]:
            self._drop(worker)  # the deadline came first
        return done

    def _start(self, wanted: int) -> None:
        try:
            while len(self._workers) < wanted:
                self._workers.append(_Worker(self._settings))
        except OSError:
            self._failed_starts += 1

    def _hand_out(self, pages: Sequence[Page], todo: deque[int]) -> None:
        """Give each idle worker a page."""
        for worker in [worker for worker in self._workers if not worker.busy][: len(todo)]:
            index, most = todo.popleft(), self._settings.max_html_chars
            page = replace(pages[index], html=pages[index].html[:most])
            try:
                worker.pipe.send((index, page))
                worker.page = index
            except OSError:  # it exited while idle
                self._drop(worker)
                todo.appendleft(index)

    def _take(self, worker: "_Worker", done: dict[int, PageRead]) -> None:
        """Handle a message of `worker`: that it is ready, or a page."""
        try:
            read: PageRead | None = worker.pipe.recv()
        except (EOFError, OSError):
            read = skipped(worker.why_it_ended())
            self._failed_starts += worker.page is None
            self._drop(worker)
        else:
            self._failed_starts = 0
        if worker.page is not None and read is not None:
            done[worker.page] = read
        worker.ready, worker.page = True, None

    def _drop(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        worker.end()


class _Worker:
    """One worker process: starting, idle, or at the page with index `page`."""

    def __init__(self, settings: WebSettings) -> None:
        """Raises OSError if no process can be created."""
        self.pipe, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"{_SERVE}({theirs.fileno()})"],
                cwd=_ROOT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # only the caller handles Ctrl-C
            )
        with suppress(OSError):  # it exited at once; the first read from it detects that
            self.pipe.send(settings)
        self.ready = False
        self.page: int | None = None

    @property
    def busy(self) -> bool:
        return not self.ready or self.page is not None

    def why_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_SECONDS_TO_EXIT)
        reasons = {-signal.SIGPROF: "time limit", _OUT_OF_MEMORY: "memory limit"}
        return reasons.get(self.process.returncode, "page worker")

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.wait()


def _end(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().end()


_SERVE = "from models.web.page_workers import serve; serve"


def serve(descriptor: int) -> None:
    """Read pages in this worker process until the other end of the pipe is closed."""
    pipe = Connection(descriptor)
    settings: WebSettings = pipe.recv()
    most = settings.page_megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    here = in_process(settings)
    pipe.send(None)
    try:
        while True:
            index, page = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, settings.page_seconds)  # SIGPROF kills the process
            read = here.read_one(page, index)
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send(read)
    except (EOFError, OSError):  # the caller has exited
        return
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
