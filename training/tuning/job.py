"""What is tuned and where, and the card that says what an adapter was made of."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.run_folder import read_object, write_text
from models.llm.adapters import CARD, WEIGHTS, read_adapter
from training.recipe import Recipe
from utils.errors import InputError
from utils.model_files import model_hash, sha256

CHECKPOINTS = "checkpoints"


@dataclass(frozen=True, slots=True)
class Job:
    """What is tuned, and where.

    Attributes:
        data_sha256: of the file that it learns from.
        start: the folder of an adapter whose weights the new one starts from; None: random ones.
        fold: what was left out of that file, such as "0/3".
    """

    recipe: Recipe
    base: Path
    data_sha256: str
    out: Path
    threads: int | None = None
    start: Path | None = None
    fold: str = ""

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same in a run and in the run that it resumes."""
        return {
            "recipe": self.recipe.as_json(),
            "base_sha256": model_hash(self.base),
            "data_sha256": self.data_sha256,
            "fold": self.fold,
            "start": self._start_card(),
        }

    def _start_card(self) -> dict[str, Any]:
        """What the adapter that this one starts from was tuned on; empty: random weights.

        Raises:
            AdapterIncompatible: it does not fit the base.
            InputError: its rank, alpha or layers are not the recipe's.
        """
        if self.start is None:
            return {}
        adapter = read_adapter("start", str(self.start), self.base)
        config = read_object(adapter.folder / "adapter_config.json")
        recipe = self.recipe
        layers = set(config.get("target_modules") or ())
        shape = (config.get("r"), config.get("lora_alpha"), layers)
        if shape != (recipe.r, recipe.alpha, set(recipe.targets)):
            raise InputError(
                f"{self.start} has another rank, alpha or layers than the recipe: it goes on with "
                f"r {recipe.r}, alpha {recipe.alpha} and {', '.join(recipe.targets)}"
            )
        card = read_object(adapter.folder / CARD)
        origin: dict[str, Any] = {
            key: card[key] for key in ("data_sha256", "fold", "start") if key in card
        }
        return {"weights_sha256": sha256(adapter.folder / WEIGHTS), **origin}


def card_of_same_run(out: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
    """The card in the folder `out`; empty where there is none.

    Raises:
        InputError: it is the card of another run.
    """
    card = read_object(out / CARD)
    others = [key for key, value in identity.items() if card and card.get(key) != value]
    if others:
        raise InputError(
            f"{out} holds another run ({', '.join(others)} differ): choose another --out"
        )
    return card


def write_card(out: Path, card: Mapping[str, Any]) -> None:
    """Write the card of an adapter into its folder."""
    write_text(out / CARD, json.dumps(card, indent=2, ensure_ascii=False) + "\n")


def last_checkpoint(folder: Path) -> Path | None:
    """The newest complete checkpoint; `trainer_state.json` is written last."""
    complete = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
    return max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
