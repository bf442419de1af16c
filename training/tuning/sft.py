"""Supervised fine-tuning (db3, section 2.4 and Table 1): the loss is on the answer alone.

`training.encode` makes the prompts and masks their tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.llm.chat import Chat
from training.encode import encode_all, samples_of
from training.fitting.folds import Fold
from training.recipe import Recipe
from training.records import Pair, Sample, read_rows
from training.tuning.run import Parts, TrainingData
from utils.errors import InputError
from utils.packages import training_package


def samples_in(file: Path, recipe: Recipe, fold: str | None = None) -> list[Sample]:
    """What a recipe learns from a file: its samples, or for programs its pairs to train on.

    Args:
        fold: the pairs whose wording is in it are left out; None: none.

    Raises:
        InputError: a fold of samples, which have no wording.
    """
    if recipe.subtask != "write_query":
        if fold is not None:
            raise InputError("--fold divides pairs: only for recipes of write_query")
        return list(read_rows(file, Sample))
    pairs = [pair for pair in read_rows(file, Pair) if pair.split == "train"]
    if fold is not None:
        left_out = Fold.of(fold)
        pairs = [pair for pair in pairs if not left_out.holds(pair.wording)]
    return samples_of(pairs, recipe)


@dataclass(frozen=True, slots=True)
class Sft:
    """Learns the answers of samples."""

    samples: Sequence[Sample]

    @property
    def identity(self) -> dict[str, str]:
        """What a resumed run must share."""
        return {"method": "sft"}

    def dataset(self, chat: Chat, recipe: Recipe) -> TrainingData:
        """Token ids and labels.

        Raises:
            InputError: no sample fits the recipe.
        """
        encoded = encode_all(self.samples, chat, recipe.max_tokens)
        if not encoded:
            raise InputError(
                f"none of {len(self.samples)} samples has {recipe.max_tokens} tokens or fewer"
            )
        columns = {
            "input_ids": [sample.ids for sample in encoded],
            "labels": [sample.labels for sample in encoded],
        }
        counts = {
            "samples": len(encoded),
            "left_out": len(self.samples) - len(encoded),
            "tokens": sum(len(sample.ids) for sample in encoded),
            "answer_tokens": sum(sample.answer_tokens for sample in encoded),
        }
        return TrainingData(columns, counts)

    def trainer(self, parts: Parts) -> Any:
        """TRL's SFTTrainer."""
        trl = training_package("trl")
        options = trl.SFTConfig(
            **parts.options,
            max_length=parts.recipe.max_tokens,
            completion_only_loss=None,  # the labels mask the prompt
            dataset_kwargs={"skip_prepare_dataset": True},
            # Batches of similar lengths: half as much padding, or less, to compute.
            train_sampling_strategy="group_by_length",
        )
        return trl.SFTTrainer(args=options, **parts.arguments)
