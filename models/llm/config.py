"""Settings of an engine, and of the subtask that uses it."""

import difflib
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, ValidationError, field_validator
from pydantic.dataclasses import dataclass

from utils.errors import SettingsError

Positive = Annotated[int, Field(ge=1)]
Price = Annotated[str, Field(pattern="^(prompt|cached|completion)$")]
T = TypeVar("T", "LLMSettings", "SubtaskSettings")

# What systems and training ask an LLM for.
SUBTASKS = (
    "answer answer_alone answer_kg answer_web call_functions check_answer check_context choose"
    " extract_knowledge extract_premise final find_entities judge_premise name_arguments parametric"
    " paraphrase predict_domain predict_dynamic reason rewrite_query route summarise think"
    " write_expression write_query write_rationale"
).split()
_STRICT = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True, config=_STRICT)
class LLMSettings:
    """One engine. Each back end reads the fields that concern it.

    Attributes:
        spec: `vllm:PATH`, `hf:PATH` or `openai:URL#MODEL`.
        adapters: the folder of each LoRA adapter by its name; for a server: the name that it
            serves it under.
        context: tokens of a prompt and its completion together; None: as many as the model was
            made for.
        dtype: half, bfloat16 or float32; None: half on a GPU (a T4 has no bfloat16), float32 on a
            CPU.
        quantization: "4bit" loads a full model in 4 bits (transformers only). AWQ and GPTQ models
            say so in their own config.json and need nothing here.
        memory: share of each GPU that vLLM may take; the rest is left to embedder, reranker and
            other engines.
        tensor_parallel: GPUs that vLLM spreads the model over; None: all that are there.
        attention: vLLM's attention back end; None: its own choice, which suits a T4 from 0.24 on.
        eager: vLLM without CUDA graphs: starts faster, runs slower.
        batch_tokens: prompt tokens, padding among them, that transformers reads at once.
        workers: requests that a server is sent at once.
        tokenizer: folder with the tokenizer of a server's model, to count its tokens; None: ask
            the server, else a pessimistic estimate.
        think_tokens: that a reasoning model may think before each answer.
        extra_body, extra_headers, organization: what else a server is sent with each request.
        prices: in dollars a million tokens, of "prompt", "cached" and "completion" ones.
    """

    spec: str
    adapters: Mapping[str, str] = field(default_factory=dict)
    context: Positive | None = None
    dtype: Literal["half", "bfloat16", "float32"] | None = None
    quantization: Literal["4bit"] | None = None
    memory: Annotated[float, Field(gt=0, le=1)] = 0.7
    tensor_parallel: Positive | None = None
    attention: str | None = None
    eager: bool = False
    batch_tokens: Positive = 16384
    workers: Positive = 16
    tokenizer: str | None = None
    think_tokens: Annotated[int, Field(ge=0)] = 0
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    organization: str | None = None
    prices: Mapping[Price, float] = field(default_factory=dict)

    @field_validator("spec")
    @classmethod
    def _check_spec(cls, spec: str) -> str:
        kind, _, rest = spec.partition(":")
        if kind not in ("vllm", "hf", "openai") or not rest:
            raise SettingsError(f"an LLM is vllm:PATH, hf:PATH or openai:URL#MODEL, not {spec!r}")
        return spec

    @property
    def kind(self) -> str:
        return self.spec.partition(":")[0]

    @property
    def place(self) -> str:
        """The path or URL."""
        return self.spec.partition(":")[2]


@dataclass(frozen=True, slots=True, config=_STRICT)
class SubtaskSettings:
    """Which engine and which of its adapters a subtask uses.

    Attributes:
        llm: the engine's name in the table `llms`.
        adapter: an adapter of that engine; None: the base model.
    """

    llm: str = "default"
    adapter: str | None = None


def read_llms(value: Any) -> dict[str, LLMSettings]:
    """The table `llms` of settings: name -> engine. Raises SettingsError."""
    return {name: _record(LLMSettings, row, f"llms.{name}") for name, row in _rows(value, "llms")}


def read_subtasks(value: Any) -> dict[str, SubtaskSettings]:
    """The table `subtasks` of settings: name -> engine and adapter. Raises SettingsError."""
    rows = _rows(value, "subtasks")
    return {name: _record(SubtaskSettings, row, f"subtasks.{name}") for name, row in rows}


def check(llms: Mapping[str, LLMSettings], subtasks: Mapping[str, SubtaskSettings]) -> None:
    """Raise SettingsError where a subtask names what is not there, or the engines' shares of memory
    are more than all of it."""
    for name, subtask in subtasks.items():
        if name not in SUBTASKS:
            near = difflib.get_close_matches(name, SUBTASKS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(SUBTASKS)}"
            raise SettingsError(f"subtasks: none is called {name!r}{hint}")
        if subtask.llm not in llms:
            raise SettingsError(
                f"subtasks.{name}: no LLM is called {subtask.llm!r}; there are: {_names(llms)}"
            )
        adapters = llms[subtask.llm].adapters
        if subtask.adapter is not None and subtask.adapter not in adapters:
            raise SettingsError(
                f"subtasks.{name}: the LLM {subtask.llm!r} has no adapter {subtask.adapter!r}; "
                f"it has: {_names(adapters)}"
            )
    shares = {name: llm.memory for name, llm in llms.items() if llm.kind == "vllm"}
    if sum(shares.values()) > 1:
        given = ", ".join(f"{name} {share}" for name, share in shares.items())
        raise SettingsError(f"the vLLM engines' shares of memory are more than 1 together: {given}")


def _rows(value: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    if not isinstance(value, Mapping) or not all(isinstance(r, Mapping) for r in value.values()):
        raise SettingsError(f"{where} must be a table of tables")
    return list(value.items())


def _record(kind: type[T], row: Mapping[str, Any], where: str) -> T:
    try:
        return kind(**row)
    except SettingsError as error:
        raise SettingsError(f"{where}: {error}") from error
    except ValidationError as error:
        # Values are not repeated: a header may hold a key.
        wrong = error.errors(include_url=False, include_input=False)[0]
    name, *inside = map(str, wrong["loc"])
    if wrong["type"] == "unexpected_keyword_argument":
        near = difflib.get_close_matches(name, [one.name for one in fields(kind)], n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SettingsError(f"{where}: no setting is called {name!r}{hint}")
    if wrong["type"] == "missing":
        raise SettingsError(f"{where}: give `{name}`, or --llm")
    said = wrong["msg"].replace("Input should be", "must be")
    raise SettingsError(f"{where}: {'.'.join([name, *inside])} {said}")


def _names(table: Mapping[str, Any]) -> str:
    return ", ".join(table) or "none"
