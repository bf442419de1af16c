"""Recipes: what a file says, and nothing that is not known."""

from pathlib import Path

import pytest

from training.recipe import FOLDER, read_recipe
from utils.errors import SettingsError


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_our_recipes_can_be_read(file: Path) -> None:
    recipe = read_recipe(file.stem)
    assert read_recipe(str(file)) == recipe
    assert read_recipe(file.stem, seed=7).seed == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('subtask = "x"\nlr = 1', "lr: Unexpected keyword"),
        ("r = 0", "subtask: Field required; r: Input should be greater than 0"),
        ("subtask = ", "not a recipe.*ours are: answer_alone, answer_kg"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=said):
        read_recipe(str(file))
