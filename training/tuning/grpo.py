"""Group-relative policy optimisation with a ternary reward (TruthRL: Wei et al. 2025).

The model answers each question several times; answers that earn more than their group's mean become
likelier. It starts from a tuned adapter: a base that is never right learns to say "i don't know".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.judge.protocol import Judge
from models.llm.chat import Chat
from training.encode import encode_all, neutral_turns
from training.packages import package
from training.recipe import Recipe
from training.records import Sample
from training.tuning.reward import TernaryReward
from training.tuning.run import Parts, Prepared
from utils.errors import InputError


@dataclass(frozen=True, slots=True)
class Grpo:
    """Learns from the judge's verdicts on the model's own answers to samples' questions."""

    samples: Sequence[Sample]
    judge: Judge

    def prepare(self, chat: Chat, recipe: Recipe) -> Prepared:
        """Conversations, and what the judge needs.

        Raises:
            InputError: no prompt fits the recipe.
        """
        fitting = [each for each in self.samples if encode_all([each], chat, recipe.max_tokens)]
        if not fitting:
            raise InputError(
                f"none of {len(self.samples)} samples has {recipe.max_tokens} tokens or fewer"
            )
        columns: dict[str, list[Any]] = {
            "prompt": [neutral_turns(sample.turns, chat) for sample in fitting],
            "question": [sample.question for sample in fitting],
            "golds": [list(sample.golds) for sample in fitting],
        }
        left_out = len(self.samples) - len(fitting)
        return Prepared(columns, {"samples": len(fitting), "left_out": left_out})

    def trainer(self, parts: Parts) -> Any:
        """TRL's GRPOTrainer; `batch` counts prompts."""
        trl = package("trl")
        recipe = parts.recipe
        batch = recipe.batch * recipe.answers
        options = trl.GRPOConfig(
            **{**parts.options, "per_device_train_batch_size": batch},
            num_generations=recipe.answers,
            max_completion_length=recipe.answer_tokens,
            temperature=recipe.temperature,
            beta=recipe.beta,
        )
        end = parts.named["model"].generation_config.eos_token_id
        ends = frozenset(end if isinstance(end, list) else [end])
        reward = TernaryReward(self.judge, ends)
        return trl.GRPOTrainer(reward_funcs=[reward], args=options, **parts.named)
