"""Progress of long work: bars on a terminal, elsewhere a plain line every few seconds."""

import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_EVERY_S = 15.0
Show = Callable[[int], None]  # called with how much is done


class Bars(Progress):
    """A bar for each piece of work, on `console`."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn())
        super().__init__(
            *(*columns, MofNCompleteColumn(), TimeRemainingColumn()),
            console=console,
            disable=not console.is_terminal,
        )

    def bar(self, what: str, total: int | None) -> Show:
        """A function to call with how many are done."""
        if not self.console.is_terminal:
            return self._plain(what, total)
        task = self.add_task(what, total=total)
        return lambda done: self.update(task, completed=done)

    def _plain(self, what: str, total: int | None) -> Show:
        start = last = time.monotonic()

        def show(done: int) -> None:
            nonlocal last
            now = time.monotonic()
            if done == total or now - last >= PLAIN_EVERY_S:
                last = now
                of = "" if total is None else f"/{total}"
                line = f"{what}: {done}{of}, {now - start:.0f} s"
                self.console.print(line, markup=False, highlight=False, soft_wrap=True)

        return show
