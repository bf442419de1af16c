"""Token ids of messages, by a model's own tokenizer and chat template."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.llm.errors import ContextTooLong, ModelMissing
from models.llm.protocol import Prompt
from models.llm.special_tokens import Neutraliser
from utils.packages import package


class Chat:
    """A tokenizer with its chat template.

    Args:
        tokenizer: a fast tokenizer of transformers.
        context: tokens that a prompt and its completion may have together.
    """

    def __init__(self, tokenizer: Any, context: int) -> None:
        """A chat with `tokenizer`.

        Raises:
            ModelMissing: the tokenizer has no chat template.
        """
        if not tokenizer.chat_template:
            raise ModelMissing(
                f"{tokenizer.name_or_path}: the tokenizer has no chat template; take the model's "
                "instruct version, or put its chat_template.jinja there"
            )
        self.tokenizer = tokenizer
        self.context = context
        self.special = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
        self._neutralise = Neutraliser(self.special)

    @classmethod
    def load(cls, folder: Path, context: int) -> "Chat":
        """The chat of the tokenizer in `folder`.

        Raises:
            ModelMissing: there is no tokenizer, or it has no chat template.
        """
        try:
            tokenizer = package("transformers").AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError) as error:
            raise ModelMissing(f"{folder} has no tokenizer that can be read: {error}") from error
        return cls(tokenizer, context)

    def render(self, prompt: Prompt) -> str:
        """The prompt as the chat template writes it; special tokens in its texts are broken up."""
        turns = [{"role": m.role, "content": self._neutralise(m.text)} for m in prompt.messages]
        text: str = self.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True
        )
        return text

    def ids(self, prompt: Prompt) -> list[int]:
        """The token ids that the model reads."""
        return self._encode(self.render(prompt))

    def checked_ids(self, prompts: Sequence[Prompt]) -> list[list[int]]:
        """The token ids of each prompt.

        Raises:
            ContextTooLong: a prompt and its completion do not fit the context.
        """
        ids_of_prompts = [self.ids(prompt) for prompt in prompts]
        for index, prompt in enumerate(prompts):
            over = len(ids_of_prompts[index]) + prompt.max_tokens - self.context
            if over > 0:
                raise ContextTooLong(over, self.context, f"prompt {index}")
        return ids_of_prompts

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        return len(self._encode(text))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids`, without special tokens and without a character that is cut off."""
        text: str = self.tokenizer.decode(
            ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text.rstrip("\ufffd")

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids
