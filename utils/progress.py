"""Progress of long work: one changing line on a terminal, elsewhere a line every ten seconds."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
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
    """

    done: int = 0
    says: str = ""
    resumed: int = 0
    total: int | None = None
    estimated: bool = False


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
    return ", ".join(parts)


def _counted(progress: Progress) -> str:
    if not progress.total:
        return str(progress.done)
    if progress.estimated:
        return f"{progress.done} of about {progress.total}"
    return f"{progress.done}/{progress.total}"


@contextmanager
def shown_on(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Show]:
    """A function to call after every item of work, which shows the progress on `console`.

    On a terminal it updates a line. Elsewhere it writes a line every ten seconds, and one at the
    end if the total is known.
    """
    start = clock()
    next_line_at = start
    last_written = Progress()
    with console.status("starting") if console.is_terminal else nullcontext() as status:

        def show(progress: Progress) -> None:
            nonlocal next_line_at, last_written
            now = clock()
            text = line(progress, now - start)
            if status is not None:
                status.update(text)
                return
            due = now >= next_line_at or progress.done == progress.total
            if due and progress != last_written:
                next_line_at = now + PLAIN_EVERY_S
                last_written = progress
                console.print(text, markup=False, highlight=False, soft_wrap=True)

        yield show


def shown(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items; the progress on stderr counts each one once the caller is done with it."""
    with shown_on(Console(stderr=True)) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(Progress(done, what, total=total))
