"""What the evaluator's machine has not: other machines, and the checkout beside the image's files.

Python's own connections and files are seen; native code is not.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

_SYSTEM = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc",
    "/proc",
    "/sys",
    "/dev",
    "/var",
    "/run",
)
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
        _append(file, host)
        raise ConnectionRefusedError(f"no network here: {host}")

    sys.addaudithook(hook)


def guard_checkout(root: str, weights: str, file: str) -> None:
    """From now on, hide the checkout at `root` except for its weights: forget it as a place of
    modules, refuse to open its files, and append each to `file`."""
    sys.path[:] = [place for place in sys.path if os.path.realpath(place or ".") != root]
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if "__editable__" not in _module_of(finder)
    ]
    visible = (weights, os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], (str, bytes)):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        is_inside = path.startswith(root + os.sep)
        if is_inside and not any(path.startswith(place + os.sep) for place in visible):
            _append(file, path[len(root) + 1 :])
            raise FileNotFoundError(2, "the image has no such file", path)

    sys.addaudithook(hook)


def watch_files(known: list[str], file: str) -> None:
    """From now on, append to `file` each file that was there before and is opened to be read, but
    lies neither in a folder of `known` nor where Python and the system keep theirs."""
    started = time.time()
    usual = [*known, *_SYSTEM, sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)]
    places = tuple({os.path.realpath(place) + os.sep for place in usual})
    seen: set[str] = set()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], (str, bytes)):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path in seen or path.startswith(places):
            return
        seen.add(path)
        if os.path.isfile(path) and os.path.getmtime(path) < started:
            _append(file, path)

    sys.addaudithook(hook)


def _module_of(finder: object) -> str:
    """The module that a finder comes from, which may be a class or an instance."""
    return str(getattr(finder, "__module__", "") or "")


def _append(file: str, line: object) -> None:
    with Path(file).open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")
