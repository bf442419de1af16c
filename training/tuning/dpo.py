"""Direct preference optimisation (Rafailov et al. 2023): the better of two answers.

Of a model's own answers, a right one is better than "i don't know", and that is better than a wrong
one (`training.own_answers`). The reference is the model that training starts from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.llm.chat import Chat
from training.encode import fits, neutral_turns
from training.recipe import Recipe
from training.records import Preference, Sample
from training.tuning.run import Parts, TrainingData
from utils.errors import InputError
from utils.packages import training_package


@dataclass(frozen=True, slots=True)
class Dpo:
    """Learns to prefer one answer to another."""

    preferences: Sequence[Preference]

    @property
    def identity(self) -> dict[str, str]:
        """What a resumed run must share."""
        return {"method": "dpo"}

    def dataset(self, chat: Chat, recipe: Recipe) -> TrainingData:
        """Conversations with a chosen and a rejected answer.

        Raises:
            InputError: no preference fits the recipe.
        """
        pairs = [each for each in self.preferences if _both_fit(each, chat, recipe.max_tokens)]
        if not pairs:
            raise InputError(
                f"none of {len(self.preferences)} preferences has {recipe.max_tokens} tokens or "
                "fewer"
            )
        columns = {
            "prompt": [neutral_turns(each.turns, chat) for each in pairs],
            "chosen": [neutral_turns((("assistant", each.chosen),), chat) for each in pairs],
            "rejected": [neutral_turns((("assistant", each.rejected),), chat) for each in pairs],
        }
        left_out = len(self.preferences) - len(pairs)
        return TrainingData(columns, {"samples": len(pairs), "left_out": left_out})

    def trainer(self, parts: Parts) -> Any:
        """TRL's DPOTrainer."""
        trl = training_package("trl")
        recipe = parts.recipe
        options = trl.DPOConfig(
            **parts.options,
            beta=recipe.beta,
            max_length=recipe.max_tokens,
            precompute_ref_log_probs=True,
        )
        return trl.DPOTrainer(args=options, **parts.arguments)


def _both_fit(preference: Preference, chat: Chat, max_tokens: int) -> bool:
    """Whether the prompt with either answer has at most `max_tokens` tokens."""
    chosen = Sample(preference.id, preference.turns, preference.chosen)
    rejected = Sample(preference.id, preference.turns, preference.rejected)
    return fits(chosen, chat, max_tokens) and fits(rejected, chat, max_tokens)
