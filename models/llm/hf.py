"""transformers + peft: for machines on which vLLM does not run.

`generate` of transformers samples all rows of a batch in the same way. Here each row has its own
temperature, seed, constraint and end, so the logits processor picks every token itself and leaves
`generate` no choice; the stopping criterion says which rows are done.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from models.llm.adapters import Adapter
from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.constraints import guidance_grammar
from models.llm.errors import ModelMissing
from models.llm.local import LocalLLM, load_parts
from models.llm.protocol import Completion, Constraint, FinishReason, OnEnd, Prompt
from utils.deadline import Deadline
from utils.errors import MissingPackageError
from utils.packages import package

Tensor = Any  # torch.Tensor; torch is imported when an engine is built


@dataclass(slots=True)
class SampledSequence:
    """One sample of one prompt, a row of a batch; `sample` counts a prompt's samples from 0."""

    prompt: Prompt
    ids: list[int]
    sample: int = 0
    matcher: Any = None  # of llguidance, where the prompt has a constraint
    generator: Any = None
    written: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    text: str | None = None  # where a stop ended it
    reason: FinishReason = FinishReason.DEADLINE  # until it ends: what cuts it off

    @property
    def ended(self) -> bool:
        """Whether no more token is written."""
        return self.reason is not FinishReason.DEADLINE

    def take(self, token: int, ends: frozenset[int], chat: Chat) -> None:
        """Add `token`, and decide whether the row ends with it."""
        self.written.append(token)
        if token in ends:
            self.reason = FinishReason.STOP
            return
        if self.matcher is not None:
            self.matcher.consume_token(token)
        if len(self.written) >= self.prompt.max_tokens:
            self.reason = FinishReason.LENGTH
        if self.prompt.stop:
            self._cut_at_stop(chat.decode(self.written))

    def _cut_at_stop(self, text: str) -> None:
        """End the row if `text` contains one of its stops."""
        positions = [text.find(stop) for stop in self.prompt.stop]
        stops = [position for position in positions if position >= 0]
        if stops:
            self.text = text[: min(stops)]
            self.reason = FinishReason.STOP

    def completion(self, chat: Chat, ends: frozenset[int]) -> Completion:
        """The completion as far as it is written."""
        text = self.text
        if text is None:
            text = chat.decode([token for token in self.written if token not in ends])
        return Completion(text, self.reason, len(self.written), tuple(self.logprobs))


class TransformersLLM(LocalLLM):
    """Prompts grouped by adapter, each group in batches with padding on the left."""

    def __init__(self, model: Any, chat: Chat, *, batch_tokens: int = 16384) -> None:
        """An engine over a loaded model.

        Args:
            model: a causal model of transformers, or a PeftModel with the adapters.
            chat: its tokenizer.
            batch_tokens: prompt tokens, padding included, that are read at once.
        """
        super().__init__(chat, getattr(model, "peft_config", ()))
        self._model = model.eval()
        self._batch_tokens = batch_tokens
        self._ends = _ends(model, chat)
        self._pad = min(self._ends)  # masked in prompts, ignored after a row's end
        self._guide: Any = None

    @classmethod
    def load(cls, settings: LLMSettings) -> "TransformersLLM":
        """The engine of a model's folder and its adapters' folders.

        Raises:
            LLMError: the model or an adapter cannot be used.
            MissingPackageError: transformers or peft is not installed.
        """
        folder, chat, adapters = load_parts(settings)
        model = _with_adapters(_load_model(folder, settings), adapters)
        return cls(model, chat, batch_tokens=settings.batch_tokens)

    def _complete(
        self,
        prompts: Sequence[Prompt],
        ids: Sequence[list[int]],
        deadline: Deadline,
        on_end: OnEnd,
    ) -> list[list[Completion]]:
        rows_of_prompts = []
        for prompt, prompt_ids in zip(prompts, ids, strict=True):
            rows_of_prompts.append(
                [
                    SampledSequence(prompt, prompt_ids, sample, self._matcher(prompt.constraint))
                    for sample in range(prompt.n)
                ]
            )
        for batch in self._batches(list(chain.from_iterable(rows_of_prompts))):
            if deadline.expired:
                break
            with self._adapted(batch[0].prompt.adapter):
                self._run(batch, deadline)
            for row in batch:
                if row.ended and row.sample == row.prompt.n - 1:
                    on_end()
        return [
            [row.completion(self._chat, self._ends) for row in rows] for rows in rows_of_prompts
        ]

    def _matcher(self, constraint: Constraint | None) -> Any:
        if constraint is None:
            return None
        if self._guide is None:
            self._guide = package("llguidance.hf").from_tokenizer(
                self._chat.tokenizer, eos_token=sorted(self._ends)
            )
        llguidance = package("llguidance")
        return llguidance.LLMatcher(self._guide, guidance_grammar(constraint))

    def _batches(self, rows: Sequence[SampledSequence]) -> Iterator[list[SampledSequence]]:
        """Rows of one adapter, of similar lengths, with at most `batch_tokens` tokens."""
        ordered = sorted(rows, key=lambda row: (row.prompt.adapter or "", len(row.ids)))
        for _, group in groupby(ordered, key=lambda row: row.prompt.adapter):
            batch: list[SampledSequence] = []
            for row in group:
                if batch and len(row.ids) * (len(batch) + 1) > self._batch_tokens:
                    yield batch
                    batch = []
                batch.append(row)
            yield batch

    def _adapted(self, adapter: str | None) -> AbstractContextManager[Any]:
        if adapter is not None:
            self._model.set_adapter(adapter, inference_mode=True)
        elif self._adapters:
            base: AbstractContextManager[Any] = self._model.disable_adapter()
            return base
        return nullcontext()

    def _run(self, rows: list[SampledSequence], deadline: Deadline) -> None:
        torch = package("torch")
        longest = max(len(row.ids) for row in rows)
        padding = [longest - len(row.ids) for row in rows]
        ids = [[self._pad] * n + row.ids for n, row in zip(padding, rows, strict=True)]
        mask = [[0] * n + [1] * len(row.ids) for n, row in zip(padding, rows, strict=True)]

        def ended(input_ids: Tensor, scores: Tensor, **_: Any) -> Tensor:
            """Which rows are done: at the deadline, all."""
            late = deadline.expired
            return torch.tensor([late or row.ended for row in rows], device=input_ids.device)

        device = self._model.device
        input_ids = torch.tensor(ids, device=device)
        attention_mask = torch.tensor(mask, device=device)
        with torch.inference_mode():
            self._model.generate(
                input_ids=input_ids,
                attention_mask=attention_mask,
                past_key_values=self._shared_keys(rows, input_ids, attention_mask),
                generation_config=package("transformers").GenerationConfig(
                    max_new_tokens=max(row.prompt.max_tokens for row in rows),
                    pad_token_id=self._pad,
                    do_sample=False,
                ),
                logits_processor=[Picker(rows, self._chat, self._ends)],
                stopping_criteria=[ended],
            )

    def _shared_keys(
        self, rows: Sequence[SampledSequence], input_ids: Tensor, attention_mask: Tensor
    ) -> Any:
        """The keys and values of all rows but for their last tokens, each prompt read once.

        None where each row has a prompt of its own: `generate` reads them.
        """
        torch = package("torch")
        first_row: dict[int, int] = {}  # of each prompt
        for number, row in enumerate(rows):
            first_row.setdefault(id(row.ids), number)
        if len(first_row) == len(rows):
            return None
        firsts = list(first_row.values())
        keys = self._model(
            input_ids=input_ids[firsts, :-1],
            attention_mask=attention_mask[firsts, :-1],
            position_ids=(attention_mask[firsts, :-1].cumsum(-1) - 1).clamp(min=0),
            logits_to_keep=1,
            use_cache=True,
        ).past_key_values
        places = {id(rows[number].ids): place for place, number in enumerate(firsts)}
        keys.batch_select_indices(torch.tensor([places[id(row.ids)] for row in rows]))
        return keys


class Picker:
    """The logits processor of one batch: masks, samples, and records the tokens."""

    def __init__(self, rows: Sequence[SampledSequence], chat: Chat, ends: frozenset[int]) -> None:
        self._rows = rows
        self._chat = chat
        self._ends = ends
        self._torch = package("torch")
        self._plain = all(row.matcher is None and not row.prompt.temperature for row in rows)
        self._logprobs = any(row.prompt.logprobs for row in rows)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        torch = self._torch
        allowed = scores
        if not self._plain:
            allowed = torch.stack([*map(self._allowed, self._rows, scores)])
        picked = allowed.argmax(-1, keepdim=True)
        logprobs = None
        if self._logprobs:
            logprobs = scores.log_softmax(-1).gather(1, picked)[:, 0].tolist()
        for index, (row, token) in enumerate(zip(self._rows, picked[:, 0].tolist(), strict=True)):
            if not row.ended:
                if logprobs and row.prompt.logprobs:
                    row.logprobs.append(logprobs[index])
                row.take(token, self._ends, self._chat)
        return torch.full_like(scores, -torch.inf).scatter_(1, picked, 0.0)

    def _allowed(self, row: SampledSequence, scores: Tensor) -> Tensor:
        """The row's scores, such that the highest is the token to write."""
        if row.ended:
            return scores
        if row.matcher is not None:
            torch = self._torch
            bias = bytearray(row.matcher.compute_logit_bias())
            forbidden = torch.frombuffer(bias, dtype=torch.uint8)[: len(scores)] == 0
            # A model may have more outputs than its tokenizer has tokens.
            padding = (0, len(scores) - len(forbidden))
            forbidden = torch.nn.functional.pad(forbidden, padding, value=True)
            scores = scores.masked_fill(forbidden.to(scores.device), -torch.inf)
        prompt = row.prompt
        if not prompt.temperature:
            return scores
        scores = scores / prompt.temperature
        # The highest of scores with Gumbel noise is distributed as a sample of their softmax is.
        noise = self._torch.empty_like(scores).exponential_(generator=self._generator(row, scores))
        return scores - noise.log()

    def _generator(self, row: SampledSequence, scores: Tensor) -> Any:
        if row.generator is None:
            seed = row.prompt.seed
            if seed is None:
                seed = random.getrandbits(48)
            else:
                seed += row.sample
            row.generator = self._torch.Generator(scores.device).manual_seed(seed)
        return row.generator


def _ends(model: Any, chat: Chat) -> frozenset[int]:
    """The tokens that end a turn: the generation config's, and the tokenizer's own."""
    config_ids = model.generation_config.eos_token_id
    if not isinstance(config_ids, list):
        config_ids = [config_ids]
    ids = [*config_ids, chat.tokenizer.eos_token_id]
    return frozenset(token for token in ids if token is not None)


def _load_model(folder: Path, settings: LLMSettings) -> Any:
    torch = package("torch")
    transformers = package("transformers")
    cuda = torch.cuda.is_available()
    options: dict[str, Any] = {
        "dtype": getattr(torch, settings.dtype or ("half" if cuda else "float32")),
        "device_map": "auto" if cuda else None,
        "local_files_only": True,
        "trust_remote_code": False,
        "use_safetensors": True,
    }
    if settings.quantization == "4bit":
        package("bitsandbytes")
        options["quantization_config"] = transformers.BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=options["dtype"],
        )
    try:
        return transformers.AutoModelForCausalLM.from_pretrained(str(folder), **options)
    except ImportError as error:  # a quantised model's package
        raise MissingPackageError(f"{folder}: {error}") from error
    except ValueError as error:  # a model that needs its own code
        raise ModelMissing(f"{folder}: {error}") from error


def _with_adapters(model: Any, adapters: Sequence[Adapter]) -> Any:
    loaded = None
    for adapter in adapters:
        # Otherwise the adapter would be float32 on a model in half precision.
        options = {"adapter_name": adapter.name, "autocast_adapter_dtype": False}
        if loaded is None:
            peft_model = package("peft", "peft accelerate").PeftModel
            loaded = peft_model.from_pretrained(model, str(adapter.folder), **options)
        else:
            loaded.load_adapter(str(adapter.folder), **options)
    return loaded or model
