"""The mock API as a child process: `with serve(Path("example_data/kg")) as url: ...`."""

import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from utils.errors import ApiUnavailable

READY_PREFIX = "mock API on "
ROOT = Path(__file__).resolve().parent.parent
_STDERR_LINES = 20


@contextmanager
def serve(data: Path, *, ready_s: float = 120.0) -> Iterator[str]:
    """Yield the base URL of a server over `data`; the server is stopped on every way out.

    Args:
        data: what `crag mock-api --data` takes: a folder of facts, or a ready SQLite file.
        ready_s: seconds the server may take until it accepts connections. A folder seen for the
            first time is converted within them, so a full-size KG is best imported beforehand.

    Raises:
        ApiUnavailable: it died or was not ready in time; the message ends with its last lines.
    """
    command = [sys.executable, "-m", "mock_api", "--data", str(data.resolve())]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [*command, "--port", "0", "--until-eof"],
            bufsize=0,
            cwd=ROOT,
            stdin=subprocess.PIPE,  # closes when this process ends, whatever ends it
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        try:
            yield _wait_ready(process, errors, ready_s)
        finally:
            process.kill()  # it keeps no state that this could damage


def _wait_ready(process: "subprocess.Popen[bytes]", errors: IO[bytes], seconds: float) -> str:
    """The base URL, once the server has printed that it accepts connections.

    Raises:
        ApiUnavailable: it ended, or was not ready in time.
    """
    end = time.monotonic() + seconds
    assert process.stdout is not None
    while select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
        line = process.stdout.readline().decode(errors="replace")
        if line.startswith(READY_PREFIX):
            return line.removeprefix(READY_PREFIX).strip()
        if not line:
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(max(0.0, end - time.monotonic()))
                raise ApiUnavailable(f"the server ended with status {status}{_last_lines(errors)}")
            break  # it closed its output, and still runs
    raise ApiUnavailable(f"not ready after {seconds:g} s{_last_lines(errors)}")


def _last_lines(errors: IO[bytes]) -> str:
    """The end of what the server wrote to stderr, for an error message."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").splitlines()
    if not lines:
        return ""
    return "; its last lines:\n" + "\n".join(lines[-_STDERR_LINES:])
