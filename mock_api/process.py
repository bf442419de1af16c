"""The mock API as a child process: `with serve(Path("example_data/kg")) as url: ...`."""

import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
        ApiUnavailable: it died or was not ready in time; the message ends with its last lines.
    """
    child = Child(data, port=port)
    try:
        yield child.wait_ready(ready_s)
    finally:
        child.stop()


class Child:
    """A running `python -m mock_api`. Its output is drained, so that it can never block."""

    def __init__(self, data: Path, *, port: int = 0) -> None:
        command = [sys.executable, "-m", "mock_api", "--data", str(data.resolve())]
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--until-eof"],
            cwd=ROOT,
            stdin=subprocess.PIPE,  # its end, however this process ends, is the server's signal
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            errors="replace",
        )
        self._urls: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True, name="mock-api-pipe")
        self._reader.start()

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
            raise ApiUnavailable(f"the server ended with status {code}{self._tail()}")
        return url

    def stop(self) -> None:
        """End the process: politely, then not."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_STOP_S)
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._said.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if line.startswith(READY_PREFIX):
                    self._urls.put(line.removeprefix(READY_PREFIX).strip())
        self._urls.put(None)

    def _tail(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").splitlines()[-_STDERR_LINES:]
        return "; its last lines:\n" + "\n".join(lines) if lines else ""
