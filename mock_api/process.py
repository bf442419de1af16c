"""The mock API as a child process: `with serve(Path("example_data/kg")) as url: ...`."""

import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from utils.errors import ApiUnavailable

READY_PREFIX = "mock API on "
ROOT = Path(__file__).resolve().parent.parent
_STDERR_LINES = 20
_STOP_S = 5.0


@contextmanager
def serve(data: Path, *, port: int = 0, ready_s: float = 120.0) -> Iterator[str]:
    """Yield the base URL of a server over `data`; the server is stopped on every way out.

    Args:
        data: what `python -m mock_api --data` takes: a folder of facts, or a ready SQLite file.
        port: the TCP port on 127.0.0.1; 0 takes a free one.
        ready_s: seconds the server may take until it accepts connections. A folder seen for the
            first time is converted within them, so a full-size KG is best imported beforehand.

    Raises:
        ApiUnavailable: it died or was not ready in time; the message ends with its last words.
    """
    child = Child(data, port=port)
    try:
        yield child.wait_ready(ready_s)
    finally:
        child.stop()


class Child:
    """A running `python -m mock_api`, with both its pipes drained so that it can never block."""

    def __init__(self, data: Path, *, port: int = 0) -> None:
        command = [sys.executable, "-m", "mock_api", "--data", str(data.resolve())]
        self._process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--until-eof"],
            cwd=ROOT,
            stdin=subprocess.PIPE,  # its end, however this process ends, is the server's signal
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self._urls: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._last_words: deque[str] = deque(maxlen=_STDERR_LINES)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._drains = [
            _drain(self._process.stdout, self._on_stdout, self._on_end),
            _drain(self._process.stderr, self._last_words.append, lambda: None),
        ]

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_ready(self, seconds: float) -> str:
        """The base URL, once the server has said that it accepts connections."""
        try:
            url = self._urls.get(timeout=seconds)
        except queue.Empty:
            raise ApiUnavailable(f"not ready after {seconds:g} s{self._tail()}") from None
        if url is None:
            code = self._process.wait(_STOP_S)
            self._drains[1].join(_STOP_S)
            raise ApiUnavailable(f"the server ended with status {code}{self._tail()}")
        return url

    def stop(self) -> None:
        """End the process: politely, then not."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for thread in self._drains:
            thread.join(_STOP_S)
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _on_stdout(self, line: str) -> None:
        if line.startswith(READY_PREFIX):
            self._urls.put(line.removeprefix(READY_PREFIX).strip())

    def _on_end(self) -> None:
        self._urls.put(None)

    def _tail(self) -> str:
        return "; its last words:\n" + "".join(self._last_words) if self._last_words else ""


def _drain(
    pipe: IO[str], on_line: Callable[[str], None], on_end: Callable[[], None]
) -> threading.Thread:
    """Read `pipe` to its end on a thread of its own, and close it."""

    def run() -> None:
        with pipe:
            for line in pipe:
                on_line(line)
        on_end()

    thread = threading.Thread(target=run, daemon=True, name="mock-api-pipe")
    thread.start()
    return thread
