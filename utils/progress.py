"""Progress of long work: a line that changes on a terminal, a line every ten seconds elsewhere."""

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
    """How far work is.

    Attributes:
        says: what is counted, or a figure so far.
        resumed: how many of `done` come from an interrupted run.
        total: may be an estimate; None: unknown.
    """

    done: int = 0
    says: str = ""
    resumed: int = 0
    total: int | None = None


Show = Callable[[Progress], None]


def line(progress: Progress, elapsed: float) -> str:
    """The progress in words, with items a second and the time left; `elapsed` in seconds."""
    done, total = progress.done, progress.total
    words = [f"{done}/{total}" if total else str(done), progress.says]
    fresh = done - progress.resumed
    if fresh > 0 and elapsed > 0:
        rate = fresh / elapsed
        words.append(f"{rate:.2f}/s")
        if total:
            words.append(f"{timedelta(seconds=round((total - done) / rate))} left")
    return ", ".join(words)


@contextmanager
def shown_on(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Show]:
    """A function to call after every piece of work: it updates the line of a terminal; elsewhere it
    writes a line every ten seconds, and one at the end where the total is known."""
    start = due = clock()
    shown = Progress()
    with console.status("starting") if console.is_terminal else nullcontext() as status:

        def show(progress: Progress) -> None:
            nonlocal due, shown
            now = clock()
            text = line(progress, now - start)
            if status is not None:
                status.update(text)
            elif progress != shown and (now >= due or progress.done == progress.total):
                due, shown = now + PLAIN_EVERY_S, progress
                console.print(text, markup=False, highlight=False, soft_wrap=True)

        yield show


def shown(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, each counted on stderr once the caller is done with it."""
    with shown_on(Console(stderr=True)) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(Progress(done, what, total=total))
