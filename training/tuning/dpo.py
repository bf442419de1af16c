"""Direct preference optimisation (Rafailov et al. 2023): the better of two answers.

Of a model's own answers, a right one is better than "i don't know", and that is better than a wrong
one (`training.drawn`). The reference is the model that training starts from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.llm.chat import Chat
from training.encode import encode_all, neutral_turns
from training.packages import package
from training.recipe import Recipe
from training.records import Preference, Sample
from training.tuning.run import Parts, Prepared
from utils.errors import InputError


@dataclass(frozen=True, slots=True)
class Dpo:
    """Learns to prefer one answer to another."""

    preferences: Sequence[Preference]

    def prepare(self, chat: Chat, recipe: Recipe) -> Prepared:
        """Conversations with a chosen and a rejected answer.

        Raises:
            InputError: no preference fits the recipe.
        """
        fitting = [each for each in self.preferences if _fits(each, chat, recipe.max_tokens)]
        if not fitting:
            raise InputError(
                f"none of {len(self.preferences)} preferences has {recipe.max_tokens} tokens or "
                "fewer"
            )
        columns = {
            "prompt": [neutral_turns(each.turns, chat) for each in fitting],
            "chosen": [neutral_turns((("assistant", each.chosen),), chat) for each in fitting],
            "rejected": [neutral_turns((("assistant", each.rejected),), chat) for each in fitting],
        }
        left_out = len(self.preferences) - len(fitting)
        return Prepared(columns, {"samples": len(fitting), "left_out": left_out})

    def trainer(self, parts: Parts) -> Any:
        """TRL's DPOTrainer."""
        trl = package("trl")
        recipe = parts.recipe
        options = trl.DPOConfig(
            **parts.options,
            beta=recipe.beta,
            max_length=recipe.max_tokens,
            precompute_ref_log_probs=True,
        )
        return trl.DPOTrainer(args=options, **parts.named)


def _fits(preference: Preference, chat: Chat, max_tokens: int) -> bool:
    """Whether the prompt with either answer has at most `max_tokens` tokens."""
    samples = [
        Sample(preference.id, preference.turns, answer)
        for answer in (preference.chosen, preference.rejected)
    ]
    return len(encode_all(samples, chat, max_tokens)) == len(samples)
