"""Progress of long work: a bar on a terminal, elsewhere a plain line every few seconds."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import track

PLAIN_EVERY_S = 15.0
T = TypeVar("T")


def shown(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, each counted on stderr once the caller is done with it."""
    console = Console(stderr=True)
    if console.is_terminal:
        yield from track(items, what, total, console=console)
        return
    start = last = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        if (now := time.monotonic()) - last >= PLAIN_EVERY_S:
            last = now
            of = "" if total is None else f"/{total}"
            sys.stderr.write(f"{what}: {done}{of}, {now - start:.0f} s\n")
