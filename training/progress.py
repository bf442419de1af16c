"""How far training has come: bars on a terminal, now and then a plain line elsewhere."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_EVERY_S = 15.0


class Bars:
    """Bars, one a piece of work, on `console`."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        columns = (TextColumn("{task.description}"), BarColumn())
        self._progress = Progress(
            *columns, MofNCompleteColumn(), TimeRemainingColumn(), console=console
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._progress.stop()

    def bar(self, what: str, total: int | None) -> Callable[[int], None]:
        """A function to call with how many are done."""
        if not self._console.is_terminal:
            return self._plain(what, total)
        task = self._progress.add_task(what, total=total)
        return lambda done: self._progress.update(task, completed=done)

    def _plain(self, what: str, total: int | None) -> Callable[[int], None]:
        start = last = self._clock()

        def show(done: int) -> None:
            nonlocal last
            now = self._clock()
            if done == total or now - last >= PLAIN_EVERY_S:
                last = now
                of = "" if total is None else f"/{total}"
                line = f"{what}: {done}{of}, {now - start:.0f} s"
                self._console.print(line, markup=False, highlight=False, soft_wrap=True)

        return show
