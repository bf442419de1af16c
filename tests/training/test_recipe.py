"""Recipes: db3's Table 1 unless a file says otherwise, and nothing that is not known."""

from pathlib import Path

import pytest

from training.recipe import FOLDER, Recipe, from_json, read_recipe
from utils.errors import SettingsError


def test_the_default_is_table_1() -> None:
    recipe = Recipe("write_query")
    assert (recipe.r, recipe.alpha, recipe.dropout, recipe.bias) == (8, 16, 0.1, "none")
    assert set(recipe.targets) == {
        *("k_proj", "q_proj", "v_proj"),
        *("up_proj", "down_proj", "gate_proj"),
    }
    assert recipe.four_bit and recipe.learning_rate == 2e-4 and recipe.max_grad_norm == 0.3
    assert (recipe.batch, recipe.accumulation, recipe.warmup) == (1, 4, 0.1)
    assert 2 <= recipe.epochs <= 3


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_our_recipes_can_be_read_and_written(file: Path) -> None:
    recipe = read_recipe(file.stem)
    assert read_recipe(str(file)) == recipe == from_json(recipe.as_json())


@pytest.mark.parametrize("name", ["write_query", "answer_web", "answer_kg", "answer_alone"])
def test_a_subtasks_recipe_departs_from_table_1_in_its_length_alone(name: str) -> None:
    recipe = read_recipe(name)
    assert recipe == Recipe(name, max_tokens=recipe.max_tokens)


def test_a_seed_may_be_chosen() -> None:
    assert read_recipe("demo", seed=7).seed == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('subtask = "x"\nlr = 1', "no lr"),
        ("r = 8", "missing"),
        ('subtask = "x"\nr = 0', "r must be positive"),
        ('subtask = "x"\ndropout = 1.0', "under 1"),
        ('subtask = "x"\nquery_prompt = "long"', "full or short"),
        ("subtask = ", "no recipe"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=said):
        read_recipe(str(file))


def test_an_unknown_name_lists_ours() -> None:
    with pytest.raises(SettingsError, match="answer_alone, answer_kg"):
        read_recipe("nothing")
