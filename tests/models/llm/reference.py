"""What transformers and peft alone write: one prompt at a time, greedily, in float32."""

from functools import cache
from pathlib import Path
from typing import Any

from models.llm.protocol import Message
from utils.packages import package


class Reference:
    """A plain model with its adapters, and a plain loop over its logits."""

    def __init__(self, folder: Path, adapters: dict[str, str]) -> None:
        transformers = package("transformers")
        peft = package("peft")
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(str(folder))
        model = transformers.AutoModelForCausalLM.from_pretrained(str(folder)).eval()
        self._models: dict[str | None, Any] = {None: model}
        for name, path in adapters.items():
            base = transformers.AutoModelForCausalLM.from_pretrained(str(folder))
            self._models[name] = peft.PeftModel.from_pretrained(base, path).eval()

    @cache  # noqa: B019
    def write(
        self, messages: tuple[Message, ...], adapter: str | None, max_tokens: int
    ) -> tuple[list[int], list[float]]:
        """The most probable tokens and their log-probabilities, without a cache of keys."""
        torch = package("torch")
        ids = self.ids(messages)
        tokens: list[int] = []
        logprobs: list[float] = []
        with torch.no_grad():
            while len(tokens) < max_tokens:
                logits = self._models[adapter](torch.tensor([ids + tokens])).logits[0, -1]
                scores = logits.log_softmax(-1)
                tokens.append(int(scores.argmax()))
                logprobs.append(float(scores.max()))
                if tokens[-1] in (1, 4):
                    break
        return tokens, logprobs

    def ids(self, messages: tuple[Message, ...]) -> list[int]:
        """The token ids that the model reads."""
        turns = [{"role": m.role, "content": m.text} for m in messages]
        text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids
