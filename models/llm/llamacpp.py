"""llama.cpp's server in this process (xllamacpp), for GGUF models on any CPU, without torch."""

import os
import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.llm.config import LLMSettings
from models.llm.constraints import check_prompts
from models.llm.dialects import llama_cpp
from models.llm.errors import ModelMissing
from models.llm.gguf_adapter import converted_adapter
from models.llm.gguf_model import INSTALL, find_gguf
from models.llm.openai import Encodings, OpenAILLM
from models.llm.protocol import Completion, Prompt
from models.llm.server import LLMServer
from utils.deadline import Deadline
from utils.packages import package

_QUICK_SECONDS = 5.0  # for requests that generate nothing
_SILENT = -1  # llama.cpp's verbosity: errors reach the caller as replies


class LlamaCppLLM(OpenAILLM):
    """The client of a llama.cpp server that lives as long as it does.

    The server chooses adapters per request. It computes requests with different adapters one after
    the other, so that prompts are sent adapter by adapter.
    """

    def __init__(self, server: Any, endpoint: LLMServer, settings: LLMSettings) -> None:
        """A client of xllamacpp's `server`, which has the adapters of `settings` in their order.

        Raises:
            ServerUnavailable: the server does not answer.
        """
        props = endpoint.get_root("/props", Deadline.after(_QUICK_SECONDS))
        body = {"content": props["eos_token"], "parse_special": True, "add_special": False}
        end = endpoint.post_root("/tokenize", body, Deadline.after(_QUICK_SECONDS))["tokens"][0]
        super().__init__(endpoint, settings, llama_cpp(end))
        self._server = server  # stops when nothing refers to it
        self._numbers = {name: number for number, name in enumerate(settings.adapters)}
        self._context = int(props["default_generation_settings"]["n_ctx"])
        self._one_sample = True  # several at once would need as many free slots

    @classmethod
    def load(cls, settings: LLMSettings, api_key: str | None = None) -> "LlamaCppLLM":
        """The engine of `llamacpp:PATH`, a GGUF file or the name of a packaged model.

        Raises:
            ModelMissing: the model or an adapter does not exist, or cannot be loaded.
            AdapterIncompatible: an adapter does not fit the model.
            MissingPackageError: xllamacpp is not installed, or gguf, for adapters.
        """
        model = find_gguf(settings.place)
        adapters = [
            converted_adapter(name, path, model) for name, path in settings.adapters.items()
        ]
        key = secrets.token_hex()  # other users of this machine can reach the port
        server = start_server(model, adapters, settings, api_key=key)
        endpoint = LLMServer(f"{server.listening_address}/v1", key)
        served = {name: settings.place for name in settings.adapters}
        client = replace(
            settings,
            spec=f"openai:{endpoint.url}#{settings.place}",
            adapters=served,
            workers=settings.slots,
        )
        return cls(server, endpoint, client)

    def count(self, text: str) -> int:
        """Tokens in `text`, by the model's own tokenizer."""
        body = {"content": text, "parse_special": False}
        return self._tokens(body)

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt as the model reads it."""
        body = {"messages": self._messages(prompt.messages)}
        deadline = Deadline.after(_QUICK_SECONDS)
        reply = self._endpoint.post_root("/apply-template", body, deadline)
        return self._tokens({"content": reply["prompt"], "parse_special": True})

    def _tokens(self, body: dict[str, Any]) -> int:
        reply = self._endpoint.post_root("/tokenize", body, Deadline.after(_QUICK_SECONDS))
        return len(reply["tokens"])

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion per prompt, in order; see the protocol."""
        check_prompts(prompts, self._names)
        indices_by_adapter: dict[str | None, list[int]] = defaultdict(list)
        for index, prompt in enumerate(prompts):
            indices_by_adapter[prompt.adapter].append(index)
        completions: dict[int, Completion] = {}
        for indices in indices_by_adapter.values():
            group = [prompts[index] for index in indices]
            group_completions = super().generate(group, deadline=deadline)
            completions.update(zip(indices, group_completions, strict=True))
        return [completions[index] for index in range(len(prompts))]

    def _body(self, prompt: Prompt, encodings: Encodings) -> dict[str, Any]:
        """The request, with the scale of every adapter: the server keeps that of one not named."""
        body = super()._body(prompt, encodings)
        body["lora"] = [
            {"id": number, "scale": 1.0 if name == prompt.adapter else 0.0}
            for name, number in self._numbers.items()
        ]
        return body


def _usable_cores() -> int:
    """The cores that this process may use: a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    threads = settings.threads or _usable_cores()
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
