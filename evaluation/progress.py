"""The progress of a run: a line that changes on a terminal, a line every ten seconds elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console

PLAIN_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of a run so far. `resumed`: of an interrupted run; `total`: an estimate, or None."""

    done: int = 0
    correct: int = 0
    wrong: int = 0
    resumed: int = 0
    total: int | None = None


Show = Callable[[Tally], None]


def line(tally: Tally, elapsed: float) -> str:
    """The tally in words: score so far, questions a second, time left; `elapsed` in seconds."""
    score = (tally.correct - tally.wrong) / tally.done if tally.done else 0.0
    words = [
        f"{tally.done}/{tally.total}" if tally.total else str(tally.done),
        f"score {score:+.1%}",
    ]
    fresh = tally.done - tally.resumed
    if fresh > 0 and elapsed > 0:
        rate = fresh / elapsed
        words.append(f"{rate:.2f}/s")
        if tally.total:
            left = timedelta(seconds=round((tally.total - tally.done) / rate))
            words.append(f"{left} left")
    return ", ".join(words)


@contextmanager
def shown_on(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Show]:
    """A function to call after every batch: it updates the line of a terminal; elsewhere it writes
    a line every ten seconds, and one at the end."""
    start = due = clock()
    shown = Tally()
    with console.status("starting") if console.is_terminal else nullcontext() as status:

        def show(tally: Tally) -> None:
            nonlocal due, shown
            now = clock()
            text = line(tally, now - start)
            if status is not None:
                status.update(text)
            elif tally != shown and (now >= due or tally.done == tally.total):
                due, shown = now + PLAIN_EVERY_S, tally
                console.print(text, markup=False, highlight=False, soft_wrap=True)

        yield show
