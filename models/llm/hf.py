"""transformers + peft: for machines on which vLLM does not run."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from models.llm.adapters import Adapter, base_context, check_adapters, find_model
from models.llm.chat import Chat
from models.llm.config import LLMSettings
from models.llm.constraints import guidance_grammar
from models.llm.errors import AdapterUnknown, ModelMissing
from models.llm.hf_rows import Ended, Picker, Row
from models.llm.packages import package
from models.llm.protocol import Completion, Constraint, Prompt, joined
from models.llm.turn import Turn
from utils.deadline import Deadline
from utils.errors import MissingPackageError

_log = logging.getLogger(__name__)


class TransformersLLM:
    """Prompts grouped by adapter, each group in batches with padding on the left."""

    def __init__(self, model: Any, chat: Chat, *, batch_tokens: int = 16384) -> None:
        """An engine over a loaded model.

        Args:
            model: a causal model of transformers, or a PeftModel, whose adapters can be asked for.
            chat: its tokenizer.
            batch_tokens: prompt tokens, padding among them, that are read at once.
        """
        self._model = model.eval()
        self._chat = chat
        self._batch_tokens = batch_tokens
        self._adapters = frozenset(getattr(model, "peft_config", ()))
        self._ends = _ends(model, chat)
        self._pad = min(self._ends)  # masked where it is read, never looked at where it is written
        self._guide: Any = None
        self._turn = Turn()

    @classmethod
    def load(cls, settings: LLMSettings) -> "TransformersLLM":
        """The engine of a model's folder and its adapters' folders.

        Raises:
            ModelMissing, AdapterIncompatible: what is there does not do.
            MissingPackageError: a package for it is not installed.
        """
        folder = find_model(settings.place)
        adapters = check_adapters(folder, settings.adapters)
        chat = Chat.load(folder, settings.context or base_context(folder))
        model = _with_adapters(_load_model(folder, settings), adapters)
        return cls(model, chat, batch_tokens=settings.batch_tokens)

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
        rows = self._rows(prompts)
        flat = [row for samples in rows for row in samples]
        with self._turn.taken(deadline) as mine:
            for adapter, batch in self._batches(flat) if mine else ():
                if deadline.expired:
                    break
                with self._adapted(adapter):
                    self._run(batch, deadline)
        done = [[row.completion(self._chat, self._ends) for row in samples] for samples in rows]
        return [
            replace(joined(made), prompt_tokens=len(samples[0].ids))
            for made, samples in zip(done, rows, strict=True)
        ]

    def _rows(self, prompts: Sequence[Prompt]) -> list[list[Row]]:
        for prompt in prompts:
            if prompt.adapter is not None and prompt.adapter not in self._adapters:
                raise AdapterUnknown(
                    f"no adapter is called {prompt.adapter!r}; there are: "
                    f"{', '.join(sorted(self._adapters)) or 'none'}"
                )
        all_ids = self._chat.checked_ids(prompts)
        return [
            [Row(prompt, ids, k, self._matcher(prompt.constraint)) for k in range(prompt.n)]
            for prompt, ids in zip(prompts, all_ids, strict=True)
        ]

    def _matcher(self, constraint: Constraint | None) -> Any:
        if constraint is None:
            return None
        if self._guide is None:
            package("llguidance")
            self._guide = package("llguidance.hf").from_tokenizer(
                self._chat.tokenizer, eos_token=sorted(self._ends)
            )
        llguidance = package("llguidance")
        return llguidance.LLMatcher(self._guide, guidance_grammar(constraint))

    def _batches(self, rows: Sequence[Row]) -> Iterator[tuple[str | None, list[Row]]]:
        """Rows of one adapter, of like lengths, so many that they are not over `batch_tokens`."""
        ordered = sorted(rows, key=lambda row: (row.prompt.adapter or "", len(row.ids)))
        for _, group in groupby(ordered, key=lambda row: row.prompt.adapter):
            batch: list[Row] = []
            for row in group:
                if batch and len(row.ids) * (len(batch) + 1) > self._batch_tokens:
                    yield batch[0].prompt.adapter, batch
                    batch = []
                batch.append(row)
            yield batch[0].prompt.adapter, batch

    def _adapted(self, adapter: str | None) -> AbstractContextManager[Any]:
        if adapter is not None:
            self._model.set_adapter(adapter, inference_mode=True)
        elif self._adapters:
            base: AbstractContextManager[Any] = self._model.disable_adapter()
            return base
        return nullcontext()

    def _run(self, rows: list[Row], deadline: Deadline) -> None:
        torch = package("torch")
        longest = max(len(row.ids) for row in rows)
        padding = [longest - len(row.ids) for row in rows]
        ids = [[self._pad] * n + row.ids for n, row in zip(padding, rows, strict=True)]
        mask = [[0] * n + [1] * len(row.ids) for n, row in zip(padding, rows, strict=True)]
        device = self._model.device
        with torch.inference_mode():
            self._model.generate(
                input_ids=torch.tensor(ids, device=device),
                attention_mask=torch.tensor(mask, device=device),
                generation_config=package("transformers").GenerationConfig(
                    max_new_tokens=max(row.prompt.max_tokens for row in rows),
                    pad_token_id=self._pad,
                    do_sample=False,
                ),
                logits_processor=[Picker(rows, self._chat, self._ends)],
                stopping_criteria=[Ended(rows, deadline)],
            )


def _ends(model: Any, chat: Chat) -> frozenset[int]:
    """The tokens that end a turn: the generation config's, and the tokenizer's own."""
    given = model.generation_config.eos_token_id
    ids = given if isinstance(given, list) else [given]
    return frozenset(i for i in (*ids, chat.tokenizer.eos_token_id) if i is not None)


def _load_model(folder: Path, settings: LLMSettings) -> Any:
    torch, transformers = package("torch"), package("transformers")
    cuda = torch.cuda.is_available()
    options: dict[str, Any] = {
        "dtype": getattr(torch, settings.dtype or ("half" if cuda else "float32")),
        "device_map": "auto" if cuda else None,
        "local_files_only": True,
        "trust_remote_code": False,
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
    except ImportError as error:  # of a quantised model's own package
        raise MissingPackageError(f"{folder}: {error}") from error
    except ValueError as error:  # a model that only code of its own could load
        raise ModelMissing(f"{folder}: {error}") from error


def _with_adapters(model: Any, adapters: Sequence[Adapter]) -> Any:
    loaded = None
    for adapter in adapters:
        # The adapter's own precision would be float32 on a model in half.
        options = {"adapter_name": adapter.name, "autocast_adapter_dtype": False}
        if loaded is None:
            peft_model = package("peft").PeftModel
            loaded = peft_model.from_pretrained(model, str(adapter.folder), **options)
        else:
            loaded.load_adapter(str(adapter.folder), **options)
    return loaded or model
