"""A recipe: all settings of a LoRA adapter's training, in one file (db3, Table 1)."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Lt, MinLen
from pydantic import ConfigDict, PositiveFloat, PositiveInt, TypeAdapter
from pydantic.dataclasses import dataclass

from models.subtasks.kg_text.query_prompt import QueryForm
from training.records import in_one_line
from utils.errors import SettingsError
from utils.tokens import MAX_ANSWER_TOKENS

FOLDER = Path(__file__).with_name("recipes")
_PartOfOne = Annotated[float, Ge(0), Lt(1)]
_ATTENTION = ("k_proj", "q_proj", "v_proj")
_FEED_FORWARD = ("up_proj", "down_proj", "gate_proj")


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class Recipe:
    """How an adapter is tuned. The defaults are db3's Table 1; notes mark what it does not give.

    Attributes:
        subtask: whose adapter it is, by its name in the settings.
        r: the rank.
        targets: the layers that are adapted.
        gradient_checkpointing: on a GPU, compute activations twice instead of keeping them.
        four_bit: load the base in 4 bits (NF4); without a GPU it is left as it is.
        warmup: a share of the updates; the schedule is a cosine.
        batch: samples of one step.
        accumulation: steps of one update.
        epochs: "2-3" in section 2.4.
        max_tokens: of a prompt and its answer; a longer sample is left out and counted, because a
            truncated one has no answer.
        seed: of weights, order and dropout (the paper gives none).
        checkpoints: per epoch (the paper does not say).
        kept_checkpoints: the last ones; the others are deleted.
        query_prompt: the form of the prompt of `write_query`, as the system asks it.
        examples: in that prompt.
        beta: of DPO and GRPO, the weight of the divergence from the model that training starts
            from: 0.1 in DPO's paper, 0.001 in verl's GRPO.
        answers_per_prompt: of GRPO, whose batches are of prompts.
        temperature: of GRPO's answers.
        answer_tokens: of one of them, at most.
    """

    subtask: Annotated[str, MinLen(1)]
    r: PositiveInt = 8
    alpha: PositiveInt = 16
    dropout: _PartOfOne = 0.1
    targets: Annotated[tuple[str, ...], MinLen(1)] = (*_ATTENTION, *_FEED_FORWARD)
    gradient_checkpointing: bool = True
    four_bit: bool = True
    learning_rate: PositiveFloat = 2e-4
    warmup: _PartOfOne = 0.1
    max_grad_norm: float = 0.3
    batch: PositiveInt = 1
    accumulation: PositiveInt = 4
    epochs: PositiveFloat = 3.0
    max_tokens: PositiveInt = 4096
    seed: int = 0
    checkpoints: PositiveInt = 4
    kept_checkpoints: PositiveInt = 1
    query_prompt: QueryForm = QueryForm.FULL
    examples: int = 0
    beta: Annotated[float, Ge(0)] = 0.1
    answers_per_prompt: Annotated[int, Ge(2)] = 8
    temperature: PositiveFloat = 1.0
    answer_tokens: PositiveInt = MAX_ANSWER_TOKENS

    def as_json(self) -> dict[str, Any]:
        """As it is written beside the adapter."""
        fields: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return fields


_ADAPTER: TypeAdapter[Recipe] = TypeAdapter(Recipe)


def read_recipe(name: str, *, seed: int | None = None) -> Recipe:
    """The recipe in the file `name`, or the one of ours with that name.

    Raises:
        SettingsError: there is none, or a field is unknown, missing or out of bounds.
    """
    file = Path(name) if Path(name).suffix else FOLDER / f"{name}.toml"
    try:
        recipe = _ADAPTER.validate_python(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        ours = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
        raise SettingsError(
            f"{file}: not a recipe: {in_one_line(error)}; ours are: {ours}"
        ) from error
    return recipe if seed is None else replace(recipe, seed=seed)
