"""How far a run has come: a bar on a terminal, now and then a plain line elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

PLAIN_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Where a run stands. `total` is an estimate, or None; `resumed` were done by a run before."""

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
    """A function to call after every batch; what it shows is gone or final at the end."""
    start = clock()
    if not console.is_terminal:
        yield _plain(console, start, clock)
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("starting", total=None)

        def show(tally: Tally) -> None:
            text = line(tally, clock() - start)
            bar.update(task, description=text, completed=tally.done, total=tally.total)

        yield show


def _plain(console: Console, start: float, clock: Callable[[], float]) -> Show:
    """A line every ten seconds, and one at the end."""
    due, shown = start, Tally()

    def show(tally: Tally) -> None:
        nonlocal due, shown
        now = clock()
        if tally != shown and (now >= due or tally.done == tally.total):
            due, shown = now + PLAIN_EVERY_S, tally
            console.print(line(tally, now - start), markup=False, highlight=False, soft_wrap=True)

    return show
