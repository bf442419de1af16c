"""llama.cpp's server in this process (xllamacpp), for GGUF models on any CPU, without torch."""

import logging
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.llm.config import LLMSettings
from models.llm.errors import ModelMissing, ServerUnavailable
from models.llm.gguf_adapter import converted_adapter
from models.llm.gguf_model import INSTALL, find_gguf
from models.llm.openai import OpenAILLM
from models.llm.server import LLMServer
from utils.deadline import Deadline
from utils.packages import package

_LOOK_SECONDS = 0.3  # how long the cores are watched
_START_SECONDS = 60.0  # for the first requests to a server that has loaded its model
_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds of CPU per period
_SILENT = -1  # llama.cpp's verbosity: errors reach the caller as replies

_log = logging.getLogger(__name__)


class LlamaCppLLM(OpenAILLM):
    """The client of a llama.cpp server that lives as long as it does."""

    def __init__(self, server: Any, endpoint: LLMServer, settings: LLMSettings) -> None:
        """A client of xllamacpp's `server` at `endpoint`.

        Raises:
            ServerUnavailable: the server does not answer.
        """
        super().__init__(endpoint, settings, caches_by_adapter=True)
        self._server = server  # stops when nothing refers to it
        self._recognise(Deadline.after(_START_SECONDS))
        if self._llama_cpp is None:
            raise ServerUnavailable(f"llama.cpp did not answer in {_START_SECONDS:.0f} s")

    @classmethod
    def load(cls, settings: LLMSettings, api_key: str | None = None) -> "LlamaCppLLM":
        """The engine of `llamacpp:PATH`, a GGUF file or the name of a packaged model.

        Raises:
            ModelMissing: the model or an adapter does not exist, or cannot be loaded.
            AdapterIncompatible: an adapter does not fit the model.
            MissingPackageError: xllamacpp is not installed, or gguf, for adapters.
            ServerUnavailable: it does not answer.
        """
        model = find_gguf(settings.place)
        adapters = [
            converted_adapter(name, path, model) for name, path in settings.adapters.items()
        ]
        key = secrets.token_hex()  # other users of this machine can reach the port
        server = start_server(model, adapters, settings, api_key=key)
        endpoint = LLMServer(f"{server.listening_address}/v1", key)
        client = replace(
            settings,
            spec=f"openai:{endpoint.url}#{settings.place}",
            adapters={name: f"lora:{number}" for number, name in enumerate(settings.adapters)},
            workers=settings.slots,
        )
        return cls(server, endpoint, client)


def idle_cores() -> int:
    """The cores, of those that this process may use, that no other work occupies now; at least 1.

    A thread that waits for its core holds up all others: with two threads on two busy cores, 16
    tokens take 30 s or more, with one thread a second.
    """
    psutil = package("psutil", INSTALL)
    shares: list[float] = psutil.cpu_percent(interval=_LOOK_SECONDS, percpu=True)
    cores: Sequence[int] = range(len(shares))
    if hasattr(os, "sched_getaffinity"):
        cores = [core for core in os.sched_getaffinity(0) if core < len(shares)] or cores
    allowed = min(len(cores), _allowed_cores())
    idle = round(sum(100 - shares[core] for core in cores) / 100)
    threads = max(1, min(idle, allowed))
    if threads < allowed:
        _log.warning(
            "llama.cpp uses %d of %d cores, as the others are busy; to choose: "
            "--set llms.default.threads=N (crag model serve: --threads N)",
            threads,
            allowed,
        )
    return threads


def _allowed_cores() -> int:
    """The cores' worth of time that a container may use; a large number: any."""
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        return max(1, int(quota) // int(period))
    except (OSError, ValueError):  # no such file; "max 100000"
        return sys.maxsize


def start_server(
    model: Path,
    adapters: Sequence[Path],
    settings: LLMSettings,
    *,
    api_key: str | None = None,
    port: int = 0,
) -> Any:
    """A running server on this machine alone; it stops when nothing refers to it.

    Args:
        model: a GGUF file.
        adapters: GGUF files; none is used by a request that does not name it.
        settings: context, slots and threads.
        api_key: that requests need; None: none.
        port: 0: any that is free.

    Raises:
        ModelMissing: llama.cpp cannot load the model or an adapter.
        MissingPackageError: xllamacpp is not installed.
    """
    xllamacpp = package("xllamacpp", INSTALL)
    threads = settings.threads or idle_cores()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.model_alias = {settings.place}
    parameters.n_parallel = settings.slots
    parameters.n_ctx = settings.slots * settings.context if settings.context else 0
    for pool in (parameters.cpuparams, parameters.cpuparams_batch):
        pool.n_threads = threads
        pool.poll = 0  # threads that wait must not spin: other work has the same cores
    lora = xllamacpp.CommonAdapterLoraInfo
    parameters.lora_adapters = [lora(str(path), scale=0.0) for path in adapters]
    # The cache in memory would give one adapter's prompt to another (llama.cpp issue 26207). Each
    # slot's own cache is emptied when its adapter changes.
    parameters.cache_ram_mib = 0
    parameters.cache_idle_slots = False
    parameters.api_keys = [api_key] if api_key else []
    parameters.port = port
    parameters.ui = False
    parameters.verbosity = _SILENT
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        names = ", ".join(map(str, (model, *adapters)))
        raise ModelMissing(f"llama.cpp cannot load {names}: {error}") from error
