"""A model of the official kit's form, in a process of its own.

The process runs this file by its path and imports nothing of this project, so that code whose
package is also called `models` can be evaluated. The protocol is JSON lines.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from select import select
from typing import IO, Any

# What tells a model where the KG is: the contest's variable, and that of the official wrapper.
KG_VARIABLES = ("CRAG_MOCK_API_URL", "CRAG_SERVER")
# Packages of this project; those of a model's own with these names are used instead.
OUR_PACKAGES = (
    "benchmarks",
    "evaluation",
    "mock_api",
    "models",
    "playground",
    "submission",
    "training",
    "utils",
)
SECONDS_TO_START = 900.0  # weights are loaded
_SECONDS_TO_END = 2.0  # after its output has ended
_POLL = 0.2  # seconds between two looks at whether the process has ended


class ModelFailed(RuntimeError):
    """The model raised, whose process shows the traceback, or its process ended. A resumed run asks
    its questions again, since the model may have been repaired."""


class ModelTimeout(ModelFailed):
    """The model exceeded its time; its process was ended."""


class ModelGone(ModelFailed):
    """The model's process ended before, and cannot be started again."""

    of_setup = True


class ModelProcess:
    """A model `FOLDER:module:Class` or `FILE.py:Class` in its own process, with the interface of a
    `UserModel`.

    A batch that takes longer than the contest allows ends the process, as may a crash of the model.
    The batch has then failed, and the next one starts the process again.
    """

    def __init__(self, spec: str, seconds_per_question: float, kg_url: str | None = None) -> None:
        """Nothing is started yet: the first request starts the process.

        Args:
            spec: the model.
            seconds_per_question: the most, for each question of a batch.
            kg_url: the KG API, which the process finds in `KG_VARIABLES`; None: there is none.

        Raises:
            ValueError: `spec` is of another form, or its folder does not exist.
        """
        path, _, class_name = spec.rpartition(":")
        folder, _, module = path.rpartition(":")
        if path.endswith(".py"):
            if not Path(path).is_file():
                raise ValueError(f"{spec!r}: there is no file {path}")
            folder = str(Path(path).parent)
            module = Path(path).stem
        self._folder = Path(folder or ".").resolve()
        self._name = f"{module}:{class_name}"
        if not module or not self._folder.is_dir():
            raise ValueError(
                f"{spec!r}: expected [FOLDER:]module:Class, where FOLDER exists, or FILE.py:Class"
            )
        self._seconds = seconds_per_question
        self._variables = dict.fromkeys(KG_VARIABLES, kg_url) if kg_url else {}
        self._process: subprocess.Popen[bytes] | None = None

    def get_batch_size(self) -> int:
        """What the model answers.

        Raises:
            ModelFailed: the model raised, its process ended, or the answer is not a number.
            ModelTimeout: the model did not start in time.
        """
        size = self._ask({"batch_size": True}, SECONDS_TO_START)
        if not isinstance(size, int):
            raise ModelFailed(f"{self._name}: get_batch_size gave {size!r}, not a number")
        return size

    def batch_generate_answer(self, batch: Mapping[str, Any]) -> Any:
        """What the model answers.

        Raises:
            ModelFailed: the model raised, or its process ended.
            ModelTimeout: the model exceeded its time; its process was ended.
            ModelGone: its process ended before, and cannot be started again.
        """
        if self._process is None:
            try:
                self._ask({"batch_size": True}, SECONDS_TO_START)
            except ModelFailed as error:
                self.close()
                raise ModelGone(f"it cannot be started again: {error}") from error
        return self._ask({"batch": batch}, self._seconds * max(1, len(batch["query"])))

    def close(self) -> int | None:
        """End the process and those that it started; its exit status."""
        process = self._process
        if process is None:
            return None
        self._process = None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(BrokenPipeError), process:  # what was not sent is lost
            process.wait()
        return process.returncode

    def _ask(self, request: Mapping[str, Any], seconds: float) -> Any:
        """The model's reply to one request, within `seconds`."""
        if self._process is None:
            self._process = self._start()
        line = b""
        with suppress(BrokenPipeError):
            line = self._exchange(self._process, json.dumps(request).encode() + b"\n", seconds)
        if not line.endswith(b"\n"):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_SECONDS_TO_END)  # its own status, not that of its end by us
            status = self.close()
            raise ModelFailed(f"{self._name}: its process ended with status {status}")
        reply = json.loads(line)
        if "error" in reply:
            raise ModelFailed(f"{self._name}: {reply['error']}")
        return reply["result"]

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, __file__, self._name],
            cwd=self._folder,
            env={**os.environ, **self._variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # one group with what it starts
        )

    def _exchange(self, process: "subprocess.Popen[bytes]", line: bytes, seconds: float) -> bytes:
        """Send a line, and return the line that answers it; empty if the process ended."""
        requests = process.stdin
        replies = process.stdout
        assert requests is not None and replies is not None
        requests.write(line)
        requests.flush()
        deadline = time.monotonic() + seconds
        while not select([replies], [], [], min(_POLL, seconds))[0]:
            # What the process started may hold its output open beyond its end.
            if process.poll() is not None:
                return b""
            if time.monotonic() > deadline:
                self.close()
                raise ModelTimeout(f"{self._name}: no reply within {seconds:g} s")
        return replies.readline()


class _FolderFirst:
    """Finds packages that are called like ours in the model's own folder.

    The official kit's `models` and `utils` have no `__init__.py`, so that Python would prefer
    installed packages of these names: ours.
    """

    def __init__(self, folder: str) -> None:
        """`folder`: the model's, which may change the working directory."""
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        """The package in the folder, if it is called like one of ours."""
        return PathFinder.find_spec(name, [self._folder]) if name in OUR_PACKAGES else None


def _as_list(answers: Any) -> Any:
    """Answers in an order, such as an array or what a generator yields, as a list."""
    is_ordered = hasattr(answers, "__next__") or hasattr(answers, "__getitem__")
    if not is_ordered or isinstance(answers, (str, bytes, dict)):
        return answers
    return [str(each) if isinstance(each, str) else each for each in answers]


def serve(name: str, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer each request with a line, until there are no more: the side of the model's process."""
    model: Any = None
    shown: set[str] = set()
    for line in requests:
        request = json.loads(line)
        try:
            if model is None:
                module, _, class_name = name.partition(":")
                model = getattr(importlib.import_module(module), class_name)()
            if "batch" in request:
                result = _as_list(model.batch_generate_answer(request["batch"]))
            else:
                result = model.get_batch_size()
            reply = json.dumps({"result": result})
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any model's error is its reply
            message = f"{type(error).__name__}: {error}"
            if message not in shown:
                traceback.print_exc()
                shown.add(message)
            reply = json.dumps({"error": message})
        replies.write(reply.encode() + b"\n")
        replies.flush()


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # not this file's folder
    sys.meta_path.insert(0, _FolderFirst(sys.path[0]))
    _requests = os.fdopen(os.dup(0), "rb")
    _replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what the model prints is no reply
    serve(sys.argv[1], _requests, _replies)
