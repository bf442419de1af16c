"""A model of the official kit's form, in a process of its own.

The process runs this file by its path and imports nothing of this project, so that code whose
package is also called `models` can be evaluated. Both sides talk in JSON lines.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from select import select
from typing import IO, Any

SECONDS_TO_START = 900.0  # weights are read then


class ModelProcess:
    """Runs `FOLDER:module:Class`: a constructor without arguments, `get_batch_size` and
    `batch_generate_answer`.

    A batch that takes longer than the contest allows ends the process; so may the model's own
    crash. The batch has then failed, and the next one starts the process again.
    """

    def __init__(self, spec: str, seconds_per_question: float) -> None:
        """Start it. Raises ValueError for another form of `spec`, RuntimeError if it cannot."""
        folder, _, rest = spec.rpartition(":")[0].rpartition(":")
        self._folder = Path(folder or ".").resolve()
        self._name = f"{rest}:{spec.rpartition(':')[2]}"
        if not rest or not self._folder.is_dir():
            raise ValueError(f"{spec!r}: [FOLDER:]module:Class is wanted, FOLDER a folder")
        self._seconds = seconds_per_question
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._size = self._ask({"batch_size": True}, SECONDS_TO_START)
            if not isinstance(self._size, int):
                raise RuntimeError(
                    f"{self._name}: get_batch_size gave {self._size!r}, not a number"
                )
        except BaseException:
            self.close()
            raise

    def get_batch_size(self) -> int:
        size: int = self._size
        return size

    def batch_generate_answer(self, batch: Mapping[str, Any]) -> Any:
        """What the model answers. Raises RuntimeError, TimeoutError."""
        if self._process is None:
            self._ask({"batch_size": True}, SECONDS_TO_START)
        return self._ask({"batch": batch}, self._seconds * max(1, len(batch["query"])))

    def close(self) -> None:
        """End the process and those that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (self._requests, self._replies):
            with suppress(OSError):  # what was not sent
                pipe.close()

    def _start(self) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        command = [sys.executable, __file__, self._name, str(theirs_in), str(theirs_out)]
        self._process = subprocess.Popen(
            command,
            cwd=self._folder,
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # one group with what it starts
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._requests, self._replies = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")

    def _ask(self, request: Mapping[str, Any], seconds: float) -> Any:
        if self._process is None:
            self._start()
        line = b""
        with suppress(BrokenPipeError):
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
            ready = self._wait(seconds)
            if not ready:
                self.close()
                raise TimeoutError(f"{self._name}: no reply within {seconds:g} s")
            if self._replies in ready:
                line = self._replies.readline()
        if not line.endswith(b"\n"):
            process = self._process
            self.close()
            status = process.returncode if process is not None else None
            raise RuntimeError(f"{self._name}: its process ended with status {status}")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(f"{self._name}: {reply['error']}")
        return reply["result"]

    def _wait(self, seconds: float) -> list[Any]:
        """What comes first: a reply, or the end of the process; nothing if neither does."""
        assert self._process is not None
        ended = os.pidfd_open(self._process.pid)
        try:
            waiting: list[Any] = [self._replies, ended]
            return select(waiting, [], [], seconds)[0]
        finally:
            os.close(ended)


def serve(name: str, requests: IO[bytes], replies: IO[bytes]) -> None:
    """The other side: one reply per request until there are no more."""
    model: Any = None
    for line in requests:
        request = json.loads(line)
        try:
            if model is None:
                module, _, kind = name.partition(":")
                model = getattr(importlib.import_module(module), kind)()
            if "batch" in request:
                result = model.batch_generate_answer(request["batch"])
            else:
                result = model.get_batch_size()
            reply = json.dumps({"result": result})
        except Exception as error:  # noqa: BLE001 - any model may be run: its error is its reply
            reply = json.dumps({"error": f"{type(error).__name__}: {error}"})
        replies.write(reply.encode() + b"\n")
        replies.flush()


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # not this file's folder
    _name, _in, _out = sys.argv[1:]
    serve(_name, os.fdopen(int(_in), "rb"), os.fdopen(int(_out), "wb"))
