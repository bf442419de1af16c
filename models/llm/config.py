"""The settings of an engine, and of a subtask that uses it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, NonNegativeInt, PositiveInt

from utils.errors import SettingsError
from utils.secrets import without_secrets
from utils.typed import read_record

T = TypeVar("T")
Price = Literal["prompt", "cached", "completion"]


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """The settings of one engine. Each back end reads the fields that apply to it.

    Attributes:
        spec: `vllm:PATH`, `hf:PATH`, `llamacpp:PATH` or `openai:URL#MODEL`.
        adapters: the folder of each LoRA adapter, by the adapter's name; for a server: the model
            name under which it serves the adapter.
        context: tokens of a prompt and its completion together; None: the model's maximum, which
            llama.cpp divides by the number of slots.
        dtype: half, bfloat16 or float32; None: half on a GPU (a T4 has no bfloat16), float32 on a
            CPU.
        quantization: "4bit" loads a full model in 4 bits (transformers only). AWQ and GPTQ models
            are recognised by their config.json.
        memory: share of each GPU's memory that vLLM may take; embedder, reranker and other engines
            have the rest.
        tensor_parallel: number of GPUs over which vLLM spreads the model; None: all.
        attention: vLLM's attention back end; None: its own choice, which suits a T4 from 0.24 on.
        eager: vLLM without CUDA graphs: it starts faster and runs slower.
        batch_tokens: prompt tokens, including padding, that transformers reads at once.
        workers: concurrent requests to a server.
        slots: prompts that llama.cpp works on at once; each has a context of its own.
        threads: of llama.cpp; None: one per core that is idle when the engine starts.
        tokenizer: folder with the tokenizer of a server's model, to count tokens; None: the server
            counts, or else they are estimated.
        think_tokens: reserved for a model's reasoning before each answer.
        extra_body: additional fields of each request to a server.
        extra_headers: additional headers, likewise.
        prices: in dollars per million tokens, of "prompt", "cached" and "completion" tokens.
    """

    spec: str
    adapters: Mapping[str, str] = field(default_factory=dict)
    context: PositiveInt | None = None
    dtype: Literal["half", "bfloat16", "float32"] | None = None
    quantization: Literal["4bit"] | None = None
    memory: Annotated[float, Field(gt=0, le=1)] = 0.7
    tensor_parallel: PositiveInt | None = None
    attention: str | None = None
    eager: bool = False
    batch_tokens: PositiveInt = 16384
    workers: PositiveInt = 16
    slots: PositiveInt = 4
    threads: PositiveInt | None = None
    tokenizer: str | None = None
    think_tokens: NonNegativeInt = 0
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    prices: Mapping[Price, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kind, _, rest = self.spec.partition(":")
        if kind not in ("vllm", "hf", "llamacpp", "openai") or not rest:
            raise SettingsError(
                f"an LLM is vllm:PATH, hf:PATH, llamacpp:PATH or openai:URL#MODEL, "
                f"not {without_secrets(self.spec)!r}"
            )

    @property
    def kind(self) -> str:
        """The back end: "vllm", "hf", "llamacpp" or "openai"."""
        return self.spec.partition(":")[0]

    @property
    def place(self) -> str:
        """The path or URL."""
        return self.spec.partition(":")[2]


@dataclass(frozen=True, slots=True)
class SubtaskSettings:
    """Which engine and which of its adapters a subtask uses.

    Attributes:
        llm: the engine's name in the table `llms`.
        adapter: an adapter of that engine; None: the base model.
    """

    llm: str = "default"
    adapter: str | None = None


def read_table(value: Any, kind: type[T], where: str) -> dict[str, T]:
    """A table of settings such as `llms`: name -> record.

    Raises:
        SettingsError: the value is not a table of tables, or a row is not a valid record.
    """
    if not isinstance(value, Mapping):
        raise SettingsError(f"{where} must be a table of tables")
    if not all(isinstance(row, Mapping) for row in value.values()):
        raise SettingsError(f"{where} must be a table of tables")
    return {name: read_record(kind, row, f"{where}.{name}") for name, row in value.items()}


def check_llms(llms: Mapping[str, LLMSettings], subtasks: Mapping[str, SubtaskSettings]) -> None:
    """Check that subtasks and engines fit together.

    Raises:
        SettingsError: a subtask names an unknown LLM or adapter, or the vLLM engines
            together claim more than the whole memory.
    """
    for name, subtask in subtasks.items():
        if subtask.llm not in llms:
            raise SettingsError(
                f"subtasks.{name}: no LLM is called {subtask.llm!r}; there are: {_names_in(llms)}"
            )
        adapters = llms[subtask.llm].adapters
        if subtask.adapter is not None and subtask.adapter not in adapters:
            raise SettingsError(
                f"subtasks.{name}: the LLM {subtask.llm!r} has no adapter {subtask.adapter!r}; "
                f"it has: {_names_in(adapters)}"
            )
    shares = {name: llm.memory for name, llm in llms.items() if llm.kind == "vllm"}
    if sum(shares.values()) > 1:
        listed = ", ".join(f"{name} {share}" for name, share in shares.items())
        raise SettingsError(
            f"the vLLM engines' shares of memory are more than 1 together: {listed}"
        )


def _names_in(table: Mapping[str, Any]) -> str:
    return ", ".join(table) or "none"
