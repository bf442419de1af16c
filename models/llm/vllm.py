"""vLLM: one engine, one batch, each prompt with its own adapter and constraint.

The engine is stepped here rather than by vLLM's `LLM.generate`, so that at the deadline what is
unfinished is aborted and returned as it stands.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from models.llm.adapters import Adapter, base_context, check_adapters, find_model, max_rank
from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.constraints import check, choices
from models.llm.errors import AdapterUnknown
from models.llm.packages import package
from models.llm.protocol import (
    Completion,
    Constraint,
    ConstraintKind,
    FinishReason,
    Prompt,
    joined,
)
from models.llm.turn import Turn
from utils.deadline import Deadline

_CPU_BATCH_TOKENS = 8192
_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


class VllmLLM:
    """Mixed batches over vLLM's engine; requests are put in by adapter and by common beginning."""

    def __init__(self, engine: Any, chat: Chat, adapters: Sequence[Adapter] = ()) -> None:
        """An engine over a running `LLMEngine`, which was told to make room for `adapters`."""
        self._engine = engine
        self._chat = chat
        lora = package("vllm.lora.request").LoRARequest
        self._adapters: dict[str | None, Any] = {
            adapter.name: lora(adapter.name, number, str(adapter.folder))
            for number, adapter in enumerate(adapters, 1)
        }
        self._adapters[None] = None
        self._served = 0
        self._turn = Turn()

    @classmethod
    def load(cls, settings: LLMSettings) -> "VllmLLM":
        """The engine of a model's folder and its adapters' folders.

        Raises:
            ModelMissing, AdapterIncompatible: what is there does not do.
            MissingPackageError: vLLM is not installed.
        """
        folder = find_model(settings.place)
        adapters = check_adapters(folder, settings.adapters)
        context = settings.context or base_context(folder)
        chat = Chat.load(folder, context)
        arguments = package("vllm.engine.arg_utils").EngineArgs(
            **engine_arguments(settings, context, adapters, gpus=_gpus())
        )
        engine = package("vllm.v1.engine.llm_engine").LLMEngine.from_engine_args(arguments)
        return cls(engine, chat, adapters)

    @property
    def context(self) -> int:
        return self._chat.context

    def count(self, text: str) -> int:
        """Tokens in `text`, by the model's own tokenizer."""
        return self._chat.count(text)

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the prompt as the model reads it."""
        return len(self._chat.ids(prompt))

    def generate(self, prompts: Sequence[Prompt], *, deadline: Deadline) -> list[Completion]:
        """One completion a prompt, in order; see the protocol."""
        for prompt in prompts:
            if prompt.adapter not in self._adapters:
                known = ", ".join(sorted(name for name in self._adapters if name)) or "none"
                raise AdapterUnknown(f"no adapter is called {prompt.adapter!r}; there are: {known}")
        all_ids = self._chat.checked_ids(prompts)
        parameters = [self._parameters(prompt) for prompt in prompts]
        # Neighbours with one adapter share its kernels, those with one beginning its cached blocks.
        order = sorted(range(len(prompts)), key=lambda i: (prompts[i].adapter or "", all_ids[i]))
        outputs: dict[tuple[int, int], Any] = {}
        with self._turn.taken(deadline) as mine:
            if mine and not deadline.expired:
                outputs = self._served_all(order, prompts, all_ids, parameters, deadline)
        made = [
            joined([_sample(prompt, outputs.get((index, k))) for k in range(prompt.n)])
            for index, prompt in enumerate(prompts)
        ]
        return [
            replace(one, prompt_tokens=len(ids)) for one, ids in zip(made, all_ids, strict=True)
        ]

    def _add(self, ids: list[int], parameters: Any, prompt: Prompt, sample: int) -> str:
        """Put one sample in; the request's name."""
        self._served += 1
        if prompt.seed is not None and sample:
            parameters = parameters.clone()
            parameters.seed = prompt.seed + sample
        name = str(self._served)
        tokens = package("vllm.inputs").tokens_input(ids)
        lora = self._adapters[prompt.adapter]
        self._engine.add_request(name, tokens, parameters, lora_request=lora)
        return name

    def _served_all(
        self,
        order: Sequence[int],
        prompts: Sequence[Prompt],
        all_ids: Sequence[list[int]],
        parameters: Sequence[Any],
        deadline: Deadline,
    ) -> dict[tuple[int, int], Any]:
        """Step until all are done or the deadline is there: the last output of each sample."""
        requests: dict[str, tuple[int, int]] = {}
        outputs: dict[tuple[int, int], Any] = {}
        try:
            for index in order:
                for sample in range(prompts[index].n):
                    name = self._add(all_ids[index], parameters[index], prompts[index], sample)
                    requests[name] = (index, sample)
            while self._engine.has_unfinished_requests() and not deadline.expired:
                for output in self._engine.step():
                    outputs[requests[output.request_id]] = output.outputs[0]
        finally:  # an interrupt leaves nothing behind for the next batch either
            self._engine.abort_request(list(requests))
        return outputs

    def _parameters(self, prompt: Prompt) -> Any:
        constraint = prompt.constraint
        return package("vllm").SamplingParams(
            temperature=prompt.temperature,
            top_p=prompt.top_p,
            seed=prompt.seed,
            max_tokens=prompt.max_tokens,
            stop=list(prompt.stop) or None,
            logprobs=0 if prompt.logprobs else None,
            structured_outputs=structured(constraint) if constraint else None,
        )


def structured(constraint: Constraint) -> Any:
    """The constraint as vLLM takes it. Raises ConstraintUnsupported where llguidance would."""
    check(constraint)
    given = {constraint.kind.value: constraint.text}
    if constraint.kind is ConstraintKind.CHOICE:
        return package("vllm.sampling_params").StructuredOutputsParams(choice=choices(constraint))
    return package("vllm.sampling_params").StructuredOutputsParams(**given)


def engine_arguments(
    settings: LLMSettings, context: int, adapters: Sequence[Adapter], gpus: int
) -> dict[str, Any]:
    """The arguments of vLLM's engine for these settings on a machine with so many GPUs."""
    arguments: dict[str, Any] = {
        "model": settings.place,
        "trust_remote_code": False,
        "max_model_len": context,
        "dtype": settings.dtype or ("half" if gpus else "float32"),
        "gpu_memory_utilization": settings.memory,
        "tensor_parallel_size": settings.tensor_parallel or max(1, gpus),
        "enforce_eager": settings.eager,
        "enable_prefix_caching": True,
        # llguidance reads our grammars as they are, in a millisecond. A model that is unsure of
        # what comes next writes whitespace between the parts of JSON without end.
        "structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True},
        "generation_config": "auto",  # for the tokens that end a turn
        "disable_log_stats": True,
    }
    if not gpus:
        # A prompt read in two steps makes vLLM turn its seeded generator back, which a CPU's
        # generator cannot do ("CPU Generator does not use offset"): prompts are read whole.
        arguments |= {
            "enable_chunked_prefill": False,
            "max_num_batched_tokens": max(context, _CPU_BATCH_TOKENS),
        }
    if settings.attention:
        arguments["attention_backend"] = settings.attention
    if adapters:
        arguments |= {
            "enable_lora": True,
            # One slot more than adapters: on a CPU, requests for the base model get the adapter
            # of the last slot when none is free (vLLM pull requests 49656 and 48421).
            "max_loras": len(adapters) + 1,
            "max_lora_rank": max_rank(list(adapters)),
        }
    return arguments


def _gpus() -> int:
    return int(package("torch").cuda.device_count())


def _sample(prompt: Prompt, output: Any) -> Completion:
    if output is None:
        return Completion("", FinishReason.DEADLINE, 0, adapter=prompt.adapter)
    chosen = zip(output.logprobs or (), output.token_ids, strict=False)
    return Completion(
        text=output.text,
        finish_reason=_REASONS.get(output.finish_reason, FinishReason.DEADLINE),
        tokens=len(output.token_ids),
        logprobs=tuple(logprobs[token].logprob for logprobs, token in chosen),
        adapter=prompt.adapter,
    )
