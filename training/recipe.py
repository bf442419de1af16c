"""A recipe: everything that a LoRA adapter is made with, in one frozen file (db3, Table 1)."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from models.subtasks.kg_text.query_prompt import QueryForm
from utils.errors import SettingsError

FOLDER = Path(__file__).with_name("recipes")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an adapter is tuned. The defaults are db3's Table 1; where it is silent, they say so.

    Attributes:
        subtask: whose adapter it is, by its name in the settings.
        r, alpha, dropout, targets, bias: of LoRA.
        four_bit: load the base in 4 bits (NF4); without a GPU it is left as it is.
        learning_rate, warmup, max_grad_norm: AdamW with a cosine schedule, `warmup` a share.
        batch, accumulation: samples of one step, and steps of one update.
        epochs: "2-3" in section 2.4.
        max_tokens: of a prompt and its answer; a longer sample is left out and counted, for cut
            short it would teach nothing or nonsense.
        seed: of weights, order and dropout (the paper gives none).
        checkpoints: in an epoch; what a resumed run loses at most (the paper does not say).
        query_prompt, examples: of `write_query`: the prompt as the system asks it.
    """

    subtask: str
    r: int = 8
    alpha: int = 16
    dropout: float = 0.1
    targets: tuple[str, ...] = ("k_proj", "q_proj", "v_proj", "up_proj", "down_proj", "gate_proj")
    bias: str = "none"
    four_bit: bool = True
    learning_rate: float = 2e-4
    warmup: float = 0.1
    max_grad_norm: float = 0.3
    batch: int = 1
    accumulation: int = 4
    epochs: float = 3.0
    max_tokens: int = 4096
    seed: int = 0
    checkpoints: int = 4
    query_prompt: str = str(QueryForm.FULL)
    examples: int = 0

    def __post_init__(self) -> None:
        positive = ("r", "alpha", "learning_rate", "batch", "accumulation", "epochs", "max_tokens")
        for name in (*positive, "checkpoints"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"{name} must be positive, is {getattr(self, name)}")
        if not self.subtask or not self.targets:
            raise SettingsError("a recipe names a subtask and target modules")
        if not 0 <= self.dropout < 1 or not 0 <= self.warmup < 1:
            raise SettingsError("dropout and warmup must be 0 or more and under 1")
        if self.query_prompt not in tuple(QueryForm):
            raise SettingsError(f"query_prompt must be full or short, is {self.query_prompt!r}")

    def as_json(self) -> dict[str, Any]:
        """As it is written beside the adapter."""
        return {**asdict(self), "targets": list(self.targets)}


def read_recipe(name: str, *, seed: int | None = None) -> Recipe:
    """The recipe in the file `name`, or in ours of that name.

    Raises:
        SettingsError: there is none, or something in it is unknown or out of bounds.
    """
    file = Path(name)
    if not file.suffix:
        file = FOLDER / f"{name}.toml"
    try:
        made = from_json(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        ours = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
        raise SettingsError(f"no recipe {name!r} ({error}); ours are: {ours}") from error
    except SettingsError as error:
        raise SettingsError(f"{file}: {error}") from error
    return made if seed is None else replace(made, seed=seed)


def from_json(row: Mapping[str, Any]) -> Recipe:
    """The recipe of a table of its fields. Raises SettingsError."""
    known = {field.name for field in fields(Recipe)}
    if unknown := sorted(row.keys() - known):
        raise SettingsError(f"a recipe has no {', '.join(unknown)}")
    try:
        made: dict[str, Any] = {k: tuple(v) if k == "targets" else v for k, v in row.items()}
        return Recipe(**made)
    except TypeError as error:
        raise SettingsError(f"a recipe's field is missing or of the wrong kind: {error}") from error
