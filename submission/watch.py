"""Python's own connections to anywhere but this machine, refused and written down.

`SITE` is a sitecustomize: every Python process that has its folder on PYTHONPATH watches itself,
those that an engine starts too. What native libraries do is not seen.
"""

import sys
from pathlib import Path
from typing import Any

LOCAL = ("localhost", "127.0.0.1", "::1", "", None)
SITE = "from submission.watch import watch\nwatch({file!r})\n"


class Refused(ConnectionRefusedError):
    """A connection to elsewhere, which the evaluator has not."""


def watch(file: str) -> None:
    """From now on, refuse what leaves this machine, and add a line to `file` that says where to."""

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host = arguments[1][0]
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            host = arguments[0]
        else:
            return
        host = host.decode() if isinstance(host, bytes) else host
        if host in LOCAL or str(host).startswith("127."):
            return
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(f"{host}\n")
        raise Refused(f"no network here: {host}")

    sys.addaudithook(look)
