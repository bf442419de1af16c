"""Progress of long work: one changing line on a terminal, elsewhere a line every ten seconds."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from rich.console import Console

PLAIN_EVERY_S = 10.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a piece of work is done.

    Attributes:
        done: the number of finished items.
        says: what is counted, or a figure so far.
        resumed: how many of the `done` items come from an interrupted run.
        total: the number of all items; None: unknown.
        estimated: the total is an estimate.
        under_way: what is being done now, in words.
    """

    done: int = 0
    says: str = ""
    resumed: int = 0
    total: int | None = None
    estimated: bool = False
    under_way: str = ""


Show = Callable[[Progress], None]


def line(progress: Progress, elapsed: float) -> str:
    """The progress in words, with items a second and the time left; `elapsed` in seconds."""
    done = progress.done
    total = progress.total
    parts = [_counted(progress), progress.says]
    done_in_this_run = done - progress.resumed
    if done_in_this_run > 0 and elapsed > 0:
        rate = done_in_this_run / elapsed
        parts.append(f"{rate:.2f}/s")
        if total:
            seconds_left = round((total - done) / rate)
            parts.append(f"{timedelta(seconds=seconds_left)} left")
    if progress.under_way:
        parts.append(progress.under_way)
    return ", ".join(filter(None, parts))


def _counted(progress: Progress) -> str:
    if not progress.total:
        return str(progress.done)
    if progress.estimated:
        return f"{progress.done} of about {progress.total}"
    return f"{progress.done}/{progress.total}"


@contextmanager
def shown_on(
    console: Console,
    clock: Callable[[], float] = time.monotonic,
    every_s: float = PLAIN_EVERY_S,
) -> Iterator[Show]:
    """A function to call, from any thread, after every item of work: it shows the progress.

    On a terminal it updates a line. Elsewhere it writes a line every ten seconds, even if nothing
    has happened while work is under way, and one at the end if the total is known.
    """
    with console.status("starting") if console.is_terminal else nullcontext() as status:
        if status is not None:
            start = clock()
            yield lambda progress: status.update(line(progress, clock() - start))
            return
        lines = _PlainLines(console, clock, every_s)
        over = threading.Event()
        threading.Thread(target=lines.repeat_until, args=(over,), daemon=True).start()
        try:
            yield lines.show
        finally:
            over.set()


class _PlainLines:
    """The progress as lines of a log."""

    def __init__(self, console: Console, clock: Callable[[], float], every_s: float) -> None:
        self._console = console
        self._clock = clock
        self._every_s = every_s
        self._start = clock()
        self._next_at = self._start
        self._latest = Progress()
        self._written = Progress()
        self._lock = threading.Lock()

    def show(self, progress: Progress) -> None:
        """Write a line, if it is time for one or all is done."""
        with self._lock:
            self._latest = progress
            now = self._clock()
            all_done = progress.done == progress.total and not progress.under_way
            if (now >= self._next_at or all_done) and progress != self._written:
                self._write(line(progress, now - self._start), now)

    def repeat_until(self, over: threading.Event) -> None:
        """Write a line whenever nothing was written for long while work is under way."""
        while not over.wait(self._every_s):
            with self._lock:
                now = self._clock()
                if self._latest.under_way and now >= self._next_at:
                    elapsed = now - self._start
                    text = line(self._latest, elapsed)
                    self._write(f"{text}, {timedelta(seconds=round(elapsed))} so far", now)

    def _write(self, text: str, now: float) -> None:
        self._next_at = now + self._every_s
        self._written = self._latest
        with suppress(OSError):  # nobody reads it any more; the work goes on
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def shown(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items; the progress on stderr counts each one once the caller is done with it."""
    with shown_on(Console(stderr=True)) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(Progress(done, what, total=total))
