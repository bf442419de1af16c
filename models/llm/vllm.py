"""vLLM: one engine, one batch, each prompt with its own adapter and constraint.

The engine is stepped here rather than by vLLM's `LLM.generate`, so that unfinished completions are
aborted at the deadline and returned as far as they are written.
"""

from collections.abc import Sequence
from typing import Any

from models.llm.adapters import Adapter, max_rank
from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.constraints import choices
from models.llm.local import LocalLLM, load_parts
from models.llm.protocol import Completion, ConstraintKind, FinishReason, OnEnd, Prompt
from utils.deadline import Deadline
from utils.packages import package

_CPU_BATCH_TOKENS = 8192
_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


class VllmLLM(LocalLLM):
    """Mixed batches over vLLM's engine; requests are ordered by adapter and by common beginning."""

    def __init__(self, engine: Any, chat: Chat, adapters: Sequence[Adapter] = ()) -> None:
        """An engine over a running `LLMEngine` that has room for `adapters`."""
        super().__init__(chat, [adapter.name for adapter in adapters])
        self._engine = engine
        lora = package("vllm.lora.request").LoRARequest
        self._loras: dict[str | None, Any] = {
            adapter.name: lora(adapter.name, number, str(adapter.folder))
            for number, adapter in enumerate(adapters, 1)
        }
        self._served = 0

    @classmethod
    def load(cls, settings: LLMSettings) -> "VllmLLM":
        """The engine of a model's folder and its adapters' folders.

        Raises:
            LLMError: the model or an adapter cannot be used.
            MissingPackageError: vllm or transformers is not installed.
        """
        _, chat, adapters = load_parts(settings)
        gpus = package("torch").cuda.device_count()
        arguments = package("vllm.engine.arg_utils").EngineArgs(
            **engine_arguments(settings, chat.context, adapters, gpus)
        )
        engine = package("vllm.v1.engine.llm_engine").LLMEngine.from_engine_args(arguments)
        return cls(engine, chat, adapters)

    def _complete(
        self,
        prompts: Sequence[Prompt],
        ids: Sequence[list[int]],
        deadline: Deadline,
        on_end: OnEnd,
    ) -> list[list[Completion]]:
        """Step the engine until all prompts are done or the deadline has come."""
        # Neighbours with the same adapter share its kernels; those with the same beginning share
        # its cached blocks.
        order = sorted(range(len(prompts)), key=lambda i: (prompts[i].adapter or "", ids[i]))
        # The index of each prompt by its request's id, which the engine must not have seen before.
        numbered = {str(self._served + place): index for place, index in enumerate(order)}
        self._served += len(prompts)
        outputs: dict[tuple[int, int], Any] = {}
        try:
            for name, index in numbered.items():
                prompt = prompts[index]
                tokens = package("vllm.inputs").tokens_input(ids[index])
                lora = self._loras.get(prompt.adapter)
                self._engine.add_request(name, tokens, self._parameters(prompt), lora_request=lora)
            while self._engine.has_unfinished_requests() and not deadline.expired:
                for output in self._engine.step():
                    for sample in output.outputs:
                        outputs[numbered[output.request_id], sample.index] = sample
                    if output.finished:
                        on_end()
        finally:  # an interrupt leaves nothing behind for the next batch either
            self._engine.abort_request(list(numbered))
        return [
            [_sample(outputs.get((index, k))) for k in range(prompt.n)]
            for index, prompt in enumerate(prompts)
        ]

    def _parameters(self, prompt: Prompt) -> Any:
        structured = None
        constraint = prompt.constraint
        if constraint is not None:
            choice = constraint.kind is ConstraintKind.CHOICE
            value = choices(constraint) if choice else constraint.text
            outputs = package("vllm.sampling_params").StructuredOutputsParams
            structured = outputs(**{constraint.kind.value: value})
        return package("vllm").SamplingParams(
            n=prompt.n,
            temperature=prompt.temperature,
            seed=prompt.seed,
            max_tokens=prompt.max_tokens,
            stop=list(prompt.stop) or None,
            logprobs=0 if prompt.logprobs else None,
            structured_outputs=structured,
        )


def engine_arguments(
    settings: LLMSettings, context: int, adapters: Sequence[Adapter], gpus: int
) -> dict[str, Any]:
    """The arguments of vLLM's engine for these settings on a machine with `gpus` GPUs."""
    arguments: dict[str, Any] = {
        "model": settings.place,
        "trust_remote_code": False,
        "load_format": "safetensors",
        "max_model_len": context,
        "dtype": settings.dtype or ("half" if gpus else "float32"),
        "gpu_memory_utilization": settings.memory,
        "tensor_parallel_size": settings.tensor_parallel or max(1, gpus),
        "enforce_eager": settings.eager,
        "enable_prefix_caching": True,
        # llguidance compiles our grammars in a millisecond. A model that is unsure of what comes
        # next would write whitespace between the parts of JSON without end.
        "structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True},
        "generation_config": "auto",  # for the tokens that end a turn
        "disable_log_stats": True,
    }
    if not gpus:
        # Chunked prefill makes vLLM set the offset of its seeded generator, which a CPU's cannot
        # do ("CPU Generator does not use offset").
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
            "max_lora_rank": max_rank(adapters),
        }
    return arguments


def _sample(output: Any) -> Completion:
    if output is None:
        return Completion("", FinishReason.DEADLINE, 0)
    chosen = zip(output.logprobs or (), output.token_ids, strict=False)
    return Completion(
        text=output.text,
        finish_reason=_REASONS.get(output.finish_reason, FinishReason.DEADLINE),
        tokens=len(output.token_ids),
        logprobs=tuple(logprobs[token].logprob for logprobs, token in chosen),
    )
