"""Group-relative policy optimisation with a ternary reward (TruthRL: Wei et al. 2025).

The model answers each question several times; answers that earn more than their group's mean become
likelier. It starts from a tuned adapter: a base that is never right learns to say "i don't know".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.judge.protocol import Judge
from models.llm.chat import Chat
from training.encode import fits, neutral_turns
from training.recipe import Recipe
from training.records import Sample, check_can_be_judged
from training.tuning.reward import TernaryReward
from training.tuning.run import Parts, TrainingData
from utils.errors import InputError
from utils.packages import training_package


@dataclass(frozen=True, slots=True)
class Grpo:
    """Learns from the judge's verdicts on the model's own answers to samples' questions."""

    samples: Sequence[Sample]
    judge: Judge

    @property
    def identity(self) -> dict[str, str]:
        """What a resumed run must share."""
        return {"method": "grpo", "judge": self.judge.name}

    def dataset(self, chat: Chat, recipe: Recipe) -> TrainingData:
        """Conversations, and what the judge needs.

        Raises:
            InputError: no prompt fits the recipe, or a sample has nothing to be judged by.
        """
        check_can_be_judged(self.samples)
        samples = [each for each in self.samples if fits(each, chat, recipe.max_tokens)]
        if not samples:
            raise InputError(
                f"none of {len(self.samples)} samples has {recipe.max_tokens} tokens or fewer"
            )
        columns: dict[str, list[Any]] = {
            "prompt": [neutral_turns(sample.turns, chat) for sample in samples],
            "question": [sample.question for sample in samples],
            "golds": [list(sample.golds) for sample in samples],
        }
        left_out = len(self.samples) - len(samples)
        return TrainingData(columns, {"samples": len(samples), "left_out": left_out})

    def trainer(self, parts: Parts) -> Any:
        """TRL's GRPOTrainer; `batch` counts prompts."""
        trl = training_package("trl")
        recipe = parts.recipe
        answers = recipe.batch * recipe.answers_per_prompt
        options = trl.GRPOConfig(
            **{**parts.options, "per_device_train_batch_size": answers},
            num_generations=recipe.answers_per_prompt,
            max_completion_length=recipe.answer_tokens,
            temperature=recipe.temperature,
            beta=recipe.beta,
            # Divided by a group's deviation, a small penalty alone would weigh as a wrong answer.
            scale_rewards="none",
            disable_dropout=True,  # as in DPO: the reference is compared without noise
        )
        end = parts.arguments["model"].generation_config.eos_token_id
        ends = frozenset(end if isinstance(end, list) else [end])
        reward = TernaryReward(self.judge, ends)
        return trl.GRPOTrainer(reward_funcs=[reward], args=options, **parts.arguments)
