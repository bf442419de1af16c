"""A tiny random Llama with three adapters, and each engine over it, made once a session.

llama.cpp has no such model: it gets the real SmolLM2, with random adapters.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks._random_llama import save_random
from models.llm.config import LLMSettings
from models.llm.errors import LLMError
from models.llm.gguf_export import export
from models.llm.gguf_model import find_gguf
from models.llm.llms import make_llm
from models.llm.protocol import LLM
from models.llm.server import LLMServer
from tests.models.llm.smollm2 import random_adapter, write_float32
from utils.deadline import Deadline
from utils.errors import CragError
from utils.packages import package

ENGINES = ("hf", "vllm", "openai", "real_llamacpp")
REAL_CONTEXT = 512  # of each of sixteen slots
CONTEXT = 8192  # Llama 3's own
MODEL = "tiny"
# What makes vLLM start in seconds on a CPU: no second process, a small cache, nothing compiled.
VLLM_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "TORCHDYNAMO_DISABLE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
}


@dataclass(frozen=True)
class Tiny:
    """The tiny model's folder, and its adapters' folders by name."""

    folder: Path
    adapters: dict[str, str]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    for name in ("torch", "transformers", "peft", "llguidance"):
        pytest.importorskip(name, reason=f"{name} is not installed: the extra test-engines")
    package("torch").set_num_threads(1)  # more only wait for each other on so small a model
    folder = tmp_path_factory.mktemp("tiny-llama")
    return Tiny(folder, save_random(folder, context=CONTEXT))


@pytest.fixture(scope="session")
def hf(tiny: Tiny) -> LLM:
    return make_llm(LLMSettings(f"hf:{tiny.folder}", tiny.adapters))


@pytest.fixture(scope="session")
def vllm(tiny: Tiny) -> Iterator[LLM]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in VLLM_ENVIRONMENT.items():
            patch.setenv(name, value)
        pytest.importorskip("vllm", reason="vLLM is not installed: the extra test-engines")
        yield make_llm(
            LLMSettings(f"vllm:{tiny.folder}", tiny.adapters, dtype="float32", eager=True)
        )


@dataclass
class Server:
    """A running vLLM server."""

    url: str
    process: "subprocess.Popen[bytes]"

    def kill(self) -> None:
        """End it and the engine's process beside it, which would outlive it."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="session")
def servers() -> Iterator[list[Server]]:
    """The servers started so far."""
    started: list[Server] = []
    yield started
    for server in started:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture
def server(tiny: Tiny, servers: list[Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The session's server; another one where a test has killed it."""
    pytest.importorskip("vllm", reason="vLLM is not installed: the extra test-engines")
    if not servers or servers[-1].process.poll() is not None:
        servers.append(start_server(tiny, tmp_path_factory.mktemp("server") / "log"))
    return servers[-1]


@pytest.fixture
def openai(server: Server, tiny: Tiny) -> LLM:
    names = {name: name for name in tiny.adapters}
    return make_llm(LLMSettings(f"openai:{server.url}#{MODEL}", names))


@pytest.fixture(scope="session")
def real(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """SmolLM2 as a folder, with adapters of the names of the tiny model's."""
    pytest.importorskip("gguf", reason="gguf is not installed: the extra llamacpp")
    try:
        file = find_gguf("smollm2")
    except LLMError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("smollm2")
    export(file, folder)
    adapters = {
        name: random_adapter(folder / name, seed) for seed, name in enumerate(tiny.adapters)
    }
    return Tiny(folder, adapters)


@pytest.fixture(scope="session")
def real_llamacpp(real: Tiny) -> LLM:
    """llama.cpp over SmolLM2 in float32: quantized weights are multiplied less exactly than the
    reference's."""
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: the extra llamacpp")
    file = real.folder / "float32.gguf"
    write_float32(find_gguf("smollm2"), file)
    settings = LLMSettings(f"llamacpp:{file}", real.adapters, context=REAL_CONTEXT, slots=16)
    return make_llm(settings)


@pytest.fixture(params=ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    """The fixture of each engine."""
    name: str = request.param
    return name


@pytest.fixture
def engine(request: pytest.FixtureRequest, engine_name: str) -> LLM:
    """Each of the engines."""
    llm: LLM = request.getfixturevalue(engine_name)
    return llm


def start_server(tiny: Tiny, log: Path) -> Server:
    """A vLLM server over the tiny model, once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--model", str(tiny.folder), "--served-model-name", MODEL]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    command += ["--dtype", "float32", "--enforce-eager", "--max-model-len", str(CONTEXT)]
    command += ["--structured-outputs-config"]
    command += ['{"backend": "guidance", "disable_any_whitespace": true}']
    # prompts are read whole: see engine_arguments in models/llm/vllm.py
    command += ["--no-enable-chunked-prefill", "--max-num-batched-tokens", str(2 * CONTEXT)]
    command += ["--enable-lora", "--max-lora-rank", "8", "--max-loras", str(len(tiny.adapters) + 1)]
    command += ["--lora-modules", *(f"{name}={path}" for name, path in tiny.adapters.items())]
    with log.open("wb") as output:
        streams: Any = {"stdout": output, "stderr": output}
        env = os.environ | VLLM_ENVIRONMENT
        process = subprocess.Popen(command, env=env, start_new_session=True, **streams)
    server = Server(f"http://127.0.0.1:{port}/v1", process)
    endpoint = LLMServer(server.url)
    end = Deadline.after(180)
    while process.poll() is None and not end.expired:
        try:
            endpoint.get("/models", Deadline.after(1))
            return server
        except CragError:
            time.sleep(0.2)
    if process.poll() is None:
        server.kill()
    raise RuntimeError(f"vLLM's server did not start: {log.read_text(errors='replace')[-3000:]}")
