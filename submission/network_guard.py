"""Refuses and records Python's own connections to other machines; native code is not seen."""

import sys
from pathlib import Path
from typing import Any

LOCAL = ("localhost", "::1", "", None)


def guard_network(file: str) -> None:
    """From now on, refuse connections to other machines, and append each host to `file`."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host = arguments[1][0]
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            host = arguments[0]
        else:
            return
        if isinstance(host, bytes):
            host = host.decode()
        if host in LOCAL or str(host).startswith("127."):
            return
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(f"{host}\n")
        raise ConnectionRefusedError(f"no network here: {host}")

    sys.addaudithook(hook)
