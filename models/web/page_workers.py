"""Worker processes that read pages with limits of time and memory.

A parser may take minutes or gigabytes for an adversarial page while it holds the interpreter lock.
A CPU timer kills a worker that takes too long; at the limit of its address space it gets a
MemoryError and exits. Workers are separate commands, since `multiprocessing`, and every pool built
on it, imports the caller's main script again in each process, or forks a process that has threads.
"""

import os
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
from models.web.decoding import MAX_SOURCE_CHARS
from models.web.page_reader import PageRead, in_process, skipped
from models.web.settings import WebSettings
from utils.deadline import Deadline
from utils.posix import resource

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
        """Prepare; workers start with the first page.

        Raises:
            MissingPackageError: a package of an extractor is not installed.
        """
        self._settings = settings
        self._here = in_process(settings)
        self._lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self.close = weakref.finalize(self, _end_workers, self._workers)  # also at exit

    def read(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        """The pages with those indices, as far as they are read by the deadline, in order."""
        if not self._lock.acquire(timeout=deadline.remaining()):
            return {}
        try:
            done = self._read_by_workers(pages, indices, deadline)
        finally:
            self._lock.release()
        if self._no_worker_starts:
            done |= self._read_here(pages, [i for i in indices if i not in done], deadline)
        return {index: done[index] for index in indices if index in done}

    @property
    def _no_worker_starts(self) -> bool:
        return self._failed_starts >= _STARTS

    def _read_here(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        """The pages read in this process; the first one counts that there is no worker."""
        done = self._here.read(pages, indices, deadline)
        if indices and indices[0] in done:
            done[indices[0]].counts["broke:page workers"] += 1
        return done

    def _read_by_workers(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        """The pages that workers read by the deadline; none without a worker."""
        done: dict[int, PageRead] = {}
        todo = deque(indices)
        while len(done) < len(indices) and not self._no_worker_starts and not deadline.expired:
            self._start_workers(min(self._settings.workers, len(todo)))
            self._hand_out(pages, todo)
            busy = {worker.pipe: worker for worker in self._workers if worker.busy}
            if busy:
                for pipe in wait(list(busy), deadline.remaining()):
                    self._receive(busy[cast(Connection, pipe)], done)
        late = [worker for worker in self._workers if worker.page is not None]
        for worker in late:  # the deadline came first
            self._drop(worker)
        return done

    def _start_workers(self, wanted: int) -> None:
        """Start workers until there are as many as wanted."""
        try:
            while len(self._workers) < wanted:
                self._workers.append(_Worker(self._settings))
        except OSError:
            self._failed_starts += 1

    def _hand_out(self, pages: Sequence[Page], todo: deque[int]) -> None:
        """Give each idle worker a page."""
        idle = [worker for worker in self._workers if not worker.busy]
        for worker in idle[: len(todo)]:
            index = todo.popleft()
            page = pages[index]
            try:
                worker.pipe.send((index, replace(page, html=page.html[:MAX_SOURCE_CHARS])))
                worker.page = index
            except OSError:  # it exited while idle
                self._drop(worker)
                todo.appendleft(index)

    def _receive(self, worker: "_Worker", done: dict[int, PageRead]) -> None:
        """Handle a message of `worker`: that it is ready, or a page."""
        try:
            page_read: PageRead | None = worker.pipe.recv()
        except (EOFError, OSError):
            page_read = skipped(worker.why_it_ended())
            if worker.page is None:
                self._failed_starts += 1
            self._drop(worker)
        else:
            self._failed_starts = 0
        if worker.page is not None and page_read is not None:
            done[worker.page] = page_read
        worker.ready = True
        worker.page = None

    def _drop(self, worker: "_Worker") -> None:
        """End `worker`; another one starts with the next page."""
        self._workers.remove(worker)
        worker.end()


class _Worker:
    """One worker process: starting, idle, or at the page with index `page`."""

    def __init__(self, settings: WebSettings) -> None:
        """Start the process.

        Raises:
            OSError: no process can be created.
        """
        self.pipe, worker_end = Pipe()
        with worker_end:
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"{_SERVE}({worker_end.fileno()})"],
                cwd=_ROOT,
                pass_fds=[worker_end.fileno()],
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
        """Whether it is starting or reads a page."""
        return not self.ready or self.page is not None

    def why_it_ended(self) -> str:
        """The limit that it exceeded; `page worker` if it ended for another reason."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_SECONDS_TO_EXIT)
        reasons = {-signal.SIGPROF: "time limit", _OUT_OF_MEMORY: "memory limit"}
        return reasons.get(self.process.returncode, "page worker")

    def end(self) -> None:
        """Kill the process."""
        self.pipe.close()
        self.process.kill()
        self.process.wait()


def _end_workers(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().end()


_SERVE = "from models.web.page_workers import serve; serve"


def serve(descriptor: int) -> None:
    """Read pages in this worker process until the other end of the pipe is closed."""
    pipe = Connection(descriptor)
    settings: WebSettings = pipe.recv()
    max_bytes = settings.page_megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
    here = in_process(settings)
    pipe.send(None)
    try:
        while True:
            index, page = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, settings.page_seconds)  # SIGPROF kills the process
            page_read = here.read_one(page, index)
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send(page_read)
    except (EOFError, OSError):  # the caller has exited
        return
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
